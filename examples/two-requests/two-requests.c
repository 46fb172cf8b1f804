/* two-requests ARTIFACT TEXT [TOKENS]
 *
 * Continues TEXT twice at once with one compiled model: a greedy answer of TOKENS tokens (16 where none is said) with
 * logprobs, and a drawn one that is cancelled after its third token. Prints both, one line for each token. */
#include <adze/Abi/Adze.h>

#include <stdio.h>
#include <stdlib.h>

/* Prints an error, frees it, and gives the exit code. */
static int fail(const char *what, AdzeError *error) {
  fprintf(stderr, "%s: %s: %s\n", what, adze_code_name(adze_error_code(error)), adze_error_message(error));
  adze_error_free(error);
  return 1;
}

static const char *end_name(int32_t end) {
  switch (end) {
  case ADZE_END_STOP:
    return "stop";
  case ADZE_END_LENGTH:
    return "length";
  case ADZE_END_CANCELLED:
    return "cancelled";
  default:
    return "error";
  }
}

/* One of the two requests, as far as this program follows it. */
typedef struct Following {
  const char *name;
  AdzeAnswer *answer;
  int64_t cancel_after; /* tokens; 0: never */
  int64_t tokens;
  int ended;
} Following;

/* Takes all events that an answer has at the moment. */
static int take_events(Following *request) {
  AdzeError *error = NULL;
  AdzeEvent event;
  while (!request->ended) {
    if (adze_answer_poll(request->answer, &event, sizeof event, &error) != ADZE_OK)
      return fail("poll", error);
    if (event.kind == ADZE_EVENT_NONE)
      return 0;
    if (event.kind == ADZE_EVENT_TOKEN) {
      printf("%s token %ld at %ld", request->name, (long)event.token, (long)event.position);
      if (event.best)
        printf(" logprob %.4f, best %ld %.4f", event.chosen.logprob, (long)event.best[0].token, event.best[0].logprob);
      printf(" text [%.*s]\n", (int)event.text.size, event.text.data);
      if (++request->tokens == request->cancel_after)
        adze_answer_cancel(request->answer);
    } else {
      request->ended = 1;
      if (event.end == ADZE_END_ERROR)
        fprintf(stderr, "%s: %s\n", request->name, event.error_message.data);
      printf("%s ended: %s after %ld of %ld tokens\n", request->name, end_name(event.end), (long)event.output_tokens,
             (long)event.prompt_tokens);
    }
  }
  return 0;
}

static int answer_both(AdzeEngine *engine, const char *text, int64_t tokens) {
  AdzeError *error = NULL;
  AdzeRequest request;
  Following both[2] = {{"greedy", NULL, 0, 0, 0}, {"drawn", NULL, 3, 0, 0}};
  int32_t more = 1;
  int code = 0, i;

  if (adze_request_init(engine, &request, sizeof request, &error) != ADZE_OK)
    return fail("request", error);
  request.text = adze_text(text);
  request.max_tokens = tokens;
  request.ignore_end_tokens = 1;
  request.choose = ADZE_CHOOSE_GREEDY;
  request.top_logprobs = 1;
  if (adze_engine_submit(engine, &request, &both[0].answer, &error) != ADZE_OK)
    return fail("submit", error);

  request.choose = ADZE_CHOOSE_SAMPLE;
  request.temperature = 0.8;
  request.seed = 42;
  request.top_logprobs = -1;
  if (adze_engine_submit(engine, &request, &both[1].answer, &error) != ADZE_OK)
    code = fail("submit", error);

  /* Every step gives each request at most one token. */
  while (code == 0 && more) {
    if (adze_engine_step(engine, &more, &error) != ADZE_OK)
      code = fail("step", error);
    for (i = 0; i < 2 && code == 0; ++i)
      code = take_events(&both[i]);
  }
  for (i = 0; i < 2; ++i)
    adze_answer_free(both[i].answer);
  return code;
}

int main(int argc, char **argv) {
  AdzeError *error = NULL;
  AdzeEngine *engine = NULL;
  AdzeEngineOptions options;
  int code;

  if (argc < 3) {
    fprintf(stderr, "usage: two-requests ARTIFACT TEXT [TOKENS]\n");
    return 2;
  }
  adze_engine_options_init(&options, sizeof options);
  options.requests = 2;
  if (adze_engine_open(argv[1], &options, &engine, &error) != ADZE_OK)
    return fail(argv[1], error);
  printf("adze %s, interface %lu\n", adze_version(), (unsigned long)adze_api_version());
  code = answer_both(engine, argv[2], argc > 3 ? strtol(argv[3], NULL, 10) : 16);
  adze_engine_free(engine);
  return code;
}

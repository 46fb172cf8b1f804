/* Adze.h as a C program sees it: it compiles with no warning at the strictest settings, and the layout of version 1 is
 * what programs were built with. A failure here means that fields moved: add at the end only. */
#include "adze/Abi/Adze.h"

#define LAYOUT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

LAYOUT(AdzeText, size, 8);
LAYOUT(AdzeMessage, content, 16);
LAYOUT(AdzeTokenLogprob, text, 16);
LAYOUT(AdzeEngineOptions, struct_size, 0);
LAYOUT(AdzeEngineOptions, context, 8);
LAYOUT(AdzeEngineOptions, queue_length, 56);
LAYOUT(AdzeEngineOptions, threads, 64);
LAYOUT(AdzeEngineOptions, pin, 68);
LAYOUT(AdzeRequest, struct_size, 0);
LAYOUT(AdzeRequest, tokens, 8);
LAYOUT(AdzeRequest, text, 24);
LAYOUT(AdzeRequest, messages, 40);
LAYOUT(AdzeRequest, max_tokens, 56);
LAYOUT(AdzeRequest, stop, 64);
LAYOUT(AdzeRequest, ignore_end_tokens, 80);
LAYOUT(AdzeRequest, choose, 84);
LAYOUT(AdzeRequest, temperature, 88);
LAYOUT(AdzeRequest, seed, 144);
LAYOUT(AdzeRequest, top_logprobs, 152);
LAYOUT(AdzeEvent, struct_size, 0);
LAYOUT(AdzeEvent, kind, 8);
LAYOUT(AdzeEvent, text, 24);
LAYOUT(AdzeEvent, chosen, 40);
LAYOUT(AdzeEvent, best, 72);
LAYOUT(AdzeEvent, end, 88);
LAYOUT(AdzeEvent, error_message, 96);
LAYOUT(AdzeEvent, seconds, 136);
_Static_assert(sizeof(AdzeText) == 16 && sizeof(AdzeMessage) == 32 && sizeof(AdzeTokenLogprob) == 32,
               "these have no size of their own and never change");

/* What AdzeApiTest.cpp calls: a C program that opens, asks and reads. Returns the number of tokens, or a negative code.
 */
int64_t answer_in_c(const char *artifact, const int32_t *prompt, size_t count, int32_t *tokens, size_t capacity) {
  AdzeEngine *engine;
  AdzeAnswer *answer;
  AdzeRequest request;
  AdzeEvent event;
  int32_t more = 1;
  int64_t taken = 0;
  AdzeCode code = adze_engine_open(artifact, NULL, &engine, NULL);
  if (code != ADZE_OK)
    return -code;
  code = adze_request_init(engine, &request, sizeof request, NULL);
  request.tokens = prompt;
  request.token_count = count;
  request.max_tokens = (int64_t)capacity;
  if (code == ADZE_OK)
    code = adze_engine_submit(engine, &request, &answer, NULL);
  if (code == ADZE_OK) {
    while (more && code == ADZE_OK)
      code = adze_engine_step(engine, &more, NULL);
    while (code == ADZE_OK && (code = adze_answer_poll(answer, &event, sizeof event, NULL)) == ADZE_OK &&
           event.kind == ADZE_EVENT_TOKEN)
      tokens[taken++] = event.token;
    adze_answer_free(answer);
  }
  adze_engine_free(engine);
  return code == ADZE_OK ? taken : -code;
}

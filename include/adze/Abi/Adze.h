/* Adze.h: the C interface for programs that run compiled models.
 *
 * Plain C (C99 and later; C++ too), linked as libadze, found by CMake's find_package(Adze) (target Adze::Adze) or by
 * pkg-config (adze). Of that library only the functions of this file are exported.
 *
 *   AdzeEngine *engine;             one compiled model, opened, with all the memory it will ever take
 *   AdzeAnswer *answer;             one request and what has come of it so far
 *   AdzeError *error;               why a call failed
 *
 * A program opens an engine, submits requests, calls adze_engine_step() until nothing is left, and polls each answer
 * for its tokens. The steps answer all requests together; what a request gets never depends on its neighbours.
 *
 * Errors are values. Functions that can fail return an AdzeCode; where it is not ADZE_OK and `error` is not NULL,
 * *error is an error to read and to free, otherwise *error is NULL. Results (`*engine`, `*answer`, ...) are written
 * only on success. No exception leaves the library and nothing in it ends the process. A NULL where an object is needed
 * is ADZE_INVALID_INPUT, but for the free functions, which ignore it.
 *
 * Ownership. What a function makes is freed by the function of the same name in _free. Everything that is passed in is
 * copied during the call. Text that comes out belongs to the object it came from, for as long as its comment says; it
 * is UTF-8 and a NUL follows its last byte, which `size` does not count.
 *
 * Threads. Different engines are independent. Of one engine, adze_engine_step() runs on one thread at a time (a second
 * caller waits); every other function may be called from any thread at any time. Of one answer, adze_answer_poll() is
 * for one thread at a time. adze_engine_free() must be the engine's last call and adze_answer_free() the answer's;
 * answers may be freed before or after their engine.
 *
 * Versions. Structs that may grow begin with their own size, and fields are only ever added at their end: a library
 * reads and writes of an older program's struct what that program knows, and refuses a newer program's struct where it
 * uses a field that the library does not know. AdzeText, AdzeMessage and AdzeTokenLogprob never change. A program that
 * was built with one ADZE_API_VERSION runs with every library of the same or a higher one.
 *
 * Messages name options as the program `adze` spells them: --kv-memory is the field kv_memory.
 */
#ifndef ADZE_ABI_ADZE_H
#define ADZE_ABI_ADZE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ADZE_EXPORT __attribute__((visibility("default")))
#else
#define ADZE_EXPORT
#endif

#define ADZE_API_VERSION 1

/* Version of the interface that the library has, ADZE_API_VERSION of its own build; and its release, for example
 * "0.1.0". */
ADZE_EXPORT uint32_t adze_api_version(void);
ADZE_EXPORT const char *adze_version(void);

/* ---- errors ---- */

typedef int32_t AdzeCode;
enum {
  ADZE_OK = 0,
  ADZE_INVALID_INPUT = 1,      /* a file, an option or a request breaks a rule; the message names it */
  ADZE_NOT_FOUND = 2,          /* a file that should exist does not */
  ADZE_UNSUPPORTED = 3,        /* legal, but this build or this machine cannot do it */
  ADZE_RESOURCE_EXHAUSTED = 4, /* memory, or a limit; the message says which and how it is raised */
  ADZE_CANCELLED = 5,
  ADZE_INTERNAL = 6, /* a fault of Adze */
  ADZE_IO = 7        /* the operating system refused to read */
};

typedef struct AdzeError AdzeError;
/* The code (ADZE_OK for NULL); its spelling, for example "invalid-input"; and a sentence for people, which lives as
 * long as the error. */
ADZE_EXPORT AdzeCode adze_error_code(const AdzeError *error);
ADZE_EXPORT const char *adze_error_message(const AdzeError *error);
ADZE_EXPORT void adze_error_free(AdzeError *error);
ADZE_EXPORT const char *adze_code_name(AdzeCode code);

/* `size` bytes of UTF-8. data may be NULL only where there is no text. */
typedef struct AdzeText {
  const char *data;
  size_t size;
} AdzeText;
/* A NUL-terminated string as an AdzeText that points to it. */
ADZE_EXPORT AdzeText adze_text(const char *string);

/* ---- engine ---- */

/* Limits of an engine. All memory follows from them and is taken by adze_engine_open(). 0 stands for the default. */
typedef struct AdzeEngineOptions {
  size_t struct_size;    /* sizeof(AdzeEngineOptions); set by adze_engine_options_init */
  int64_t context;       /* tokens of one request, prompt and answer; default: the model's, at most 4096 */
  int64_t requests;      /* requests that run at once; default 8 */
  int64_t step_tokens;   /* tokens of one step; default 512, or the context where that is smaller */
  int64_t logit_rows;    /* rows of logits of one step; default: = requests */
  int64_t kv_memory;     /* bytes of the KV pool; default: room for every request at full context */
  int64_t prefill_chunk; /* longest piece of a prompt in one step; 0: no limit but step_tokens */
  int64_t queue_length;  /* requests that wait; default 1024 */
  uint32_t threads;      /* default: the cores that affinity and cgroup allow */
  uint32_t pin;          /* 1: bind threads to cores; default 0 */
} AdzeEngineOptions;

typedef struct AdzeEngine AdzeEngine;

/* Fills *options with defaults. `struct_size`: sizeof(AdzeEngineOptions). */
ADZE_EXPORT void adze_engine_options_init(AdzeEngineOptions *options, size_t struct_size);

/* Opens the artifact (the folder that `adze compile` made; it is executable code, see docs/Security.md) and takes all
 * memory. `options` may be NULL: all defaults. */
ADZE_EXPORT AdzeCode adze_engine_open(const char *artifact, const AdzeEngineOptions *options, AdzeEngine **engine,
                                      AdzeError **error);
/* The options with every default filled in as this engine has it. `struct_size`: sizeof(AdzeEngineOptions). */
ADZE_EXPORT AdzeCode adze_engine_limits(const AdzeEngine *engine, AdzeEngineOptions *limits, size_t struct_size,
                                        AdzeError **error);
/* Runs one step of all requests. *more: 1 where work is left, 0 where every request has ended. A failure inside a step
 * ends the requests concerned (ADZE_END_ERROR) and not the engine. */
ADZE_EXPORT AdzeCode adze_engine_step(AdzeEngine *engine, int32_t *more, AdzeError **error);
/* Ends the engine. Requests that have not ended end as cancelled; their answers can still be polled and freed. */
ADZE_EXPORT void adze_engine_free(AdzeEngine *engine);

/* ---- requests ---- */

/* One turn of a conversation, role for example "system", "user" or "assistant". */
typedef struct AdzeMessage {
  AdzeText role;
  AdzeText content;
} AdzeMessage;

enum {
  ADZE_CHOOSE_GREEDY = 0, /* always the best token */
  ADZE_CHOOSE_SAMPLE = 1  /* draw, by the parameters below */
};

/* One request. Exactly one of `tokens`, `text` and `messages` is given (its pointer is not NULL). */
typedef struct AdzeRequest {
  size_t struct_size;          /* sizeof(AdzeRequest); set by adze_request_init */
  const int32_t *tokens;       /* ids to continue */
  size_t token_count;          /* at least 1 */
  AdzeText text;               /* a text to continue; markers of control tokens in it are plain text */
  const AdzeMessage *messages; /* a conversation to answer, by the model's chat template */
  size_t message_count;        /* at least 1 */
  int64_t max_tokens;          /* tokens of the answer, 0 or more; -1: up to the context */
  const AdzeText *stop;        /* the answer ends before any of these texts */
  size_t stop_count;
  int32_t ignore_end_tokens; /* 1: do not end at end tokens */
  int32_t choose;            /* ADZE_CHOOSE_... */
  double temperature;        /* 0 < t <= 100; read when sampling */
  int64_t top_k;             /* keep the k best; 0: off */
  double top_p;              /* 0 to 1; keep the best that reach this probability; 1: off */
  double min_p;              /* 0 to 1; drop what is below this part of the best one's probability; 0: off */
  double repetition_penalty; /* 0.01 to 100; over prompt and answer; 1: off */
  double presence_penalty;   /* -2 to 2; over the answer; 0: off */
  double frequency_penalty;  /* -2 to 2; over the answer; 0: off */
  uint64_t seed;             /* of the random numbers: the same request with the same seed gets the same answer */
  int64_t top_logprobs;      /* n >= 0: report logprobs of the token and the n best, at most 100; -1: none */
} AdzeRequest;

typedef struct AdzeAnswer AdzeAnswer;

/* Fills *request with the parameters that the model's makers ask for (greedy where they ask for nothing), seed 0,
 * no logprobs, no limit but the context, and no prompt. `struct_size`: sizeof(AdzeRequest). */
ADZE_EXPORT AdzeCode adze_request_init(const AdzeEngine *engine, AdzeRequest *request, size_t struct_size,
                                       AdzeError **error);
/* Checks the request and queues it. ADZE_INVALID_INPUT names the field, ADZE_RESOURCE_EXHAUSTED the limit. */
ADZE_EXPORT AdzeCode adze_engine_submit(AdzeEngine *engine, const AdzeRequest *request, AdzeAnswer **answer,
                                        AdzeError **error);

/* ---- answers ---- */

typedef struct AdzeTokenLogprob {
  int32_t token;
  double logprob; /* natural logarithm of the model's own probability, before penalties and filters */
  AdzeText text;  /* what the token adds to a text: bytes, which alone need not be UTF-8 */
} AdzeTokenLogprob;

enum {
  ADZE_EVENT_NONE = 0,  /* nothing at the moment: call adze_engine_step */
  ADZE_EVENT_TOKEN = 1, /* a token of the answer */
  ADZE_EVENT_END = 2    /* the answer has ended; every later poll gives the same */
};

enum {
  ADZE_END_STOP = 0,      /* an end token or a stop text */
  ADZE_END_LENGTH = 1,    /* max_tokens, or the context is full */
  ADZE_END_CANCELLED = 2, /* adze_answer_cancel, or the engine was freed */
  ADZE_END_ERROR = 3      /* this request failed: error_code and error_message */
};

/* What a poll found. Fields of another kind of event are 0. Pointers live until the answer's next poll or its end. */
typedef struct AdzeEvent {
  size_t struct_size;           /* written by adze_answer_poll */
  int32_t kind;                 /* ADZE_EVENT_... */
  int32_t token;                /* TOKEN: the id; an end token has one and no text */
  int64_t position;             /* TOKEN: of the token in prompt and answer, from 0 */
  AdzeText text;                /* TOKEN: whole characters that became certain with it, maybe none; END: the rest */
  AdzeTokenLogprob chosen;      /* TOKEN, where logprobs were asked for */
  const AdzeTokenLogprob *best; /* TOKEN: the best, best first; NULL where none were asked for */
  size_t best_count;
  int32_t end;            /* END: ADZE_END_... */
  AdzeCode error_code;    /* END by ERROR */
  AdzeText error_message; /* END by ERROR */
  int64_t prompt_tokens;  /* END */
  int64_t output_tokens;  /* END: an end token included */
  double first_seconds;   /* END: from the submission to the first token; 0 where there was none */
  double seconds;         /* END: from the submission to the end */
} AdzeEvent;

/* Takes the next event of the answer, in order, without waiting. `struct_size`: sizeof(AdzeEvent). */
ADZE_EXPORT AdzeCode adze_answer_poll(AdzeAnswer *answer, AdzeEvent *event, size_t struct_size, AdzeError **error);
/* Ends the request before the next step; that step gives the answer its end. Harmless where it has ended. */
ADZE_EXPORT void adze_answer_cancel(AdzeAnswer *answer);
/* Cancels the request where it runs, and frees the answer. */
ADZE_EXPORT void adze_answer_free(AdzeAnswer *answer);

#ifdef __cplusplus
}
#endif
#endif

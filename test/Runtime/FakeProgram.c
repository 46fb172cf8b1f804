/* FakeProgram.c: a toy language model as a program, for tests of the runtime alone.
 *
 * It keeps the whole contract of Program.h without a compiler: three kernels, a paged KV pool, an arena with two slots.
 * Its logits depend on every token before (through K and V read by way of the page list), on each token's position and,
 * deliberately, on nothing else, so any mistake of the runtime in slots, pages, rows or order changes an answer. Before
 * it computes, it checks every array of the step against every other and returns the number of the broken rule.
 *
 * Weights: f32 mix[VOCABULARY][WIDTH], then i32 next[VOCABULARY]: where next[t] >= 0, that token follows t with a logit
 * far above the others, so that a test can script an answer. Token STOP_STEP makes the step fail, token POISON makes
 * its row NaN. The logits of ids from LEGAL up are the highest of all: a runtime that looks at them is found out.
 *
 * With FAKE_CHOOSES a fourth kernel gives each row's best token, in a third slot.
 *
 * With FAKE_ON_GPU the host code reads through no pointer, as on a GPU: no rule is checked and STOP_STEP is a token
 * like any other. Its table has no entries; the fake driver runs those of the program for the CPU.
 */
#include "FakeProgram.h"

#include "adze/Abi/Program.h"

struct Arguments { /* one packed block of words */
  AdzeStep step;
  float *hidden; /* [R][WIDTH] */
  float *logits; /* [R][VOCABULARY] */
  int32_t *best; /* [R], with FAKE_CHOOSES */
};
_Static_assert(sizeof(struct Arguments) == FAKE_ARGUMENT_BYTES, "FakeProgram.h says how large the block is");

static const float *mixOf(const AdzeStep *step) { return (const float *)step->weights; }
static const int32_t *nextOf(const AdzeStep *step) {
  return (const int32_t *)(step->weights + sizeof(float) * FAKE_VOCABULARY * FAKE_WIDTH);
}
static float *kvAt(const AdzeStep *step, int64_t slot) {
  int64_t page = slot / FAKE_PAGE, place = slot % FAKE_PAGE;
  return (float *)(step->kv + page * FAKE_PAGE_BYTES) + place * FAKE_WIDTH;
}

/* Kernel 0: K and V of each token. A block is a token. */
static int64_t appendBlocks(const void *a) { return ((const struct Arguments *)a)->step.tokens; }
static void append(const void *a, int64_t first, int64_t last) {
  const AdzeStep *step = &((const struct Arguments *)a)->step;
  for (int64_t t = first; t < last; ++t) {
    const float *row = mixOf(step) + (int64_t)step->token[t] * FAKE_WIDTH;
    float *kv = kvAt(step, step->kv_slot[t]);
    for (int i = 0; i < FAKE_WIDTH; ++i)
      kv[i] = row[i] * (1.0f + 0.01f * (float)((step->position[t] * (i + 3)) % 17));
  }
}

/* Kernel 1: reads all tokens up to its own through the page list. A block is a row of output. */
static int64_t rowBlocks(const void *a) { return ((const struct Arguments *)a)->step.output_rows; }
static void attend(const void *a, int64_t first, int64_t last) {
  const struct Arguments *arguments = a;
  const AdzeStep *step = &arguments->step;
  for (int64_t r = first; r < last; ++r) {
    int32_t t = step->output_row[r], b = step->request[t];
    float *hidden = arguments->hidden + r * FAKE_WIDTH;
    for (int i = 0; i < FAKE_WIDTH; ++i)
      hidden[i] = 0;
    for (int32_t p = 0; p <= step->position[t]; ++p) {
      int64_t page = step->pages[step->page_start[b] + p / FAKE_PAGE];
      const float *kv = kvAt(step, page * FAKE_PAGE + p % FAKE_PAGE);
      for (int i = 0; i < FAKE_WIDTH; ++i)
        hidden[i] = 0.75f * hidden[(i + 1) % FAKE_WIDTH] + kv[i];
    }
  }
}

/* Kernel 2: logits. A block is a row of output. */
static void project(const void *a, int64_t first, int64_t last) {
  const struct Arguments *arguments = a;
  const AdzeStep *step = &arguments->step;
  for (int64_t r = first; r < last; ++r) {
    const float *hidden = arguments->hidden + r * FAKE_WIDTH;
    float *logits = arguments->logits + r * FAKE_VOCABULARY;
    int32_t token = step->token[step->output_row[r]];
    for (int v = 0; v < FAKE_VOCABULARY; ++v) {
      float sum = 0;
      for (int i = 0; i < FAKE_WIDTH; ++i)
        sum += hidden[i] * mixOf(step)[v * FAKE_WIDTH + i];
      logits[v] = v < FAKE_LEGAL ? sum : 1e6f;
    }
    if (nextOf(step)[token] >= 0)
      logits[nextOf(step)[token]] = 1000.0f;
    if (token == FAKE_POISON)
      logits[5] = __builtin_nanf("");
  }
}

#ifdef FAKE_CHOOSES
/* Kernel 3: the best legal token of a row, or -1 where a legal logit is not finite. A block is a row of output. */
static void choose(const void *a, int64_t first, int64_t last) {
  const struct Arguments *arguments = a;
  for (int64_t r = first; r < last; ++r) {
    const float *logits = arguments->logits + r * FAKE_VOCABULARY;
    int32_t best = 0, finite = 1;
    for (int32_t v = 0; v < FAKE_LEGAL; ++v) {
      finite &= logits[v] - logits[v] == 0;
      best = logits[v] > logits[best] ? v : best;
    }
    arguments->best[r] = finite ? best : -1;
  }
}
#endif

#ifdef FAKE_ON_GPU
#define ON_CPU(entry) (0 ? (entry) : 0) /* used, says the compiler, and null */
#else
#define ON_CPU(entry) entry
#endif
static const AdzeKernel kernels[] = {{"append", "kv_append", ON_CPU(append), appendBlocks},
                                     {"attend", "attention", ON_CPU(attend), rowBlocks},
                                     {"project", "linear", ON_CPU(project), rowBlocks},
#ifdef FAKE_CHOOSES
                                     {"choose", "best_token", ON_CPU(choose), rowBlocks}
#endif
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]), CHOICE_SLOT = KERNELS > 3 ? 2 : -1 };

#ifndef FAKE_ON_GPU
/* The rules of a step, numbered. */
static int32_t brokenRule(const AdzeStep *s) {
  int32_t rows = 0;
  if (s->tokens < 1 || s->requests < 1 || s->output_rows > s->tokens)
    return 101;
  if (((uintptr_t)s->weights | (uintptr_t)s->arena) % 256 != 0)
    return 102;
  if (s->query_start[0] != 0 || s->query_start[s->requests] != s->tokens || s->page_start[0] != 0)
    return 103;
  for (int32_t b = 0; b < s->requests; ++b) {
    int32_t first = s->query_start[b], end = s->query_start[b + 1];
    int32_t pages = s->page_start[b + 1] - s->page_start[b];
    if (first >= end)
      return 104;
    if (s->kv_length[b] != s->position[end - 1] + 1 || pages * FAKE_PAGE < s->kv_length[b] || s->prompt_length[b] < 1)
      return 105;
    for (int32_t t = first; t < end; ++t) {
      if (s->request[t] != b || s->position[t] != s->position[first] + (t - first))
        return 106;
      int64_t page = s->pages[s->page_start[b] + s->position[t] / FAKE_PAGE];
      if (s->kv_slot[t] != page * FAKE_PAGE + s->position[t] % FAKE_PAGE)
        return 107;
      if (s->token[t] < 0 || s->token[t] >= FAKE_LEGAL)
        return 108;
    }
  }
  for (; rows < s->output_rows; ++rows)
    if (s->output_row[rows] < 0 || s->output_row[rows] >= s->tokens ||
        (rows && s->output_row[rows] <= s->output_row[rows - 1]))
      return 109;
  for (int64_t t = 0; t < s->tokens; ++t)
    if (s->token[t] == FAKE_STOP_STEP)
      return 7;
  return 0;
}
#endif

static int32_t step(const AdzeStep *s, const AdzeServices *services) {
  int32_t rule = services->version == ADZE_PROGRAM_VERSION ? 0 : 100;
#ifndef FAKE_ON_GPU
  rule = rule ? rule : brokenRule(s);
#endif
  if (rule)
    return rule;
  struct Arguments arguments = {*s, (float *)(s->arena + s->slot_offset[0]), (float *)(s->arena + s->slot_offset[1]),
                                CHOICE_SLOT < 0 ? 0 : (int32_t *)(s->arena + s->slot_offset[CHOICE_SLOT])};
  for (uint32_t kernel = 0; kernel < KERNELS; ++kernel) {
    int32_t code = services->launch(services->context, kernel, &arguments);
    if (code)
      return code;
  }
  return 0;
}

static const AdzeProgram program = {ADZE_PROGRAM_VERSION, KERNELS, kernels, KERNELS - 1, 1, CHOICE_SLOT, step};

__attribute__((visibility("default"))) const AdzeProgram *adze_program(void) { return &program; }

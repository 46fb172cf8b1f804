/* Program.h: the binary interface between a generated program and the runtime.
 *
 * Plain C, versioned, free to change with each release: an artifact names the version it was made for and the runtime
 * refuses any other. The program is freestanding: it has no undefined symbol and reaches the runtime through
 * AdzeServices alone. Nothing here throws; every function returns.
 *
 * Shapes: T tokens of one step (any mix of prompt chunks and single decode tokens), B requests, R rows of logits.
 */
#ifndef ADZE_ABI_PROGRAM_H
#define ADZE_ABI_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADZE_PROGRAM_VERSION 2

/* One step's inputs. All arrays are owned by the caller and live until the step returns. The pointers are addresses as
 * kernels see them: on a GPU the program's host code passes them on and never reads through them, but for slot_offset,
 * which lies in host memory. */
typedef struct AdzeStep {
  int64_t tokens;               /* T */
  int64_t requests;             /* B */
  int64_t output_rows;          /* R */
  const int32_t *token;         /* [T] token ids; tokens of one request are neighbours, requests in order */
  const int32_t *position;      /* [T] position in the request's sequence, from 0 */
  const int32_t *request;       /* [T] index of the request in this step, 0 .. B-1 */
  const int64_t *kv_slot;       /* [T] page * page_tokens + place in the page: where the token's K and V go */
  const int32_t *query_start;   /* [B+1] first token of each request */
  const int32_t *kv_length;     /* [B] tokens of the request that K and V hold after this step */
  const int32_t *prompt_length; /* [B] tokens of the request's prompt: decides the order of sums of a row */
  const int32_t *page_start;    /* [B+1] first entry of each request in pages */
  const int32_t *pages;         /* page numbers */
  const int32_t *output_row;    /* [R] the tokens whose logits are wanted, ascending */
  const uint8_t *weights;       /* the weights section, 256-byte aligned */
  uint8_t *kv;                  /* the pool: page p starts at p * page_bytes of the manifest */
  uint8_t *arena;               /* activations, 256-byte aligned */
  const int64_t *slot_offset;   /* [slots] byte offset of each slot of the memory plan in the arena */
} AdzeStep;

/* Kernel arguments are one packed block of 8-byte words: the pointers of the group's operands and results in order
 * (a batch operand is the nine arrays position .. output_row above, a KV operand is the pool), then T, B, R and the
 * layer as int64_t. An entry runs the blocks [first, last) of its grid; blocks are independent of each other.
 *
 * On a GPU a kernel is a function of the artifact's GPU code instead: the manifest names it in the order of this table,
 * with the threads and the dynamic shared memory of a block. It takes the same block as its one parameter, by value;
 * its grid is one-dimensional. The entry here is then null, and `blocks` is host code as ever. */
typedef void (*AdzeKernelEntry)(const void *arguments, int64_t first, int64_t last);
typedef int64_t (*AdzeKernelBlocks)(const void *arguments);

typedef struct AdzeKernel {
  const char *name;        /* unique in the program */
  const char *family;      /* for example "quantized_linear" */
  AdzeKernelEntry entry;   /* null in a program for a GPU */
  AdzeKernelBlocks blocks; /* size of the grid for these arguments, which it reads as numbers and never follows */
} AdzeKernel;

/* What the runtime does for a program. */
typedef struct AdzeServices {
  uint32_t version; /* ADZE_PROGRAM_VERSION */
  void *context;    /* passed back unchanged */
  /* Runs every block of kernels[kernel] before any block of a later launch. The argument block may be reused when this
   * returns; on a GPU the blocks need not have run by then. Nonzero: the step stops and returns it. */
  int32_t (*launch)(void *context, uint32_t kernel, const void *arguments);
} AdzeServices;

typedef struct AdzeProgram {
  uint32_t version; /* ADZE_PROGRAM_VERSION */
  uint32_t kernel_count;
  const AdzeKernel *kernels;
  uint32_t slot_count;
  uint32_t logits_slot; /* f32 [R, vocabulary rows] after a step */
  int32_t choice_slot;  /* i32 [R] after a step: each row's best legal token, ties to the lowest id, or -1 where a legal
                         * logit is not finite; -1: the program chooses none */
  int32_t (*step)(const AdzeStep *step, const AdzeServices *services);
} AdzeProgram;

/* The one exported symbol of a program. */
const AdzeProgram *adze_program(void);
#define ADZE_PROGRAM_SYMBOL "adze_program"

#ifdef __cplusplus
}
#endif
#endif

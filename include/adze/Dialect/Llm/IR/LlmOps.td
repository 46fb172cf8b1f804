// All ops of the llm dialect, one file for each family.
#ifndef ADZE_DIALECT_LLM_IR_LLMOPS_TD
#define ADZE_DIALECT_LLM_IR_LLMOPS_TD

include "adze/Dialect/Llm/IR/AttentionOps.td"
include "adze/Dialect/Llm/IR/BatchOps.td"
include "adze/Dialect/Llm/IR/ChoiceOps.td"
include "adze/Dialect/Llm/IR/ElementwiseOps.td"
include "adze/Dialect/Llm/IR/EmbeddingOps.td"
include "adze/Dialect/Llm/IR/KernelOps.td"
include "adze/Dialect/Llm/IR/LinearOps.td"
include "adze/Dialect/Llm/IR/NormOps.td"
include "adze/Dialect/Llm/IR/QuantizeOps.td"
include "adze/Dialect/Llm/IR/RopeOps.td"
include "adze/Dialect/Llm/IR/RowOps.td"
include "adze/Dialect/Llm/IR/WeightOps.td"

#endif // ADZE_DIALECT_LLM_IR_LLMOPS_TD

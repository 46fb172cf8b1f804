// What the records of all op families share.
#ifndef ADZE_DIALECT_LLM_IR_LLMBASE_TD
#define ADZE_DIALECT_LLM_IR_LLMBASE_TD

include "adze/Dialect/Llm/IR/LlmInterfaces.td"
include "adze/Dialect/Llm/IR/LlmTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Sizes that verifiers, costs and conversions can compute with: see LlmTraits.h.
def Llm_BoundedShapes : NativeOpTrait<"BoundedShapes"> { let cppNamespace = "::adze::llm"; }

class Llm_Op<string spelling, list<Trait> traits = []>
    : Op<Llm_Dialect, spelling, !listconcat([Llm_BoundedShapes], traits)> {
  let hasVerifier = 1;
}

// An op that computes activations: pure, with a cost.
class Llm_ComputeOp<string spelling, list<Trait> traits = []>
    : Llm_Op<spelling, !listconcat([Pure, DeclareOpInterfaceMethods<Llm_CostModel>], traits)>;

// An op that does not read each operand whole, or moves what is no tensor.
class Llm_RowComputeOp<string spelling, list<Trait> traits = []>
    : Llm_Op<spelling, !listconcat([Pure, DeclareOpInterfaceMethods<Llm_CostModel, ["getBytesMoved"]>], traits)>;

#endif // ADZE_DIALECT_LLM_IR_LLMBASE_TD

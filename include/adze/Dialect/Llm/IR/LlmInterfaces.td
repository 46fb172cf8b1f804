// What passes and tools may ask of an op without knowing which op it is.
#ifndef ADZE_DIALECT_LLM_IR_LLMINTERFACES_TD
#define ADZE_DIALECT_LLM_IR_LLMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Llm_CostModel : OpInterface<"CostModel"> {
  let cppNamespace = "::adze::llm";
  let description = [{
    Bytes that must move and operations that must be done, whatever kernel does it, as affine forms in the sizes of the
    step. Weights count once, activations once for each op that reads or writes them. A group's cost is made by
    `costOfKernel`: the sum of operations, and the bytes of the group's operands and results.
  }];
  let methods = [
    InterfaceMethod<"The cost of this op alone.", "::adze::llm::Cost", "getCost", (ins)>,
    InterfaceMethod<[{
        Bytes that this op moves because of one operand. Most ops read a tensor whole; an op that reads rows of a table,
        or writes to a cache, says so.
      }], "::adze::llm::SizeForm", "getBytesMoved", (ins "::mlir::OpOperand &":$operand), "", [{
        return ::adze::llm::bytesOf(operand.get());
      }]>,
  ];
}

def Llm_ReferenceEval : OpInterface<"ReferenceEval"> {
  let cppNamespace = "::adze::llm";
  let description = [{
    The executable specification of an op: plain loops, f64 inside, results rounded to their element types. Attached by
    `registerReferenceEvaluator` (adze/Dialect/Llm/Reference/Evaluator.h), so that the dialect needs no evaluator.
  }];
  let methods = [
    InterfaceMethod<[{
        Computes the results from the operands, which it may move away; a failure is an op error that has been emitted.
      }], "::mlir::LogicalResult", "evaluate",
      (ins "::llvm::MutableArrayRef<::adze::llm::reference::Value>":$operands,
           "::llvm::SmallVectorImpl<::adze::llm::reference::Value> &":$results,
           "::adze::llm::reference::Machine &":$machine)>,
  ];
}

def Llm_Activation : OpInterface<"Activation"> {
  let cppNamespace = "::adze::llm";
  let description = [{
    A function of each element of one operand, as it stands between a gate and the product with what it gates. The
    result has the operand's type. llm-fuse-gate-up and the rule `gate` of llm-form-kernels ask for it, so that a model
    with another activation is fused the same way.
  }];
  let methods = [InterfaceMethod<"What the function is applied to.", "::mlir::Value", "getInput">];
}

#endif // ADZE_DIALECT_LLM_IR_LLMINTERFACES_TD

// ExecDialect.td: the exec dialect, its one type and its one attribute.
#ifndef ADZE_DIALECT_EXEC_IR_EXECDIALECT_TD
#define ADZE_DIALECT_EXEC_IR_EXECDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::adze::exec";
  let summary = "what one step does on a device";
  let description = [{
    A program is the straight line of kernel launches that one step of a model takes, with its layers unrolled. Its
    operands are memory: the arrays of the step, the KV pool, segments of the weights file, and buffers of activations.
    A buffer's size is an affine form of the step's limits, so that a plan made at compile time is exact at run time.

    Nothing here computes; a launch names a kernel and what it reads and writes. Passes of this dialect decide where
    buffers lie and check that the line of launches is sound; `convert-exec-to-llvm` makes native code of it.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Exec_BufferType : TypeDef<Exec_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory that a launch can be given: one pointer of its argument block";
}

def Exec_FormAttr : AttrDef<Exec_Dialect, "Form"> {
  let mnemonic = "form";
  let summary = "a whole number that is affine in the numbers of a step";
  let description = [{
    A sum of terms, each a number and at most one of

    | letter | meaning |
    |---|---|
    | `T` | tokens of the step |
    | `B` | requests of the step |
    | `R` | rows of logits |
    | `K` | sum of the kv lengths of the requests (costs only) |
    | `V` | sum over tokens of the keys that each may see (costs only) |

    and, in sizes, a factor `P`, the pages of a request at the context limit: ceil(C / page). Sizes are bytes; an
    operation is one multiplication or addition.

    Example: `#exec.form<256 + 2304 T + 4 P B>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$coefficients);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where each coefficient stands: the plain terms, then those with the factor P.
    enum Term : unsigned {
      Constant, Tokens, Requests, Rows, KvLengths, VisiblePairs,
      Pages, PagesTokens, PagesRequests, PagesRows, TermCount
    };
    int64_t term(Term which) const { return getCoefficients()[which]; }
    /// True when no K, V term is there: the form may be a size.
    bool isSize() const { return term(KvLengths) == 0 && term(VisiblePairs) == 0; }
    /// True when every coefficient is at least the other's: then so is the form, whatever the limits are.
    bool dominates(FormAttr other) const;
    /// The value for these numbers, as a double: for choices and reports, never for an offset.
    double estimate(double t, double b, double r, double kv, double pairs, double pages) const;
  }];
}

#endif

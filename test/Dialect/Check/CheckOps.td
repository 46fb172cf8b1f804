// The check dialect: expectations about values, for tests only. No product library knows it.
#ifndef ADZE_TEST_DIALECT_CHECK_CHECKOPS_TD
#define ADZE_TEST_DIALECT_CHECK_CHECKOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::adze::check";
  let summary = "Expectations about values, for tests only.";
}

class Check_Op<string spelling, list<Trait> traits = []>
    : Op<Check_Dialect, spelling, !listconcat([DeclareOpInterfaceMethods<Llm_ReferenceEval>], traits)>;

def Check_Tensor : RankedTensorOf<[F32, F16, BF16, I1, I<4>, I8, I32, I64, Index]>;

def Check_ExpectEqOp : Check_Op<"expect_eq", [AllTypesMatch<["value", "expected"]>]> {
  let summary = "Fails unless every element is the expected one; NaN equals NaN, -0 equals 0.";
  let description = [{
    ```mlir
    check.expect_eq %codes, dense<[[1, -127]]> : tensor<1x2xi8>
    ```
  }];
  let arguments = (ins Check_Tensor:$value, TypedAttrInterface:$expected);
  let assemblyFormat = "$value `,` $expected attr-dict";
}

def Check_ExpectAlmostEqOp : Check_Op<"expect_almost_eq", [AllTypesMatch<["value", "expected"]>]> {
  let summary = "Fails unless every element x is within tolerance * max(1, |expected|) of the expected one.";
  let description = [{
    NaN is expected and found only together; so are infinities.

    ```mlir
    check.expect_almost_eq %y, dense<[[0.5, 2.0]]> : tensor<1x2xf32> within 1.0e-6
    ```
  }];
  let arguments = (ins Check_Tensor:$value, TypedAttrInterface:$expected, F64Attr:$tolerance);
  let assemblyFormat = "$value `,` $expected `within` $tolerance attr-dict";
}

def Check_EmptyKvOp : Check_Op<"empty_kv"> {
  let summary = "A cache of some pages that holds NaN, so that a read of what nobody wrote shows.";
  let description = [{
    ```mlir
    %kv = check.empty_kv pages 2 : !llm.kv<...>
    ```
  }];
  let arguments = (ins I64Attr:$pages);
  let results = (outs Llm_KvType:$result);
  let assemblyFormat = "`pages` $pages attr-dict `:` qualified(type($result))";
}

def Check_ReadKvOp : Check_Op<"read_kv"> {
  let summary = "K and V of one slot of one layer, [heads, dim] each.";
  let description = [{
    ```mlir
    %k, %v = check.read_kv %kv layer 0 slot 3 : !llm.kv<...> -> tensor<1x4xf32>
    ```
  }];
  let arguments = (ins Llm_KvType:$kv, I64Attr:$layer, I64Attr:$slot);
  let results = (outs Check_Tensor:$key, Check_Tensor:$value);
  let assemblyFormat = [{
    $kv `layer` $layer `slot` $slot attr-dict `:` qualified(type($kv)) `->` type($key) `,` type($value)
  }];
}

#endif // ADZE_TEST_DIALECT_CHECK_CHECKOPS_TD

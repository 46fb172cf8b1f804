// Kernels of rows for each GPU, thread by thread on its model: norms of one chunk and of several, of odd widths, groups
// quantized, elementwise work, columns and rows that are copied, embeddings, rotations and the cache.
//
// RUN: kernel-check %s --numerics=none --target=sm_80
// RUN: kernel-check %s --numerics=none --target=sm_89 --batch=1:1:1
// RUN: kernel-check %s --numerics=none --target=sm_90a --rules=none

llm.weight @row : tensor<203xf32> {
  %0 = arith.constant dense<1.0> : tensor<203xf32>
  llm.yield %0 : tensor<203xf32>
}
llm.weight @wide : tensor<2112xf32> {
  %0 = arith.constant dense<1.0> : tensor<2112xf32>
  llm.yield %0 : tensor<2112xf32>
}
llm.weight @frequency : tensor<16xf32> {
  %0 = arith.constant dense<1.0> : tensor<16xf32>
  llm.yield %0 : tensor<16xf32>
}
llm.weight @table : tensor<50x96xbf16> {
  %0 = arith.constant dense<1.0> : tensor<50x96xbf16>
  llm.yield %0 : tensor<50x96xbf16>
}

func.func @norms_rows_of_an_odd_width(%x: tensor<?x203xf32>) -> tensor<?x203xf32> {
  %w = llm.get_weight @row : tensor<203xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x203xf32>, tensor<203xf32>
  return %y : tensor<?x203xf32>
}

func.func @norms_rows_of_several_chunks(%x: tensor<?x2112xbf16>) -> tensor<?x2112xbf16> {
  %w = llm.get_weight @wide : tensor<2112xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x2112xbf16>, tensor<2112xf32>
  return %y : tensor<?x2112xbf16>
}

func.func @quantizes_rows_whole(%x: tensor<?x203xf32>) -> (tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>) {
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x203xf32> -> tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return %q, %s, %u : tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
}

func.func @quantizes_groups_of_bf16(%x: tensor<?x96xbf16>) -> (tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %q, %s, %u = llm.quantize %x group 32 : tensor<?x96xbf16> -> tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>
  return %q, %s, %u : tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>
}

func.func @activates_and_adds(%x: tensor<?x70xbf16>, %y: tensor<?x70xbf16>) -> tensor<?x70xbf16> {
  %a = llm.silu %x : tensor<?x70xbf16>
  %b = llm.mul %a, %y : tensor<?x70xbf16>
  %c = llm.add %b, %x : tensor<?x70xbf16>
  return %c : tensor<?x70xbf16>
}

func.func @copies_columns_and_rows(%x: tensor<?x96xbf16>, %batch: !llm.batch) -> (tensor<?x33xbf16>, tensor<?x96xbf16>) {
  %s = llm.slice_columns %x offset 31 size 33 : tensor<?x96xbf16> -> tensor<?x33xbf16>
  %g = llm.gather_rows %x, %batch : tensor<?x96xbf16> -> tensor<?x96xbf16>
  return %s, %g : tensor<?x33xbf16>, tensor<?x96xbf16>
}

func.func @takes_rows_of_a_table(%token: tensor<?xi32>) -> tensor<?x96xf32> {
  %t = llm.get_weight @table : tensor<50x96xbf16>
  %y = llm.embedding %token, %t : tensor<?xi32>, tensor<50x96xbf16> -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

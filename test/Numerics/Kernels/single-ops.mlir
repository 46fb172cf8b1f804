// Ops and types that the steps beside this file do not meet: rows quantized whole, float weights of other types, columns
// that are copied, norms of heads with an odd width, rows gathered alone, values rounded at each op.
//
// RUN: kernel-check %s --numerics=none --batch=3:3:3,1:70:5,7:20:20 --batch=13:13:13
// RUN: kernel-check %s --numerics=none --rules=none --batch=1:1:1

llm.weight @half : tensor<21x36xf16> {
  %0 = arith.constant dense<1.0> : tensor<21x36xf16>
  llm.yield %0 : tensor<21x36xf16>
}
llm.weight @brain : tensor<21x36xbf16> {
  %0 = arith.constant dense<1.0> : tensor<21x36xbf16>
  llm.yield %0 : tensor<21x36xbf16>
}
llm.weight @bias : tensor<21xbf16> {
  %0 = arith.constant dense<1.0> : tensor<21xbf16>
  llm.yield %0 : tensor<21xbf16>
}
llm.weight @head : tensor<7xf16> {
  %0 = arith.constant dense<1.0> : tensor<7xf16>
  llm.yield %0 : tensor<7xf16>
}
llm.weight @row : tensor<203xf32> {
  %0 = arith.constant dense<1.0> : tensor<203xf32>
  llm.yield %0 : tensor<203xf32>
}
llm.weight @codes : tensor<40x64xi4> {
  %0 = arith.constant dense<1> : tensor<40x64xi4>
  llm.yield %0 : tensor<40x64xi4>
}
llm.weight @scales : tensor<40x4xf32> {
  %0 = arith.constant dense<1.0> : tensor<40x4xf32>
  llm.yield %0 : tensor<40x4xf32>
}

func.func @quantizes_rows_whole(%x: tensor<?x203xf32>) -> (tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>) {
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x203xf32> -> tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return %q, %s, %u : tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
}

func.func @norms_and_quantizes_rows_whole(%x: tensor<?x203xf32>) -> (tensor<?x203xi8>, tensor<?x1xf32>) {
  %w = llm.get_weight @row : tensor<203xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x203xf32>, tensor<203xf32>
  %q, %s, %u = llm.quantize %y group 0 : tensor<?x203xf32> -> tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return %q, %s : tensor<?x203xi8>, tensor<?x1xf32>
}

func.func @quantizes_groups_of_bf16(%x: tensor<?x48xbf16>) -> (tensor<?x48xi8>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %q, %s, %u = llm.quantize %x group 16 : tensor<?x48xbf16> -> tensor<?x48xi8>, tensor<?x3xf32>, tensor<?x3xi32>
  return %q, %s, %u : tensor<?x48xi8>, tensor<?x3xf32>, tensor<?x3xi32>
}

func.func @multiplies_codes_of_symmetric_groups_with_rows_quantized_whole(%x: tensor<?x64xf32>) -> tensor<?x40xf32> {
  %c = llm.get_weight @codes : tensor<40x64xi4>
  %s = llm.get_weight @scales : tensor<40x4xf32>
  %q, %a, %u = llm.quantize %x group 0 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  %y = llm.quantized_linear %q scaled %a sum %u, %c, %s scheme symmetric group 16
      : (tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>, tensor<40x64xi4>, tensor<40x4xf32>) -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

func.func @multiplies_weights_of_other_types(%x: tensor<?x36xf32>, %z: tensor<?x36xbf16>)
    -> (tensor<?x21xf32>, tensor<?x21xf32>, tensor<?x21xbf16>) {
  %h = llm.get_weight @half : tensor<21x36xf16>
  %b = llm.get_weight @brain : tensor<21x36xbf16>
  %c = llm.get_weight @bias : tensor<21xbf16>
  %0 = llm.linear %x, %h bias %c : (tensor<?x36xf32>, tensor<21x36xf16>, tensor<21xbf16>) -> tensor<?x21xf32>
  %1 = llm.linear %x, %b : (tensor<?x36xf32>, tensor<21x36xbf16>) -> tensor<?x21xf32>
  %2 = llm.linear %z, %b : (tensor<?x36xbf16>, tensor<21x36xbf16>) -> tensor<?x21xbf16>
  return %0, %1, %2 : tensor<?x21xf32>, tensor<?x21xf32>, tensor<?x21xbf16>
}

func.func @norms_heads_of_odd_width(%x: tensor<?x35xf32>) -> tensor<?x35xf32> {
  %w = llm.get_weight @head : tensor<7xf16>
  %y = llm.rms_norm %x, %w epsilon 1.0e-06 : tensor<?x35xf32>, tensor<7xf16>
  return %y : tensor<?x35xf32>
}

func.func @copies_columns_and_rows(%x: tensor<?x96xbf16>, %batch: !llm.batch) -> (tensor<?x33xbf16>, tensor<?x96xbf16>) {
  %s = llm.slice_columns %x offset 31 size 33 : tensor<?x96xbf16> -> tensor<?x33xbf16>
  %g = llm.gather_rows %x, %batch : tensor<?x96xbf16> -> tensor<?x96xbf16>
  return %s, %g : tensor<?x33xbf16>, tensor<?x96xbf16>
}

func.func @rounds_at_each_op(%x: tensor<?x70xbf16>, %y: tensor<?x70xbf16>) -> tensor<?x70xbf16> {
  %0 = llm.silu %x : tensor<?x70xbf16>
  %1 = llm.mul %0, %y : tensor<?x70xbf16>
  %2 = llm.add %1, %x : tensor<?x70xbf16>
  return %2 : tensor<?x70xbf16>
}

func.func @chooses_the_best_token_beside_other_work(%x: tensor<?x203xf32>) -> (tensor<?x1xi32>, tensor<?x203xf32>) {
  %b = llm.best_token %x legal 150 : tensor<?x203xf32> -> tensor<?x1xi32>
  %y = llm.silu %x : tensor<?x203xf32>
  return %b, %y : tensor<?x1xi32>, tensor<?x203xf32>
}

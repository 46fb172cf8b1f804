// Fault B24: int8 at its ends. A row of zeros has the scale 0 and gives exact zeros, not NaN; sums of products of the
// largest codes do not saturate on the way; weights of -128 are not negated. Every level gives the reference's sums.
//
// RUN: kernel-check %s --numerics=a8 --edges --target=all --batch=5:5:5 --batch=1:1:1@5 --batch=1:1:1 --batch=1:1:1@2 --batch=37:37:37@3

llm.weight @eight.codes : tensor<48x64xi8> {
  %0 = arith.constant dense<1> : tensor<48x64xi8>
  llm.yield %0 : tensor<48x64xi8>
}
llm.weight @eight.scales : tensor<48x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x2xf16>
  llm.yield %0 : tensor<48x2xf16>
}
llm.weight @four.codes : tensor<48x64xi4> {
  %0 = arith.constant dense<1> : tensor<48x64xi4>
  llm.yield %0 : tensor<48x64xi4>
}
llm.weight @four.scales : tensor<48x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x2xf16>
  llm.yield %0 : tensor<48x2xf16>
}
llm.weight @four.offsets : tensor<48x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x2xf16>
  llm.yield %0 : tensor<48x2xf16>
}
llm.weight @six.codes : tensor<48x256xi8> {
  %0 = arith.constant dense<1> : tensor<48x256xi8>
  llm.yield %0 : tensor<48x256xi8>
}
llm.weight @six.scales : tensor<48x16xi8> {
  %0 = arith.constant dense<1> : tensor<48x16xi8>
  llm.yield %0 : tensor<48x16xi8>
}
llm.weight @six.outer : tensor<48x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x1xf16>
  llm.yield %0 : tensor<48x1xf16>
}

func.func @multiplies_codes_from_minus_128(%x: tensor<?x64xf32>) -> tensor<?x48xf32> {
  %c = llm.get_weight @eight.codes : tensor<48x64xi8>
  %s = llm.get_weight @eight.scales : tensor<48x2xf16>
  %y = llm.quantized_linear %x, %c, %s scheme symmetric group 32 : (tensor<?x64xf32>, tensor<48x64xi8>, tensor<48x2xf16>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

func.func @multiplies_four_bits_from_an_offset(%x: tensor<?x64xf32>) -> tensor<?x48xf32> {
  %c = llm.get_weight @four.codes : tensor<48x64xi4>
  %s = llm.get_weight @four.scales : tensor<48x2xf16>
  %o = llm.get_weight @four.offsets : tensor<48x2xf16>
  %y = llm.quantized_linear %x, %c, %s offsets %o scheme affine group 32 : (tensor<?x64xf32>, tensor<48x64xi4>, tensor<48x2xf16>, tensor<48x2xf16>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

func.func @multiplies_four_bits_around_a_zero_point(%x: tensor<?x64xf32>) -> tensor<?x48xf32> {
  %c = llm.get_weight @four.codes : tensor<48x64xi4>
  %s = llm.get_weight @four.scales : tensor<48x2xf16>
  %y = llm.quantized_linear %x, %c, %s scheme zero_point group 32 : (tensor<?x64xf32>, tensor<48x64xi4>, tensor<48x2xf16>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

func.func @multiplies_scaled_scales(%x: tensor<?x256xf32>) -> tensor<?x48xf32> {
  %c = llm.get_weight @six.codes : tensor<48x256xi8>
  %s = llm.get_weight @six.scales : tensor<48x16xi8>
  %o = llm.get_weight @six.outer : tensor<48x1xf16>
  %y = llm.quantized_linear %x, %c, %s outer %o scheme symmetric group 16 : (tensor<?x256xf32>, tensor<48x256xi8>, tensor<48x16xi8>, tensor<48x1xf16>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

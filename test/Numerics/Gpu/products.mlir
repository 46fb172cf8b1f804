// Products whose loops over the depth copy their operands ahead, thread by thread on the model of each GPU: of one token
// and of as many as each row of the schedule serves, of outputs and depths that no tile divides, gated, with a bias.
//
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=sm_80
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=sm_89 --batch=1:1:1
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=sm_90a --batch=20:20:20,1:9:9
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=sm_80 --batch=65:65:65,5:5:5
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=sm_89 --batch=130:130:130 --rules=none

llm.weight @wide : tensor<256x288xbf16> {
  %0 = arith.constant dense<1.0> : tensor<256x288xbf16>
  llm.yield %0 : tensor<256x288xbf16>
}
llm.weight @bias : tensor<256xf32> {
  %0 = arith.constant dense<1.0> : tensor<256xf32>
  llm.yield %0 : tensor<256xf32>
}
llm.weight @narrow : tensor<72x300xbf16> {
  %0 = arith.constant dense<1.0> : tensor<72x300xbf16>
  llm.yield %0 : tensor<72x300xbf16>
}
llm.weight @gated : tensor<256x640xbf16> {
  %0 = arith.constant dense<1.0> : tensor<256x640xbf16>
  llm.yield %0 : tensor<256x640xbf16>
}

func.func @adds_a_bias(%x: tensor<?x288xbf16>) -> tensor<?x256xf32> {
  %w = llm.get_weight @wide : tensor<256x288xbf16>
  %b = llm.get_weight @bias : tensor<256xf32>
  %y = llm.linear %x, %w bias %b : (tensor<?x288xbf16>, tensor<256x288xbf16>, tensor<256xf32>) -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @has_outputs_and_a_depth_that_no_tile_divides(%x: tensor<?x300xbf16>) -> tensor<?x72xbf16> {
  %w = llm.get_weight @narrow : tensor<72x300xbf16>
  %y = llm.linear %x, %w : (tensor<?x300xbf16>, tensor<72x300xbf16>) -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

func.func @gates_one_half_by_the_other(%x: tensor<?x640xbf16>) -> tensor<?x128xbf16> {
  %w = llm.get_weight @gated : tensor<256x640xbf16>
  %y = llm.linear %x, %w : (tensor<?x640xbf16>, tensor<256x640xbf16>) -> tensor<?x256xbf16>
  %g = llm.slice_columns %y offset 0 size 128 : tensor<?x256xbf16> -> tensor<?x128xbf16>
  %u = llm.slice_columns %y offset 128 size 128 : tensor<?x256xbf16> -> tensor<?x128xbf16>
  %s = llm.silu %g : tensor<?x128xbf16>
  %m = llm.mul %s, %u : tensor<?x128xbf16>
  return %m : tensor<?x128xbf16>
}

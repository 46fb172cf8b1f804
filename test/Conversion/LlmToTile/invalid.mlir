// RUN: adze-opt %s --llm-choose-schedules --convert-llm-to-tile --split-input-file --verify-diagnostics

func.func @names_an_op_without_builder(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>) attributes {rows = "T"} {
    // expected-error @below {{cannot become a kernel for x86-64-v3: there is no builder for it}}
    %0 = math.tanh %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_two_products(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{cannot become a kernel for x86-64-v3: a kernel has one product or attention, found 2}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %1 = llm.linear %0, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %1 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 15, element = f32, page = 16, keys = dim_token>
func.func @names_the_widths_that_it_takes(%q: tensor<?x15xf32>, %b: !llm.batch, %kv: !kv, %l: index) -> tensor<?x15xf32> {
  %y = llm.kernel family "paged_attention" (%q as %a, %b as %c, %kv as %d, %l as %e : tensor<?x15xf32>, !llm.batch, !kv, index)
      -> (tensor<?x15xf32>) attributes {rows = "T"} {
    // expected-error @below {{heads of 15 columns; even numbers up to 256 are accepted}}
    %0 = llm.paged_attention %a, %d, %e, %c heads 1 scale 1.000000e+00 window 0 : tensor<?x15xf32>, !kv
    llm.yield %0 : tensor<?x15xf32>
  }
  return %y : tensor<?x15xf32>
}

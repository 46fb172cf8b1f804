// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @argument_is_missing(%x: tensor<?x64xf32>) {
  // expected-error @below {{c1: the region has one argument for each operand, of its type}}
  "llm.kernel"(%x) ({
    llm.yield
  }) : (tensor<?x64xf32>) -> ()
  return
}

// -----

func.func @result_of_another_type(%x: tensor<?x64xf32>) {
  // expected-error @below {{c2: the region ends in llm.yield of one value for each result, of its type}}
  %0 = llm.kernel (%x as %a : tensor<?x64xf32>) -> tensor<?x32xf32> {
    llm.yield %a : tensor<?x64xf32>
  }
  return
}

// -----

func.func @family_without_name(%x: tensor<?x64xf32>) {
  // expected-error @below {{c3: the family has a name}}
  %0 = llm.kernel family "" (%x as %a : tensor<?x64xf32>) -> tensor<?x64xf32> {
    llm.yield %a : tensor<?x64xf32>
  }
  return
}

// -----

func.func @kernel_in_a_kernel(%x: tensor<?x64xf32>) {
  %0 = llm.kernel (%x as %a : tensor<?x64xf32>) -> tensor<?x64xf32> {
    // expected-error @below {{c4: there is no kernel inside a kernel}}
    %1 = llm.kernel (%a as %b : tensor<?x64xf32>) -> tensor<?x64xf32> {
      llm.yield %b : tensor<?x64xf32>
    }
    llm.yield %1 : tensor<?x64xf32>
  }
  return
}

// -----

func.func @value_from_outside(%x: tensor<?x64xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = llm.kernel () -> tensor<?x64xf32> {
    // expected-error @below {{using value defined outside the region}}
    %1 = llm.silu %x : tensor<?x64xf32>
    llm.yield %1 : tensor<?x64xf32>
  }
  return
}

// -----

func.func @two_layers(%x: tensor<?x64xf32>, %l: index) {
  // expected-error @below {{c5: a kernel takes one layer at most, found 2}}
  %0 = llm.kernel (%x as %a, %l as %b, %l as %c : tensor<?x64xf32>, index, index) -> tensor<?x64xf32> {
    llm.yield %a : tensor<?x64xf32>
  }
  return
}

// -----

func.func @two_batches(%x: tensor<?x64xf32>, %t: !llm.batch) {
  // expected-error @below {{c5: a kernel takes one batch at most, found 2}}
  %0 = llm.kernel (%x as %a, %t as %b, %t as %c : tensor<?x64xf32>, !llm.batch, !llm.batch) -> tensor<?x64xf32> {
    llm.yield %a : tensor<?x64xf32>
  }
  return
}

// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @gather_changes_columns(%x: tensor<?x64xf32>, %batch: !llm.batch) {
  // expected-error @below {{c1: input and result have one element type and the same static columns}}
  %0 = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x32xf32>
  return
}

// -----

func.func @slice_past_the_end(%x: tensor<?x64xf32>) {
  // expected-error @below {{c1: the columns 40 + 32 lie inside the input}}
  %0 = llm.slice_columns %x offset 40 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  return
}

// -----

func.func @slice_of_another_type(%x: tensor<?x64xf32>) {
  // expected-error @below {{c2: the result has the input's rows and element type and 32 columns}}
  %0 = llm.slice_columns %x offset 0 size 32 : tensor<?x64xf32> -> tensor<?x32xbf16>
  return
}

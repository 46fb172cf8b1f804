// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @more_legal_ids_than_columns(%x: tensor<?x104xf32>) {
  // expected-error @below {{c1: the logits' columns are static and legal is from 1 to their number, found 105 of 'tensor<?x104xf32>'}}
  %0 = llm.best_token %x legal 105 : tensor<?x104xf32> -> tensor<?x1xi32>
  return
}

// -----

func.func @no_legal_id(%x: tensor<?x104xf32>) {
  // expected-error @below {{c1: the logits' columns are static and legal is from 1 to their number, found 0}}
  %0 = llm.best_token %x legal 0 : tensor<?x104xf32> -> tensor<?x1xi32>
  return
}

// -----

func.func @a_vocabulary_that_is_not_known(%x: tensor<?x?xf32>) {
  // expected-error @below {{c1: the logits' columns are static}}
  %0 = llm.best_token %x legal 1 : tensor<?x?xf32> -> tensor<?x1xi32>
  return
}

// -----

func.func @two_tokens_a_row(%x: tensor<3x104xf32>) {
  // expected-error @below {{c2: the result has the logits' rows and one column, found 'tensor<3x2xi32>'}}
  %0 = llm.best_token %x legal 104 : tensor<3x104xf32> -> tensor<3x2xi32>
  return
}

// -----

func.func @other_rows(%x: tensor<3x104xf32>) {
  // expected-error @below {{c2: the result has the logits' rows and one column, found 'tensor<2x1xi32>'}}
  %0 = llm.best_token %x legal 104 : tensor<3x104xf32> -> tensor<2x1xi32>
  return
}

// The best token of rows of random numbers, of numbers that are all equal, zeros of both signs and one giant (--edges), in
// vocabularies of one stretch, of several, of a piece, with padding and without, on each CPU level and each GPU.
//
// RUN: kernel-check %s --numerics=none --batch=3:3:3,1:70:5,7:20:20 --batch=1:1:1
// RUN: kernel-check %s --numerics=none --batch=9:9:9 --batch=1:1:1 --edges
// RUN: kernel-check %s --numerics=none --batch=3:3:3 --target=sm_80
// RUN: kernel-check %s --numerics=none --batch=5:5:5 --edges --target=sm_89
// RUN: kernel-check %s --numerics=none --batch=5:5:5 --edges --target=sm_90a

func.func @of_a_few(%x: tensor<?x7xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 7 : tensor<?x7xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

func.func @of_one(%x: tensor<?x64xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 1 : tensor<?x64xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

func.func @with_padding(%x: tensor<?x203xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 150 : tensor<?x203xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

func.func @of_whole_stretches(%x: tensor<?x16384xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 16384 : tensor<?x16384xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

func.func @of_a_stretch_and_one(%x: tensor<?x8200xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 8193 : tensor<?x8200xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

#include "TileRunner.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace adze;
using namespace adze::test;

/// The whole of K in one dot: the loop over k is the lowering's.
static const char *const kWhole = R"(
func.func @linear(%x: !tile.ptr, %w: !tile.ptr {tile.packed = $PACK}, %y: !tile.ptr,
                  %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "linear"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant $N : index
  %K = arith.constant $K : index
  %X = tile.view %x[%T, %K] : !tile.view<2, f32>
  %W = tile.view %w[%N, %K] {constant, storage = $PACK} : !tile.view<2, f32>
  %Y = tile.view %y[%T, %N] : !tile.view<2, f32>
  tile.grid (%n, %t) = (%N, %T) by [$n, $m] {
    %zero = arith.constant dense<0.0> : tensor<$mx$nxf32>
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<$mx$Kxf32>
    %b = tile.load %W[%n, %c0] : !tile.view<2, f32> -> tensor<$nx$Kxf32>
    %d = tile.dot %a, %b, %zero : tensor<$mx$Kxf32>, tensor<$nx$Kxf32>, tensor<$mx$nxf32>
    tile.store %d, %Y[%t, %n] : tensor<$mx$nxf32>, !tile.view<2, f32>
  }
  return
})";

/// A loop over k in the kernel itself.
static const char *const kLoop = R"(
func.func @linear(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr,
                  %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "linear"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant $N : index
  %K = arith.constant $K : index
  %step = arith.constant 32 : index
  %X = tile.view %x[%T, %K] : !tile.view<2, f32>
  %W = tile.view %w[%N, %K] {constant, storage = $PACK} : !tile.view<2, f32>
  %Y = tile.view %y[%T, %N] : !tile.view<2, f32>
  tile.grid (%n, %t) = (%N, %T) by [$n, $m] {
    %zero = arith.constant dense<0.0> : tensor<$mx$nxf32>
    %d = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> tensor<$mx$nxf32> {
      %a = tile.load %X[%t, %k] : !tile.view<2, f32> -> tensor<$mx32xf32>
      %b = tile.load %W[%n, %k] : !tile.view<2, f32> -> tensor<$nx32xf32>
      %e = tile.dot %a, %b, %acc : tensor<$mx32xf32>, tensor<$nx32xf32>, tensor<$mx$nxf32>
      scf.yield %e : tensor<$mx$nxf32>
    }
    tile.store %d, %Y[%t, %n] : tensor<$mx$nxf32>, !tile.view<2, f32>
  }
  return
})";

static void checkLinear(const char *text, int64_t n, int64_t k, int64_t tileN, int64_t tileM,
                        std::initializer_list<int64_t> tokens) {
  Values values(unsigned(n * 7 + k));
  std::vector<float> weights = values.reals(n * k);
  for (const TargetInfo *target : runnableTargets()) {
    WeightPack pack = *target->weightPack("f32", "data", Numerics::F32);
    auto kernel = TileKernel::compile(fill(text, {{"PACK", storageText(pack)},
                                                  {"N", std::to_string(n)},
                                                  {"K", std::to_string(k)},
                                                  {"n", std::to_string(tileN)},
                                                  {"m", std::to_string(tileM)}}),
                                      "linear", *target);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<uint8_t> w = packed(pack, weights, n, k, 32);
    for (int64_t t : tokens) {
      Buffer<float> x(values.reals(t * k)), y(size_t(t * n));
      kernel->run({x, w, y}, t, 1, 1, 0, 3);
      for (int64_t i = 0; i < t; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum = std::fma(x[i * k + p], weights[j * k + p], sum);
          ASSERT_EQ(y[i * n + j], sum) << target->name() << " T " << t << " at " << i << ", " << j;
        }
    }
  }
}

TEST(LinearKernel, IsOneChainOfFusedMultiplyAddsForEachOutputWhateverTheRows) {
  checkLinear(kWhole, 64, 96, 16, 4, {0, 1, 3, 4, 5, 17});
}

TEST(LinearKernel, LoopsOverK) { checkLinear(kLoop, 64, 96, 16, 4, {1, 3, 4, 5, 17}); }

/// Operands in bf16, sums in f32: one pack for levels with and without pairs of k.
TEST(LinearKernel, MultipliesBf16AsFloatsInTheSameOrder) {
  std::string text = kWhole;
  for (const char *name : {"%x[%T, %K] : !tile.view<2, f32>", "$PACK} : !tile.view<2, f32>",
                           ": !tile.view<2, f32> -> tensor", "$mx$Kxf32", "$nx$Kxf32"})
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(text.find("f32", at), 3, "bf16");
  const int64_t n = 40, k = 70;
  Values values(12);
  std::vector<uint16_t> weights(n * k);
  for (uint16_t &weight : weights)
    weight = toBf16(values.real());
  for (const TargetInfo *target : runnableTargets()) {
    WeightPack pack = *target->weightPack("bf16", "data", Numerics::Bf16);
    auto kernel = TileKernel::compile(
        fill(text, {{"PACK", storageText(pack)}, {"N", "40"}, {"K", "70"}, {"n", "16"}, {"m", "4"}}), "linear",
        *target);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<uint8_t> w = packed(pack, weights, n, k, 16);
    for (int64_t t : {1, 6}) {
      Buffer<uint16_t> x(size_t(t * k));
      Buffer<float> y(size_t(t * n));
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = toBf16(values.real());
      kernel->run({x, w, y}, t);
      for (int64_t i = 0; i < t; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum = std::fma(fromBf16(x[i * k + p]), fromBf16(weights[j * k + p]), sum);
          ASSERT_EQ(y[i * n + j], sum) << target->name() << " T " << t << " at " << i << ", " << j;
        }
    }
  }
}

TEST(LinearKernel, HandlesEdgesOfOutputsAndDepthThatNoTileDivides) {
  checkLinear(kWhole, 40, 70, 16, 4, {1, 5});
  checkLinear(kWhole, 13, 7, 16, 2, {1, 3});
  checkLinear(kWhole, 80, 33, 32, 3, {4});
}

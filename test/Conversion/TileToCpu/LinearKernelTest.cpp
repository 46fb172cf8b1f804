#include "TileRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

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
  for (const TargetInfo *target : testedTargets()) {
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

/// Weights and activations in bf16, sums in f32, [n, k] by tiles of tileN outputs and `tileM` rows.
struct Bf16Linear {
  int64_t n, k, tileN, tileM;
  std::vector<uint16_t> weights, rows;
  Bf16Linear(int64_t n, int64_t k, int64_t tileN, int64_t tileM, int64_t tokens)
      : n(n), k(k), tileN(tileN), tileM(tileM), weights(n * k), rows(tokens * k) {
    Values values(unsigned(12 + k));
    for (uint16_t &weight : weights)
      weight = toBf16(values.real());
    for (uint16_t &element : rows)
      element = toBf16(values.real());
  }
  std::unique_ptr<TileKernel> compile(const TargetInfo &target) const {
    std::string text = kWhole;
    for (const char *name : {"%x[%T, %K] : !tile.view<2, f32>", "$PACK} : !tile.view<2, f32>",
                             ": !tile.view<2, f32> -> tensor", "$mx$Kxf32", "$nx$Kxf32"})
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
        text.replace(text.find("f32", at), 3, "bf16");
    return TileKernel::compile(fill(text, {{"PACK", storageText(*target.weightPack("bf16", "data", Numerics::Bf16))},
                                           {"N", std::to_string(n)},
                                           {"K", std::to_string(k)},
                                           {"n", std::to_string(tileN)},
                                           {"m", std::to_string(tileM)}}),
                               "linear", target);
  }
  /// The rows [first, first + count) of the result.
  Buffer<float> run(const TileKernel &kernel, const TargetInfo &target, int64_t first, int64_t count) const {
    Buffer<uint8_t> w = packed(*target.weightPack("bf16", "data", Numerics::Bf16), weights, n, k, 16);
    Buffer<uint16_t> x(std::vector<uint16_t>(rows.begin() + first * k, rows.begin() + (first + count) * k));
    Buffer<float> y(size_t(count * n));
    kernel.run({x, w, y}, count);
    return y;
  }
};

/// docs/Numerics.md, "Products of bf16": one rounding for each k and for each sum of 32 of them, subnormal numbers
/// count as zero.
static void checkBf16(const Bf16Linear &linear) {
  int64_t n = linear.n, k = linear.k, tokens = int64_t(linear.rows.size()) / k;
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = linear.compile(*target);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<float> y = linear.run(*kernel, *target, 0, tokens);
    for (int64_t i = 0; i < tokens; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float chain = 0;
        double sum = 0, size = 0, tiny = double(k);
        for (int64_t p = 0; p < k; ++p) {
          float a = fromBf16(linear.rows[i * k + p]), b = fromBf16(linear.weights[j * k + p]);
          chain = std::fma(a, b, chain);
          sum += double(a) * b;
          size += std::abs(double(a) * b);
          tiny += std::abs(a) + std::abs(b);
        }
        double roundings = double(k + 2 * ((k + 31) / 32)) * 0x1p-24;
        if (target->has("avx512bf16"))
          ASSERT_NEAR(y[i * n + j], sum, roundings / (1 - roundings) * size + tiny * 0x1p-126)
              << target->name() << " at " << i << ", " << j;
        else
          ASSERT_EQ(y[i * n + j], chain) << target->name() << " at " << i << ", " << j;
      }
    // A row alone, in fours and in sixteens: the same bits.
    for (int64_t count : {1, 4, 7, 16})
      for (int64_t first = 0; first + count <= tokens; first += 5) {
        Buffer<float> part = linear.run(*kernel, *target, first, count);
        ASSERT_EQ(std::memcmp(part.data(), &y[first * n], size_t(count * n) * 4), 0)
            << target->name() << ": " << count << " rows from " << first;
      }
  }
}

TEST(LinearKernel, MultipliesBf16ByTheLevelsInstructionAndARowDoesNotDependOnOthers) {
  checkBf16(Bf16Linear(64, 128, 32, 16, 37));
  checkBf16(Bf16Linear(48, 96, 48, 4, 9));
}

TEST(LinearKernel, MultipliesBf16OfEveryDepthAndWidth) {
  checkBf16(Bf16Linear(40, 70, 16, 4, 6));
  checkBf16(Bf16Linear(13, 33, 32, 16, 21));
  checkBf16(Bf16Linear(80, 31, 80, 16, 17));
}

TEST(LinearKernel, FlushesSubnormalBf16OrNotWithinTheBound) {
  Bf16Linear linear(16, 64, 16, 16, 17);
  for (size_t i = 0; i < linear.rows.size(); i += 3)
    linear.rows[i] = uint16_t(i % 128); // below 2^-126
  for (size_t i = 0; i < linear.weights.size(); i += 5)
    linear.weights[i] = uint16_t(0x8000 | i % 128);
  checkBf16(linear);
}

TEST(LinearKernel, HandlesEdgesOfOutputsAndDepthThatNoTileDivides) {
  checkLinear(kWhole, 40, 70, 16, 4, {1, 5});
  checkLinear(kWhole, 13, 7, 16, 2, {1, 3});
  checkLinear(kWhole, 80, 33, 32, 3, {4});
}

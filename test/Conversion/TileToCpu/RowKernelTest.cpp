#include "TileRunner.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace adze;
using namespace adze::test;

/// RMS norm of whole rows, then int8 quantization with a sum, in one kernel.
static const char *const kNormQuantize = R"(
func.func @norm(%x: !tile.ptr, %w: !tile.ptr, %q: !tile.ptr, %s: !tile.ptr, %sum: !tile.ptr, %z: !tile.ptr,
                %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "rms_norm"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant $N : index
  %X = tile.view %x[%T, %N] : !tile.view<2, f32>
  %W = tile.view %w[%N] {constant} : !tile.view<1, f32>
  %Q = tile.view %q[%T, %N] : !tile.view<2, i8>
  %S = tile.view %s[%T] : !tile.view<1, f32>
  %SUM = tile.view %sum[%T] : !tile.view<1, i32>
  %Z = tile.view %z[%T, %N] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [$m] {
    %v = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<$mx$Nxf32>
    %sq = arith.mulf %v, %v : tensor<$mx$Nxf32>
    %ss = tile.reduce "add" %sq dim 1 : tensor<$mx$Nxf32> -> tensor<$mxf32>
    %n = arith.constant dense<$N.0> : tensor<$mxf32>
    %ms = arith.divf %ss, %n : tensor<$mxf32>
    %eps = arith.constant dense<1.0e-5> : tensor<$mxf32>
    %me = arith.addf %ms, %eps : tensor<$mxf32>
    %rs = math.rsqrt %me : tensor<$mxf32>
    %rb = tile.broadcast %rs dim 1 : tensor<$mxf32> -> tensor<$mx$Nxf32>
    %n1 = arith.mulf %v, %rb : tensor<$mx$Nxf32>
    %g = tile.load %W[%c0] : !tile.view<1, f32> -> tensor<$Nxf32>
    %gb = tile.broadcast %g dim 0 : tensor<$Nxf32> -> tensor<$mx$Nxf32>
    %out = arith.mulf %n1, %gb : tensor<$mx$Nxf32>
    tile.store %out, %Z[%t, %c0] : tensor<$mx$Nxf32>, !tile.view<2, f32>
    %az = math.absf %out : tensor<$mx$Nxf32>
    %am = tile.reduce "max" %az dim 1 : tensor<$mx$Nxf32> -> tensor<$mxf32>
    %c127 = arith.constant dense<127.0> : tensor<$mxf32>
    %one = arith.constant dense<1.0> : tensor<$mxf32>
    %zero = arith.constant dense<0.0> : tensor<$mxf32>
    %scale = arith.divf %am, %c127 : tensor<$mxf32>
    %none = arith.cmpf oeq, %scale, %zero : tensor<$mxf32>
    %inv0 = arith.divf %one, %scale : tensor<$mxf32>
    %inv = arith.select %none, %zero, %inv0 : tensor<$mxi1>, tensor<$mxf32>
    %ib = tile.broadcast %inv dim 1 : tensor<$mxf32> -> tensor<$mx$Nxf32>
    %sc = arith.mulf %out, %ib : tensor<$mx$Nxf32>
    %r = math.roundeven %sc : tensor<$mx$Nxf32>
    %i = arith.fptosi %r : tensor<$mx$Nxf32> to tensor<$mx$Nxi32>
    %total = tile.reduce "add" %i dim 1 : tensor<$mx$Nxi32> -> tensor<$mxi32>
    %q8 = arith.trunci %i : tensor<$mx$Nxi32> to tensor<$mx$Nxi8>
    tile.store %q8, %Q[%t, %c0] : tensor<$mx$Nxi8>, !tile.view<2, i8>
    tile.store %scale, %S[%t] : tensor<$mxf32>, !tile.view<1, f32>
    tile.store %total, %SUM[%t] : tensor<$mxi32>, !tile.view<1, i32>
  }
  return
})";

/// The order of sums that docs/Rationale/Tile.md states.
static float laneSum(const std::vector<float> &values, int64_t lanes) {
  int64_t registers = (int64_t(values.size()) + lanes - 1) / lanes, parts = std::min<int64_t>(4, registers);
  std::vector<std::vector<float>> partial(parts, std::vector<float>(lanes, -0.0f));
  for (int64_t j = 0; j < registers; ++j)
    for (int64_t l = 0; l < lanes; ++l)
      partial[j % parts][l] += size_t(j * lanes + l) < values.size() ? values[j * lanes + l] : -0.0f;
  while (partial.size() > 1) {
    std::vector<std::vector<float>> next;
    for (size_t i = 0; i + 1 < partial.size(); i += 2) {
      next.push_back(partial[i]);
      for (int64_t l = 0; l < lanes; ++l)
        next.back()[l] += partial[i + 1][l];
    }
    if (partial.size() % 2)
      next.push_back(partial.back());
    partial = next;
  }
  for (int64_t half = lanes / 2; half; half /= 2)
    for (int64_t l = 0; l < half; ++l)
      partial[0][l] += partial[0][l + half];
  return partial[0][0];
}

static void checkNorm(int64_t n, int64_t tileM, std::initializer_list<int64_t> tokens) {
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = TileKernel::compile(fill(kNormQuantize, {{"N", std::to_string(n)}, {"m", std::to_string(tileM)}}),
                                      "norm", *target);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Values values(2);
    Buffer<float> w(values.reals(n));
    for (int64_t t : tokens) {
      Buffer<float> x(values.reals(t * n)), s(size_t(t * 1)), z(size_t(t * n));
      Buffer<int8_t> q(size_t(t * n));
      Buffer<int32_t> sum(size_t(t * 1));
      for (int64_t j = 0; j < n; ++j)
        x[j] = t > 1 ? 0 : x[j]; // a row of zeros has scale 0 and codes 0
      kernel->run({x, w, q, s, sum, z}, t);
      for (int64_t i = 0; i < t; ++i) {
        std::vector<float> squares(n);
        for (int64_t j = 0; j < n; ++j)
          squares[j] = x[i * n + j] * x[i * n + j];
        float factor = 1.0f / std::sqrt(laneSum(squares, target->lanes()) / float(n) + 1.0e-5f), top = 0;
        for (int64_t j = 0; j < n; ++j) {
          float value = x[i * n + j] * factor * w[j];
          ASSERT_EQ(z[i * n + j], value) << target->name() << " row " << i << " of " << t << " column " << j;
          top = std::max(top, std::abs(value));
        }
        float scale = top / 127.0f, inverse = scale == 0 ? 0 : 1.0f / scale;
        EXPECT_EQ(s[i], scale);
        int32_t total = 0;
        for (int64_t j = 0; j < n; ++j) {
          int32_t code = int32_t(std::nearbyintf(z[i * n + j] * inverse));
          ASSERT_EQ(q[i * n + j], code) << target->name() << " row " << i << " column " << j;
          total += code;
        }
        EXPECT_EQ(sum[i], total);
      }
    }
  }
}

TEST(RowKernel, NormalisesAndQuantizesWithTheStatedOrderOfSums) {
  checkNorm(576, 1, {1, 3});
  checkNorm(576, 4, {1, 4, 6});
}

TEST(RowKernel, HandlesRowsThatNoRegisterDivides) {
  checkNorm(7, 1, {1, 2});
  checkNorm(100, 2, {1, 3});
  checkNorm(1003, 1, {2});
}

/// The largest of each row: lanes behind a row's end must not take part, not even as zeros.
static const char *const kLargest = R"(
func.func @largest(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "largest"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant $N : index
  %X = tile.view %x[%T, %N] : !tile.view<2, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [1] {
    %v = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<1x$Nxf32>
    %m = tile.reduce "max" %v dim 1 : tensor<1x$Nxf32> -> tensor<1xf32>
    tile.store %m, %Y[%t] : tensor<1xf32>, !tile.view<1, f32>
  }
  return
})";

TEST(RowKernel, FindsTheLargestOfNegativeNumbersInRowsThatNoRegisterDivides) {
  for (int64_t n : {3, 7, 17, 100})
    for (const TargetInfo *target : testedTargets()) {
      auto kernel = TileKernel::compile(fill(kLargest, {{"N", std::to_string(n)}}), "largest", *target);
      ASSERT_TRUE(kernel) << target->name();
      Buffer<float> x(size_t(2 * n)), y(size_t(2));
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t j = 0; j < n; ++j)
          x[i * n + j] = -float(1 + i + (n - j) % n);
      kernel->run({x, y}, 2);
      EXPECT_EQ(y[0], -1.0f) << target->name() << " columns " << n;
      EXPECT_EQ(y[1], -2.0f) << target->name() << " columns " << n;
    }
}

/// Rows of packed tables by a look-up: what an embedding reads.
static const char *const kGather = R"(
func.func @gather(%ids: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "embedding"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant $N : index
  %K = arith.constant $K : index
  %IDS = tile.view %ids[%T] : !tile.view<1, i32>
  %W = tile.view %w[%N, %K] {constant, storage = $PACK} : !tile.view<2, $type>
  %Y = tile.view %y[%T, %K] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [1] {
    %id = tile.lookup %IDS[%t] : !tile.view<1, i32>
    %row = tile.load %W[%id, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, $type> -> tensor<1x$Kx$type>
    $convert
    tile.store %f, %Y[%t, %c0] : tensor<1x$Kxf32>, !tile.view<2, f32>
  }
  return
})";

template <class T>
static void checkGather(const char *encoding, const char *part, const char *type, const char *convert, unsigned bits,
                        int64_t n, int64_t k, int64_t low, int64_t high) {
  Values values(8);
  std::vector<T> table(n * k);
  for (T &value : table)
    value = T(values.integer(low, high));
  for (const TargetInfo *target : testedTargets()) {
    WeightPack pack = *target->weightPack(encoding, part, Numerics::F32);
    std::string text = fill(kGather, {{"convert", convert}, {"PACK", storageText(pack)}, {"type", type}});
    auto kernel =
        TileKernel::compile(fill(text, {{"N", std::to_string(n)}, {"K", std::to_string(k)}}), "gather", *target);
    ASSERT_TRUE(kernel) << target->name();
    Buffer<uint8_t> w = packed(pack, table, n, k, bits);
    Buffer<int32_t> ids(std::vector<int32_t>{0, 5, int32_t(n - 1), 9});
    Buffer<float> y(size_t(4 * k));
    kernel->run({ids, w, y}, 4);
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t j = 0; j < k; ++j)
        ASSERT_EQ(y[t * k + j], float(table[ids[t] * k + j])) << target->name() << " row " << ids[t] << " " << j;
  }
}

TEST(RowKernel, GathersRowsOfPackedTables) {
  checkGather<uint8_t>("q4_1", "codes", "i4", "%f = arith.uitofp %row : tensor<1x$Kxi4> to tensor<1x$Kxf32>", 4, 21,
                       576, 0, 15);
  checkGather<int8_t>("q8_0", "codes", "i8", "%f = arith.sitofp %row : tensor<1x$Kxi8> to tensor<1x$Kxf32>", 8, 21, 96,
                      -128, 127);
  checkGather<int32_t>("f32", "data", "i32", "%f = arith.sitofp %row : tensor<1x$Kxi32> to tensor<1x$Kxf32>", 32, 21,
                       40, -1000, 1000);
}

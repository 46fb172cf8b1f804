#include "TileRunner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace adze;
using namespace adze::test;

static const char *const kHeader = R"(
func.func @linear(%x: !tile.ptr, %xs: !tile.ptr, %xsum: !tile.ptr, %w: !tile.ptr, %s: !tile.ptr, %o: !tile.ptr, %y: !tile.ptr,
                  %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "quantized_linear"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cg = arith.constant $g : index
  %N = arith.constant $N : index
  %K = arith.constant $K : index
  %G = arith.constant $G : index
  %W = tile.view %w[%N, %K] {constant, storage = $PACK} : !tile.view<2, $code>
  %S = tile.view %s[%N, %G] {constant, storage = $SCALE} : !tile.view<2, f16>
  %O = tile.view %o[%N, %G] {constant, storage = $SCALE} : !tile.view<2, f16>
  %Y = tile.view %y[%T, %N] : !tile.view<2, f32>
)";

/// int8 activations with one scale and one sum a group.
static const char *const kInteger = R"(
  %X = tile.view %x[%T, %K] : !tile.view<2, i8>
  %XS = tile.view %xs[%T, %G] : !tile.view<2, f32>
  %XSUM = tile.view %xsum[%T, %G] : !tile.view<2, i32>
  tile.grid (%n, %t) = (%N, %T) by [$n, $m] {
    %none = arith.constant dense<0> : tensor<$mx$nxi32>
    %zero = arith.constant dense<0.0> : tensor<$mx$nxf32>
    %sum = scf.for %i = %c0 to %G step %c1 iter_args(%acc = %zero) -> tensor<$mx$nxf32> {
      %k = arith.muli %i, %cg : index
      %a = tile.load %X[%t, %k] {in_bounds = array<i64: 1>} : !tile.view<2, i8> -> tensor<$mx$gxi8>
      %b = tile.load %W[%n, %k] {in_bounds = array<i64: 1>} : !tile.view<2, $code> -> tensor<$nx$gx$code>
      %d = tile.dot %a, %b, %none$UNSIGNED : tensor<$mx$gxi8>, tensor<$nx$gx$code>, tensor<$mx$nxi32>
      %f = arith.sitofp %d : tensor<$mx$nxi32> to tensor<$mx$nxf32>
      %sh = tile.load %S[%n, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, f16> -> tensor<$nxf16>
      %sw = arith.extf %sh : tensor<$nxf16> to tensor<$nxf32>
      %sb = tile.broadcast %sw dim 0 : tensor<$nxf32> -> tensor<$mx$nxf32>
      %sa = tile.load %XS[%t, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, f32> -> tensor<$mxf32>
      %sab = tile.broadcast %sa dim 1 : tensor<$mxf32> -> tensor<$mx$nxf32>
      %scale = arith.mulf %sb, %sab : tensor<$mx$nxf32>
      %p = math.fma %scale, %f, %acc : tensor<$mx$nxf32>
      %oh = tile.load %O[%n, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, f16> -> tensor<$nxf16>
      %ow = arith.extf %oh : tensor<$nxf16> to tensor<$nxf32>
      %ob = tile.broadcast %ow dim 0 : tensor<$nxf32> -> tensor<$mx$nxf32>
      %shift = arith.mulf %ob, %sab : tensor<$mx$nxf32>
      %xi = tile.load %XSUM[%t, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, i32> -> tensor<$mxi32>
      %xf = arith.sitofp %xi : tensor<$mxi32> to tensor<$mxf32>
      %xb = tile.broadcast %xf dim 1 : tensor<$mxf32> -> tensor<$mx$nxf32>
      %q = math.fma %shift, %xb, %p : tensor<$mx$nxf32>
      scf.yield %q : tensor<$mx$nxf32>
    }
    tile.store %sum, %Y[%t, %n] : tensor<$mx$nxf32>, !tile.view<2, f32>
  }
  return
})";

/// f32 activations times weights formed in the kernel.
static const char *const kFloat = R"(
  %X = tile.view %x[%T, %K] : !tile.view<2, f32>
  tile.grid (%n, %t) = (%N, %T) by [$n, $m] {
    %zero = arith.constant dense<0.0> : tensor<$mx$nxf32>
    %sum = scf.for %i = %c0 to %G step %c1 iter_args(%acc = %zero) -> tensor<$mx$nxf32> {
      %k = arith.muli %i, %cg : index
      %a = tile.load %X[%t, %k] {in_bounds = array<i64: 1>} : !tile.view<2, f32> -> tensor<$mx$gxf32>
      %b = tile.load %W[%n, %k] {in_bounds = array<i64: 1>} : !tile.view<2, $code> -> tensor<$nx$gx$code>
      %f = arith.$toreal %b : tensor<$nx$gx$code> to tensor<$nx$gxf32>
      %sh = tile.load %S[%n, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, f16> -> tensor<$nxf16>
      %sw = arith.extf %sh : tensor<$nxf16> to tensor<$nxf32>
      %sb = tile.broadcast %sw dim 1 : tensor<$nxf32> -> tensor<$nx$gxf32>
      %oh = tile.load %O[%n, %i] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : !tile.view<2, f16> -> tensor<$nxf16>
      %ow = arith.extf %oh : tensor<$nxf16> to tensor<$nxf32>
      %ob = tile.broadcast %ow dim 1 : tensor<$nxf32> -> tensor<$nx$gxf32>
      %p = arith.mulf %f, %sb : tensor<$nx$gxf32>
      %wf = arith.addf %p, %ob : tensor<$nx$gxf32>
      %d = tile.dot %a, %wf, %acc : tensor<$mx$gxf32>, tensor<$nx$gxf32>, tensor<$mx$nxf32>
      scf.yield %d : tensor<$mx$nxf32>
    }
    tile.store %sum, %Y[%t, %n] : tensor<$mx$nxf32>, !tile.view<2, f32>
  }
  return
})";

static float halfToFloat(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, 2);
  return float(half);
}
static uint16_t floatToHalf(float value) {
  _Float16 half = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}

namespace {
struct Weight {
  std::string encoding;
  int64_t n, k, group, low, high;
  std::vector<uint8_t> codes;
  std::vector<uint16_t> scales, offsets;

  Weight(std::string encoding, int64_t n, int64_t k, int64_t group, int64_t low, int64_t high, bool zeros = false)
      : encoding(encoding), n(n), k(k), group(group), low(low), high(high), codes(n * k), scales(n * (k / group)),
        offsets(scales.size()) {
    if (zeros)
      return;
    Values values(unsigned(n + k));
    for (uint8_t &code : codes)
      code = uint8_t(values.integer(low, high));
    codes[0] = uint8_t(low);
    for (int64_t i = 0; i < group; ++i) // the largest sums that a group can have
      codes[i] = uint8_t(low < 0 ? low : high);
    for (uint16_t &scale : scales)
      scale = floatToHalf(values.real());
    for (uint16_t &offset : offsets)
      offset = floatToHalf(values.real());
  }
  unsigned bits() const { return low < 0 ? 8 : 4; }
  int code(int64_t row, int64_t column) const {
    return low < 0 ? int(int8_t(codes[row * k + column])) : codes[row * k + column];
  }
  std::unique_ptr<TileKernel> compile(const char *body, const TargetInfo &target, int64_t tileM, int64_t tileN) const {
    std::string pack = storageText(*target.weightPack(encoding, "codes", Numerics::A8));
    std::string scale = storageText(*target.weightPack(encoding, "scales", Numerics::A8));
    return TileKernel::compile(fill(std::string(kHeader) + body, {{"PACK", pack},
                                                                  {"SCALE", scale},
                                                                  {"UNSIGNED", low < 0 ? "" : " {b_unsigned}"},
                                                                  {"toreal", low < 0 ? "sitofp" : "uitofp"},
                                                                  {"code", bits() == 4 ? "i4" : "i8"},
                                                                  {"N", std::to_string(n)},
                                                                  {"K", std::to_string(k)},
                                                                  {"G", std::to_string(k / group)},
                                                                  {"g", std::to_string(group)},
                                                                  {"n", std::to_string(tileN)},
                                                                  {"m", std::to_string(tileM)}}),
                               "linear", target);
  }
  Buffer<uint8_t> part(const TargetInfo &target, const char *name) const {
    WeightPack pack = *target.weightPack(encoding, name, Numerics::A8);
    if (std::string(name) == "codes")
      return packed(pack, codes, n, k, bits());
    return packed(pack, std::string(name) == "scales" ? scales : offsets, n, k / group, 16);
  }
};
} // namespace

static void checkInteger(const Weight &weight, int64_t tileM, int64_t tileN, std::initializer_list<int64_t> tokens) {
  Values values(5);
  int64_t groups = weight.k / weight.group;
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = weight.compile(kInteger, *target, tileM, tileN);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<uint8_t> w = weight.part(*target, "codes"), s = weight.part(*target, "scales"),
                    o = weight.part(*target, "offsets");
    for (int64_t t : tokens) {
      Buffer<int8_t> x(size_t(t * weight.k));
      Buffer<float> xs(values.reals(t * groups)), y(size_t(t * weight.n));
      Buffer<int32_t> xsum(size_t(t * groups));
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = int8_t(i < size_t(weight.group) ? -127 : values.integer(-127, 127));
      for (size_t i = 0; i < xsum.size(); ++i) {
        xsum[i] = 0;
        for (int64_t j = 0; j < weight.group; ++j)
          xsum[i] += x[i * weight.group + j];
      }
      kernel->run({x, xs, xsum, w, s, o, y}, t, 1, 1, 0, 2);
      for (int64_t i = 0; i < t; ++i)
        for (int64_t j = 0; j < weight.n; ++j) {
          float sum = 0;
          for (int64_t g = 0; g < groups; ++g) {
            int32_t dot = 0;
            for (int64_t p = g * weight.group; p < (g + 1) * weight.group; ++p)
              dot += int32_t(x[i * weight.k + p]) * weight.code(j, p);
            float scale = halfToFloat(weight.scales[j * groups + g]),
                  shift = halfToFloat(weight.offsets[j * groups + g]);
            float own = xs[i * groups + g];
            sum = std::fma(scale * own, float(dot), sum);
            sum = std::fma(shift * own, float(xsum[i * groups + g]), sum);
          }
          ASSERT_EQ(y[i * weight.n + j], sum) << target->name() << " T " << t << " at " << i << ", " << j;
        }
    }
  }
}

static void checkFloat(const Weight &weight, int64_t tileM, int64_t tileN, std::initializer_list<int64_t> tokens) {
  Values values(6);
  int64_t groups = weight.k / weight.group;
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = weight.compile(kFloat, *target, tileM, tileN);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<uint8_t> w = weight.part(*target, "codes"), s = weight.part(*target, "scales"),
                    o = weight.part(*target, "offsets");
    for (int64_t t : tokens) {
      Buffer<float> x(values.reals(t * weight.k)), y(size_t(t * weight.n));
      kernel->run({x, nullptr, nullptr, w, s, o, y}, t);
      for (int64_t i = 0; i < t; ++i)
        for (int64_t j = 0; j < weight.n; ++j) {
          float sum = 0;
          for (int64_t p = 0; p < weight.k; ++p) {
            int64_t g = j * groups + p / weight.group;
            float product = float(weight.code(j, p)) * halfToFloat(weight.scales[g]);
            sum = std::fma(x[i * weight.k + p], product + halfToFloat(weight.offsets[g]), sum);
          }
          ASSERT_EQ(y[i * weight.n + j], sum) << target->name() << " T " << t << " at " << i << ", " << j;
        }
    }
  }
}

TEST(QuantizedKernel, MultipliesFourBitCodesExactlyAndAddsGroupsInOrder) {
  checkInteger(Weight("q4_1", 48, 96, 32, 0, 15), 4, 16, {1, 3, 4, 5, 17});
}

/// From eight rows on tile registers take over, where the level has them; the rest runs by 4 and by 1.
TEST(QuantizedKernel, GivesTheSameSumsForEveryNumberOfRows) {
  checkInteger(Weight("q4_1", 48, 96, 32, 0, 15), 16, 16, {1, 4, 8, 16, 23, 37});
  checkInteger(Weight("q8_0", 32, 96, 32, -128, 127), 16, 16, {1, 16, 21});
  checkInteger(Weight("q6_k", 48, 64, 16, -32, 31), 16, 32, {16, 19});
  checkInteger(Weight("q4_1", 40, 64, 32, 0, 15), 16, 32, {16, 18});
}

/// The int32 sums themselves, at their extremes: every level gives the same numbers as plain integers.
TEST(QuantizedKernel, GivesTheSameInt32SumsAtEveryLevel) {
  const char *text = R"(
func.func @sums(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "quantized_linear"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant 16 : index
  %K = arith.constant 64 : index
  %X = tile.view %x[%T, %K] : !tile.view<2, i8>
  %W = tile.view %w[%N, %K] {constant, storage = $PACK} : !tile.view<2, i8>
  %Y = tile.view %y[%T, %N] : !tile.view<2, i32>
  tile.grid (%n, %t) = (%N, %T) by [16, 16] {
    %none = arith.constant dense<0> : tensor<16x16xi32>
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 1>} : !tile.view<2, i8> -> tensor<16x64xi8>
    %b = tile.load %W[%n, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, i8> -> tensor<16x64xi8>
    %d = tile.dot %a, %b, %none$UNSIGNED : tensor<16x64xi8>, tensor<16x64xi8>, tensor<16x16xi32>
    tile.store %d, %Y[%t, %n] : tensor<16x16xi32>, !tile.view<2, i32>
  }
  return
})";
  for (bool isUnsigned : {false, true})
    for (const TargetInfo *target : testedTargets()) {
      WeightPack pack = *target->weightPack("q8_0", "codes", Numerics::A8);
      auto kernel = TileKernel::compile(
          fill(text, {{"PACK", storageText(pack)}, {"UNSIGNED", isUnsigned ? " {b_unsigned}" : ""}}), "sums", *target);
      ASSERT_TRUE(kernel) << target->name();
      // Outputs: all 255 (or -1), all -128, all 127, then a mixture. Rows: all 127, all -127, all 0, then a mixture.
      Values values(24);
      std::vector<uint8_t> w(16 * 64);
      for (int64_t i = 0; i < 16 * 64; ++i)
        w[i] = i < 64 ? 255 : i < 128 ? 128 : i < 192 ? 127 : uint8_t(values.integer(0, 255));
      Buffer<uint8_t> packedWeights = packed(pack, w, 16, 64, 8);
      for (int64_t t : {1, 5, 16, 37}) {
        Buffer<int8_t> x(size_t(t * 64));
        Buffer<int32_t> y(size_t(t * 16));
        for (int64_t i = 0; i < t * 64; ++i)
          x[i] = int8_t(i < 64 ? 127 : i < 128 ? -127 : i < 192 ? 0 : values.integer(-127, 127));
        kernel->run({x, packedWeights, y}, t);
        for (int64_t i = 0; i < t; ++i)
          for (int64_t j = 0; j < 16; ++j) {
            int32_t sum = 0;
            for (int64_t p = 0; p < 64; ++p)
              sum += x[i * 64 + p] * (isUnsigned ? int32_t(w[j * 64 + p]) : int32_t(int8_t(w[j * 64 + p])));
            ASSERT_EQ(y[i * 16 + j], sum) << target->name() << " T " << t << " at " << i << ", " << j;
          }
      }
    }
}

/// One product over more k than a tile register holds.
TEST(QuantizedKernel, MultipliesGroupsOfAnyLength) {
  checkInteger(Weight("q8_0", 32, 256, 128, -128, 127), 16, 16, {1, 17});
  checkInteger(Weight("q4_1", 32, 128, 64, 0, 15), 16, 16, {1, 16});
  checkInteger(Weight("q4_1", 16, 512, 256, 0, 15), 16, 16, {16});
}

TEST(QuantizedKernel, MultipliesEightBitCodesExactlyFromMinus128) {
  checkInteger(Weight("q8_0", 48, 96, 32, -128, 127), 4, 16, {1, 3, 4, 5});
}

TEST(QuantizedKernel, TakesGroupsOfHalfABlock) { checkInteger(Weight("q6_k", 40, 64, 16, -32, 31), 4, 16, {1, 5}); }

TEST(QuantizedKernel, HandlesOutputsThatNoTileDivides) {
  checkInteger(Weight("q4_1", 40, 64, 32, 0, 15), 4, 16, {1, 6});
  checkInteger(Weight("q4_1", 13, 64, 32, 0, 15), 2, 32, {1, 6});
}

TEST(QuantizedKernel, FormsWeightsForFloatActivationsFromTheSamePack) {
  checkFloat(Weight("q4_1", 48, 96, 32, 0, 15), 4, 16, {1, 3, 5});
  checkFloat(Weight("q8_0", 48, 96, 32, -128, 127), 4, 16, {1, 4});
}

/// Runs `work(part)` on that many threads; the best of some rounds, in seconds.
template <class Work> static double bestOf(int rounds, int threads, Work work) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    auto before = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int part = 1; part < threads; ++part)
      others.emplace_back([&, part] { work(part); });
    work(0);
    for (std::thread &other : others)
      other.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
  return best;
}

/// Not a test of behaviour: prints microseconds a call and bytes a second of the levels that this machine has. The last
/// shape is larger than a cache; what two threads read of it is compared with what they read doing nothing else. Run
/// with --gtest_also_run_disabled_tests.
TEST(QuantizedKernel, DISABLED_MeasuresEveryLevel) {
  for (const TargetInfo *target : testedTargets()) {
    if (!runsHere(*target) && !std::getenv("TILE_KERNELS")) // neither to measure nor to keep
      continue;
    for (auto [n, k] : {std::pair<int64_t, int64_t>{1536, 576}, {576, 1536}, {49152, 576}, {65536, 4096}}) {
      ScheduleRow row = target->scheduleRow({"quantized_linear", "q4_1", Numerics::A8, n, k});
      if (const char *tile = std::getenv("TILE")) // "4x16" measures other tiles than the schedule's
        std::sscanf(tile, "%ldx%ld", &row.tokens, &row.columns);
      bool large = n * k > 100000000;
      Weight weight("q4_1", n, k, 32, 0, 15, true);
      auto kernel = weight.compile(kInteger, *target, row.tokens, row.columns);
      ASSERT_TRUE(kernel);
      if (!runsHere(*target))
        continue;
      Buffer<uint8_t> w = weight.part(*target, "codes"), s = weight.part(*target, "scales"),
                      o = weight.part(*target, "offsets");
      for (int64_t t : {1, 4, 8, 16, 64}) {
        if (large && t > 8)
          continue;
        Buffer<int8_t> x(size_t(t * k));
        Buffer<float> xs(size_t(t * k / 32)), y(size_t(t * n));
        Buffer<int32_t> xsum(size_t(t * k / 32));
        std::memset(x.data(), 1, x.size());
        std::memset(xs.data(), 0, xs.size() * 4);
        std::memset(xsum.data(), 0, xsum.size() * 4);
        for (int threads : {1, 2}) {
          double best = bestOf(large ? 5 : 50, threads, [&](int part) {
            kernel->run({x, xs, xsum, w, s, o, y}, t, 0, 0, 0, threads, part, part + 1);
          });
          std::printf("%-12s n %5lld k %4lld T %2lld threads %d: %8.1f us, %6.2f GB/s of weights, %7.1f GOP/s\n",
                      std::string(target->name()).c_str(), (long long)n, (long long)k, (long long)t, threads,
                      best * 1e6, double(n * k) * 0.625 / best * 1e-9, 2.0 * double(n * k * t) / best * 1e-9);
        }
      }
      if (large)
        for (int threads : {1, 2}) {
          std::atomic<uint64_t> sink = 0;
          double best = bestOf(5, threads, [&](int part) {
            size_t words = w.size() / 8 / 8 * 8, first = words * part / threads, last = words * (part + 1) / threads;
            const auto *at = reinterpret_cast<const uint64_t *>(w.data());
            uint64_t sums[8] = {};
            for (size_t i = first; i + 8 <= last; i += 8)
              for (size_t j = 0; j < 8; ++j)
                sums[j] += at[i + j];
            for (uint64_t sum : sums)
              sink += sum;
          });
          std::printf("%-12s reading alone, threads %d: %6.2f GB/s\n", std::string(target->name()).c_str(), threads,
                      double(w.size()) / best * 1e-9);
        }
    }
  }
}

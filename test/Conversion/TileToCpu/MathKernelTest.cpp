#include "TileRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace adze;
using namespace adze::test;

static const char *const kElementwise = R"(
func.func @apply(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "math"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %X = tile.view %x[%T, %c64] : !tile.view<2, $from>
  %Y = tile.view %y[%T, %c64] : !tile.view<2, $to>
  tile.grid (%t) = (%T) by [1] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, $from> -> tensor<1x64x$from>
    %b = $op %a : tensor<1x64x$from>$arrow
    tile.store %b, %Y[%t, %c0] : tensor<1x64x$to>, !tile.view<2, $to>
  }
  return
})";

static std::unique_ptr<TileKernel> compileApply(const std::string &op, const TargetInfo &target,
                                                const std::string &from = "f32", const std::string &to = "f32") {
  return TileKernel::compile(
      fill(kElementwise,
           {{"op", op}, {"from", from}, {"to", to}, {"arrow", from == to ? "" : " to tensor<1x64x" + to + ">"}}),
      "apply", target);
}

/// Distance in units of the last place of the exact result.
static double ulps(float value, double exact) {
  if (std::isnan(exact))
    return std::isnan(value) ? 0 : 1e9;
  float rounded = float(exact);
  if (std::isinf(rounded))
    return value == rounded ? 0 : 1e9;
  int exponent;
  std::frexp(exact, &exponent);
  double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(double(value) - exact) / unit;
}

static void checkFunction(const std::string &op, const std::function<double(double)> &exact,
                          const std::vector<float> &special, double low, double high, double bound) {
  Values values(3);
  std::vector<float> inputs(special);
  while (inputs.size() < 4096)
    inputs.push_back(float(low + (high - low) * (values.real() + 1) / 2));
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = compileApply("math." + op, *target);
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Buffer<float> x(inputs), y(inputs.size());
    kernel->run({x, y}, int64_t(inputs.size() / 64));
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_LE(ulps(y[i], exact(inputs[i])), bound) << op << "(" << inputs[i] << ") = " << y[i];
  }
}

static const float kInfinity = std::numeric_limits<float>::infinity();
static const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(MathKernel, ExponentialIsExactAtZeroAndMinusInfinity) {
  for (const char *op : {"math.exp", "math.exp2"}) {
    auto kernel = compileApply(op, *testedTargets().front());
    ASSERT_TRUE(kernel);
    Buffer<float> x(std::vector<float>(64, 0.0f)), y(64);
    x[1] = -0.0f;
    x[2] = -kInfinity;
    x[3] = -1e30f;
    kernel->run({x, y}, 1);
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.0f);
    EXPECT_EQ(y[2], 0.0f);
    EXPECT_EQ(y[3], 0.0f);
  }
}

TEST(MathKernel, FunctionsKeepTheirBounds) {
  std::vector<float> special{0.0f, -0.0f, 1.0f, -1.0f, 1e-30f, -1e-30f, kNan};
  auto with = [&](std::vector<float> more) {
    more.insert(more.end(), special.begin(), special.end());
    return more;
  };
  checkFunction(
      "exp", [](double x) { return std::exp(x); }, with({88.7f, 89.0f, 200.0f, kInfinity, -87.5f, -103.5f}), -100, 88,
      1.5);
  checkFunction(
      "exp2", [](double x) { return std::exp2(x); }, with({127.9f, 128.0f, -149.0f, -151.0f}), -140, 127, 1.5);
  checkFunction(
      "tanh", [](double x) { return std::tanh(x); }, with({20.0f, -20.0f, kInfinity, -kInfinity, 1e-4f}), -6, 6, 3);
  checkFunction("sin", [](double x) { return std::sin(x); }, special, -7, 7, 1.6);
  checkFunction("cos", [](double x) { return std::cos(x); }, special, -7, 7, 1.6);
  checkFunction("rsqrt", [](double x) { return 1 / std::sqrt(x); }, {1.0f, 4.0f, 1e-30f, 1e30f}, 0.001, 1000, 1.5);
}

TEST(MathKernel, SineAndCosineHoldAtLargePositions) {
  checkFunction("sin", [](double x) { return std::sin(x); }, {}, 0, 1048576, 1.6);
  checkFunction("cos", [](double x) { return std::cos(x); }, {}, 0, 1048576, 1.6);
}

TEST(MathKernel, RoundsToBf16ToNearestEvenAndKeepsNan) {
  std::vector<float> inputs{1.0f, 1.00390625f, 1.01171875f, kNan, kInfinity, -kInfinity, 3.4e38f, -0.0f, 1e-40f};
  Values values(9);
  while (inputs.size() < 640)
    inputs.push_back(values.real() * 1000);
  for (const TargetInfo *target : testedTargets()) {
    auto down = compileApply("arith.truncf", *target, "f32", "bf16");
    auto up = compileApply("arith.extf", *target, "bf16", "f32");
    ASSERT_TRUE(down && up);
    EXPECT_TRUE(down->undefined.empty()) << down->undefined.front();
    Buffer<float> x(inputs), z(inputs.size());
    Buffer<uint16_t> y(inputs.size());
    down->run({x, y}, 10);
    up->run({y, z}, 10);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (std::isnan(inputs[i]))
        EXPECT_TRUE(std::isnan(z[i]));
      else
        ASSERT_EQ(z[i], fromBf16(toBf16(inputs[i]))) << inputs[i];
    }
  }
}

TEST(MathKernel, ConvertsHalfPrecisionWithoutALibrary) {
  for (const TargetInfo *target : testedTargets()) {
    auto down = compileApply("arith.truncf", *target, "f32", "f16");
    auto up = compileApply("arith.extf", *target, "f16", "f32");
    ASSERT_TRUE(down && up);
    EXPECT_TRUE(down->undefined.empty()) << down->undefined.front();
    EXPECT_TRUE(up->undefined.empty()) << up->undefined.front();
    Values values(11);
    Buffer<float> x(values.reals(64)), z(64);
    Buffer<uint16_t> y(64);
    down->run({x, y}, 1);
    up->run({y, z}, 1);
    for (size_t i = 0; i < 64; ++i)
      ASSERT_EQ(z[i], float(_Float16(x[i])));
  }
}

TEST(MathKernel, RefusesAFunctionThatHasNoGeneratedForm) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(compileApply("math.log", *testedTargets().front()));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("has no generated form"), std::string::npos);
}

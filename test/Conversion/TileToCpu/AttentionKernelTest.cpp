#include "TileRunner.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace adze;
using namespace adze::test;

/// Decode attention over pages: $H query heads of a KV head, keys [dim][token] in a page, values [token][dim].
static const char *const kAttention = R"(
func.func @attend(%q: !tile.ptr, %kv: !tile.ptr, %pages: !tile.ptr, %length: !tile.ptr, %y: !tile.ptr,
                  %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel, tile.family = "paged_attention"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cS = arith.constant $S : index
  %last = arith.constant $L : index
  %G = arith.constant $G : index
  %H = arith.constant $H : index
  %D = arith.constant $D : index
  %P = arith.constant $P : index
  %many = arith.constant 1000000 : index
  %Q = tile.view %q[%T, %G, %H, %D] : !tile.view<4, f32>
  %K = tile.view %kv[%many, %G, %cS, %D] {strides = array<i64: $page, $head, 1, $S>} : !tile.view<4, f32>
  %V = tile.view %kv[%many, %G, %cS, %D] {strides = array<i64: $page, $head, $D, 1>, offset = $value : i64} : !tile.view<4, f32>
  %TABLE = tile.view %pages[%T, %P] : !tile.view<2, i32>
  %LENGTH = tile.view %length[%T] : !tile.view<1, i32>
  %Y = tile.view %y[%T, %G, %H, %D] : !tile.view<4, f32>
  tile.grid (%g, %t) = (%G, %T) by [1, 1] {
    %n = tile.lookup %LENGTH[%t] : !tile.view<1, i32>
    %n1 = arith.addi %n, %last : index
    %count = arith.divui %n1, %cS : index
    %ni = arith.index_cast %n : index to i32
    %len = tile.splat %ni : i32 -> tensor<$Hx$Sxi32>
    %qt = tile.load %Q[%t, %g, %c0, %c0] : !tile.view<4, f32> -> tensor<$Hx$Dxf32>
    %low = arith.constant dense<0xFF800000> : tensor<$Hx$Sxf32>
    %m0 = arith.constant dense<-3.40282347E+38> : tensor<$Hxf32>
    %z0 = arith.constant dense<0.0> : tensor<$Hxf32>
    %s0 = arith.constant dense<0.0> : tensor<$Hx$Sxf32>
    %a0 = arith.constant dense<0.0> : tensor<$Hx$Dxf32>
    %r:3 = scf.for %p = %c0 to %count step %c1 iter_args(%m = %m0, %l = %z0, %acc = %a0) -> (tensor<$Hxf32>, tensor<$Hxf32>, tensor<$Hx$Dxf32>) {
      %page = tile.lookup %TABLE[%t, %p] : !tile.view<2, i32>
      %kt = tile.load %K[%page, %g, %c0, %c0] {in_bounds = array<i64: 0, 1, 2, 3>} : !tile.view<4, f32> -> tensor<$Sx$Dxf32>
      %s1 = tile.dot %qt, %kt, %s0 : tensor<$Hx$Dxf32>, tensor<$Sx$Dxf32>, tensor<$Hx$Sxf32>
      %base = arith.muli %p, %cS : index
      %pos = tile.iota %base dim 1 : tensor<$Hx$Sxi32>
      %ok = arith.cmpi slt, %pos, %len : tensor<$Hx$Sxi32>
      %s = arith.select %ok, %s1, %low : tensor<$Hx$Sxi1>, tensor<$Hx$Sxf32>
      %mx = tile.reduce "max" %s dim 1 : tensor<$Hx$Sxf32> -> tensor<$Hxf32>
      %mn = arith.maximumf %m, %mx : tensor<$Hxf32>
      %mb = tile.broadcast %mn dim 1 : tensor<$Hxf32> -> tensor<$Hx$Sxf32>
      %d = arith.subf %s, %mb : tensor<$Hx$Sxf32>
      %e = math.exp %d : tensor<$Hx$Sxf32>
      %dm = arith.subf %m, %mn : tensor<$Hxf32>
      %corr = math.exp %dm : tensor<$Hxf32>
      %sum = tile.reduce "add" %e dim 1 : tensor<$Hx$Sxf32> -> tensor<$Hxf32>
      %ln = math.fma %l, %corr, %sum : tensor<$Hxf32>
      %vt = tile.load %V[%page, %g, %c0, %c0] {dims = array<i64: 3, 2>, in_bounds = array<i64: 0, 1, 2, 3>} : !tile.view<4, f32> -> tensor<$Dx$Sxf32>
      %cb = tile.broadcast %corr dim 1 : tensor<$Hxf32> -> tensor<$Hx$Dxf32>
      %ac = arith.mulf %acc, %cb : tensor<$Hx$Dxf32>
      %an = tile.dot %e, %vt, %ac : tensor<$Hx$Sxf32>, tensor<$Dx$Sxf32>, tensor<$Hx$Dxf32>
      scf.yield %mn, %ln, %an : tensor<$Hxf32>, tensor<$Hxf32>, tensor<$Hx$Dxf32>
    }
    %lb = tile.broadcast %r#1 dim 1 : tensor<$Hxf32> -> tensor<$Hx$Dxf32>
    %o = arith.divf %r#2, %lb : tensor<$Hx$Dxf32>
    tile.store %o, %Y[%t, %g, %c0, %c0] : tensor<$Hx$Dxf32>, !tile.view<4, f32>
  }
  return
})";

/// heads: query heads of a KV head; groups: KV heads; page: tokens.
static void checkAttention(int64_t heads, int64_t groups, int64_t dim, int64_t page,
                           const std::vector<int32_t> &lengths) {
  int64_t tokens = int64_t(lengths.size()), most = 1;
  for (int32_t length : lengths)
    most = std::max<int64_t>(most, (length + page - 1) / page);
  int64_t headElements = page * dim, pageElements = 2 * groups * headElements;
  for (const TargetInfo *target : testedTargets()) {
    auto kernel = TileKernel::compile(fill(kAttention, {{"page", std::to_string(pageElements)},
                                                        {"head", std::to_string(headElements)},
                                                        {"value", std::to_string(groups * headElements * 4)},
                                                        {"S", std::to_string(page)},
                                                        {"L", std::to_string(page - 1)},
                                                        {"G", std::to_string(groups)},
                                                        {"H", std::to_string(heads)},
                                                        {"D", std::to_string(dim)},
                                                        {"P", std::to_string(most)}}),
                                      "attend", *target);
    ASSERT_TRUE(kernel) << target->name();
    EXPECT_TRUE(kernel->undefined.empty()) << kernel->undefined.front();
    Values values(4);
    int64_t pool = tokens * most;
    Buffer<float> q(values.reals(tokens * groups * heads * dim)), y(q.size()), kv(values.reals(pool * pageElements));
    Buffer<int32_t> table(size_t(tokens * most)), length(lengths);
    for (int64_t i = 0; i < tokens * most; ++i)
      table[i] = int32_t((i * 7 + 3) % pool);
    kernel->run({q, kv, table, length, y}, tokens);
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t h = 0; h < heads; ++h) {
          const float *query = &q[((t * groups + g) * heads + h) * dim];
          std::vector<double> scores(lengths[t]), out(dim, 0);
          double top = -1e300, total = 0;
          auto place = [&](int64_t j) { return table[t * most + j / page] * pageElements + g * headElements; };
          for (int64_t j = 0; j < lengths[t]; ++j) {
            for (int64_t d = 0; d < dim; ++d)
              scores[j] += double(query[d]) * kv[place(j) + d * page + j % page];
            top = std::max(top, scores[j]);
          }
          for (int64_t j = 0; j < lengths[t]; ++j) {
            double weight = std::exp(scores[j] - top);
            total += weight;
            for (int64_t d = 0; d < dim; ++d)
              out[d] += weight * kv[place(j) + groups * headElements + j % page * dim + d];
          }
          for (int64_t d = 0; d < dim; ++d)
            ASSERT_NEAR(y[((t * groups + g) * heads + h) * dim + d], out[d] / total, 1e-5)
                << target->name() << " token " << t << " head " << g << "." << h << " dim " << d;
        }
  }
}

TEST(AttentionKernel, FoldsPagesOfRaggedLengths) { checkAttention(3, 3, 64, 64, {1, 2, 63, 64, 65, 200}); }
TEST(AttentionKernel, TakesHeadWidthsAndRatiosThatNoRegisterDivides) {
  checkAttention(1, 2, 20, 16, {1, 17, 40});
  checkAttention(7, 1, 80, 16, {5, 33});
  checkAttention(16, 1, 96, 32, {40});
}

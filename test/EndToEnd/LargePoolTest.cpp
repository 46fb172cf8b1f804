// B36: offsets into a KV pool of more than 2^31 elements. One sequence on the first pages of the pool and one on the
// last give the same answer, bit for bit. The pool is only mapped: what is not touched takes no memory.
#include "Answers.h"
#include "CompiledModel.h"

#include "adze/Runtime/Device/CpuDevice.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

struct PoolCase {
  const char *name, *options;
};
void PrintTo(const PoolCase &pool, std::ostream *out) { *out << pool.name; }

// 5000 requests of 4096 tokens: 320000 pages of 64 tokens, each of 2 layers x K and V x 2 heads x 16.
constexpr int64_t kRequests = 5000, kContext = 4096;

class LargePool : public testing::TestWithParam<PoolCase> {};

TEST_P(LargePool, FirstAndLastPagesGiveTheSameAnswer) {
  auto artifact = openArtifact(
      compiledModel(tinyModel("--family llama --type f32 --seed 31 --context 4096", "hf"), GetParam().options));
  ASSERT_TRUE(artifact);
  const ManifestKv &kv = artifact->manifest().kv;
  int64_t elementsOfPage = kv.pageBytes / (kv.element == "f32" ? 4 : 2);
  std::vector<int32_t> prompt;
  for (int i = 0; i < 3 * kv.pageTokens + 5; ++i)
    prompt.push_back(int32_t((i * 37 + i * i % 11) % 250));
  AnswerRequest request = greedyRequest(prompt, 8);
  request.rowsFrom = int64_t(prompt.size()) - 1;
  CollectedAnswer small = runRequests(artifact, {request}, {.requests = 1}).at(0);
  ASSERT_EQ(small.error, "");

  EngineLimits wanted{.requests = kRequests, .context = kContext};
  auto limits = resolveLimits(wanted, artifact->manifest());
  ASSERT_TRUE(limits) << limits.status().message();
  auto figures = evaluateMemory(artifact->manifest(), *limits);
  ASSERT_TRUE(figures) << figures.status().message();
  ASSERT_GT((figures->kvPages - 4) * elementsOfPage, int64_t(1) << 31) << "the last pages lie behind 2^31 elements";
  for (HandOut handOut : {HandOut::Forward, HandOut::Reverse}) {
    // Not poisoned: that would touch the whole pool.
    CollectedAnswer answer =
        runRequests(artifact, {request},
                    {.requests = kRequests, .context = kContext, .handOut = handOut, .poison = false})
            .at(0);
    EXPECT_EQ(answer.error, "");
    EXPECT_TRUE(answer == small) << (handOut == HandOut::Forward ? "first pages" : "last pages");
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, LargePool,
                         testing::Values(PoolCase{"f32", "--numerics=f32"}, PoolCase{"bf16", "--numerics=bf16"},
                                         PoolCase{"a8", "--numerics=a8 --kv-page=16"}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

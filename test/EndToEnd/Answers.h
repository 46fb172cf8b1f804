// Answers.h: runs requests on an artifact and keeps everything that comes out, for exact comparison.
#ifndef ADZE_TEST_ENDTOEND_ANSWERS_H
#define ADZE_TEST_ENDTOEND_ANSWERS_H

#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Engine/Engine.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adze::test {

struct CollectedAnswer {
  std::vector<int32_t> tokens;
  std::vector<double> logprobs;               // of the tokens, where asked for
  std::map<int64_t, std::vector<float>> rows; // by position, where asked for
  FinishReason reason = FinishReason::Error;
  std::string error;
  bool operator==(const CollectedAnswer &other) const = default;
};

/// How a set of requests is run; the answers must not depend on it.
struct Schedule {
  unsigned threads = 1;
  int64_t prefillChunk = 0;
  int64_t stepTokens = 0;
  int64_t requests = 0; // at once; 1: one after the other
  int64_t context = 0;
  HandOut handOut = HandOut::Forward;
  bool reverseArrival = false;
  bool poison = true; // memory is NaN before
  std::vector<AnswerRequest> neighbours =
      {};                   // run as well, each submitted before one of the requests; no answers are kept
  int64_t cancelAfter = -1; // the neighbours are cancelled after so many steps; -1: they run to their ends
};

/// The schedule in words, for messages.
std::string describe(const Schedule &schedule);

/// Runs all requests; answers in the order of `requests`.
std::vector<CollectedAnswer> runRequests(std::shared_ptr<const Artifact> artifact, std::vector<AnswerRequest> requests,
                                         const Schedule &schedule);

/// A greedy request with logprobs for `count` tokens, end tokens ignored.
AnswerRequest greedyRequest(std::vector<int32_t> prompt, int64_t count);

} // namespace adze::test
#endif

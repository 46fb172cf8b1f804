// EngineAnswer.h: the state of one request inside the engine.
//
// A pure function of the request, its output so far and the position: nothing here depends on slots, pages or
// neighbours.
#ifndef ADZE_LIB_RUNTIME_ENGINE_ENGINEANSWER_H
#define ADZE_LIB_RUNTIME_ENGINE_ENGINEANSWER_H

#include "adze/Runtime/Engine/Engine.h"
#include "adze/Text/StopMatcher.h"

namespace adze {

struct Engine::Answer {
  AnswerRequest request;
  RequestShape shape;
  std::vector<int32_t> tokens; // prompt, continuation, output
  TokenHistory history;        // kept only where penalties read it
  std::optional<TokenStream> stream;
  StopMatcher stops;
  int64_t outputTokens = 0;
  int64_t submitted = 0, firstToken = 0;

  int64_t known() const { return int64_t(tokens.size()); }
};

} // namespace adze
#endif

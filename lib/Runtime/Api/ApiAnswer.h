// ApiAnswer.h: what comes of one request, kept until somebody polls it.
//
// The engine writes (as a sink, on the thread that steps), the program reads (from any thread); a mutex is between
// them. What an event points to is kept until the next poll. The number of events has a limit: that of the answer's
// tokens.
#ifndef ADZE_LIB_RUNTIME_API_APIANSWER_H
#define ADZE_LIB_RUNTIME_API_APIANSWER_H

#include "adze/Abi/Adze.h"
#include "adze/Runtime/Engine/Answer.h"
#include "adze/Text/Tokenizer.h"

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace adze {
class Engine;
}

namespace adze::api {

/// Which requests of an engine have not ended, and the engine itself while it is there: what answers share with it.
class OpenRequests {
public:
  explicit OpenRequests(Engine &engine) : engine(&engine) {}
  void cancel(RequestId id);
  void cancelAll();
  /// The engine ends; later calls do nothing.
  void close();
  void add(RequestId id, const class AnswerEvents &answer);
  void remove(RequestId id, AnswerEvents &answer);

private:
  std::mutex mutex;
  Engine *engine;
  std::set<RequestId> ids;
};

class AnswerEvents : public AnswerSink {
public:
  AnswerEvents(Tokenizer tokenizer, std::shared_ptr<OpenRequests> open)
      : tokenizer(std::move(tokenizer)), open(std::move(open)) {}

  void token(RequestId id, const TokenEvent &event) override;
  void finished(RequestId id, const AnswerEnd &end) override;
  /// Takes the next event; what it points to lives until the next call.
  AdzeEvent next();

private:
  friend class OpenRequests;
  struct Piece {
    std::string text;
    AdzeTokenLogprob logprob{};
  };
  struct Event {
    AdzeEvent event{};
    std::string text; // of the answer, or of the error
    std::string error;
    bool logprobs = false;
    Piece chosen;
    std::vector<Piece> best;
    std::vector<AdzeTokenLogprob> table; // what event.best points to
  };
  Piece piece(int32_t token, double logprob) const;

  Tokenizer tokenizer;
  std::shared_ptr<OpenRequests> open;
  bool ended = false; // guarded by the mutex of `open`
  std::mutex mutex;   // guards what follows
  std::deque<Event> waiting;
  std::optional<Event> end;
  Event current;
};

} // namespace adze::api

struct AdzeAnswer {
  adze::RequestId id = 0;
  std::shared_ptr<adze::api::AnswerEvents> events;
  std::shared_ptr<adze::api::OpenRequests> open;
};

#endif

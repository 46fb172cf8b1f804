// --score FILE: logits of given tokens, for comparisons with a reference.
//
// A line is a JSON object: "prompt" (ids), "continuation" (ids that count as the answer; may be absent), "positions"
// (of the tokens whose rows are wanted; absent: all), "top" (n largest; 0) and "ids" (whose logits are wanted; none).
// The answer is one line: for each position the log-sum-exp and the mean over the row, the n largest and the chosen
// ids'.
#include "Session.h"
#include "Terminal.h"

#include "adze/Support/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <set>

using namespace adze;

namespace {
class RowRecorder : public AnswerSink {
public:
  std::set<int64_t> positions; // empty: all
  int64_t top = 0;
  std::vector<int32_t> ids;
  Json rows = Json::array();
  AnswerEnd answerEnd;

  void row(RequestId, int64_t position, std::span<const float> logits) override {
    if (!positions.empty() && !positions.count(position))
      return;
    double logSum = logSumExp(logits), sum = 0;
    for (float value : logits)
      sum += value;
    Json json = {
        {"position", position}, {"log_sum_exp", number(logSum)}, {"mean", number(sum / double(logits.size()))}};
    if (top > 0) {
      json["top"] = Json::array();
      for (const TokenLogprob &best : bestTokens(logits, top, 0))
        json["top"].push_back({best.token, number(logits[size_t(best.token)])});
    }
    if (!ids.empty()) {
      json["logits"] = Json::array();
      for (int32_t id : ids)
        json["logits"].push_back(number(logits[size_t(id)]));
    }
    rows.push_back(std::move(json));
  }
  void finished(RequestId, const AnswerEnd &end) override { answerEnd = end; }

private:
  // JSON has no NaN; a row that has one must not look like a number.
  static Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
};

Expected<std::vector<int64_t>> integers(const Json &object, const char *key, const std::string &where) {
  std::vector<int64_t> values;
  const Json *list = jsonFind(object, key);
  if (!list)
    return values;
  if (!list->is_array())
    return invalidInput(
        fmt::format("{}: key '{}' is {}; a list of integers is accepted", where, key, jsonTypeName(*list)));
  for (const Json &entry : *list) {
    if (!entry.is_number_integer())
      return invalidInput(fmt::format("{}: key '{}' holds {}; integers are accepted", where, key, jsonTypeName(entry)));
    values.push_back(entry.get<int64_t>());
  }
  return values;
}

std::vector<int32_t> narrow(const std::vector<int64_t> &values) {
  std::vector<int32_t> result;
  for (int64_t value : values)
    result.push_back(value < 0 || value > INT32_MAX ? -1 : int32_t(value));
  return result;
}

Expected<Json> score(Session &session, const std::string &text, const std::string &where) {
  Expected<Json> object = parseJson(text, where);
  if (!object)
    return object.status();
  if (!object->is_object())
    return invalidInput(where + ": the line is no JSON object");
  static const std::set<std::string> kKeys = {"prompt", "continuation", "positions", "ids", "top"};
  for (const auto &[key, value] : object->items())
    if (!kKeys.count(key))
      return invalidInput(fmt::format("{}: key '{}' is unknown; accepted: {}", where, key, fmt::join(kKeys, ", ")));
  std::vector<int64_t> lists[4];
  const char *names[4] = {"prompt", "continuation", "positions", "ids"};
  for (int i = 0; i < 4; ++i) {
    Expected<std::vector<int64_t>> list = integers(*object, names[i], where);
    if (!list)
      return list.status();
    lists[i] = std::move(*list);
  }
  auto rows = std::make_shared<RowRecorder>();
  rows->positions.insert(lists[2].begin(), lists[2].end());
  rows->ids = narrow(lists[3]);
  if (jsonFind(*object, "top")) {
    Expected<int64_t> top = jsonInt(*object, "top", where);
    if (!top)
      return top.status();
    rows->top = *top;
  }
  int64_t vocabulary = session.model->manifest().model.vocabulary;
  for (int32_t id : rows->ids)
    if (id < 0 || id >= vocabulary)
      return invalidInput(
          fmt::format("{}: key 'ids' holds an id out of range; accepted: 0 to {}", where, vocabulary - 1));
  if (rows->top < 0 || rows->top > vocabulary)
    return invalidInput(fmt::format("{}: key 'top' is {}; accepted: 0 to {}", where, rows->top, vocabulary));

  AnswerRequest request = session.request(narrow(lists[0]), false);
  request.continuation = narrow(lists[1]);
  request.maxTokens = 0;
  request.stop.clear();
  request.rowsFrom = rows->positions.empty() ? 0 : std::max<int64_t>(0, *rows->positions.begin());
  request.sink = rows;
  Expected<RequestId> id = session.model->engine().submit(std::move(request));
  if (!id)
    return id.status().withContext(where);
  if (session.runUntilIdle(*id))
    return cancelled("interrupted");
  if (rows->answerEnd.reason == FinishReason::Error)
    return rows->answerEnd.error.withContext(where);
  return Json{{"rows", std::move(rows->rows)}};
}
} // namespace

int adze::runScore(Session &session) {
  const std::string &name = session.options.scoreFile;
  std::ifstream file(name);
  if (!file)
    return reportError(systemError(errno, name));
  InterruptGuard guard;
  std::string text;
  int code = 0;
  for (int64_t number = 1; std::getline(file, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    Expected<Json> result = score(session, text, fmt::format("{}:{}", name, number));
    if (result) {
      std::cout << writeJsonLine(*result) << std::endl;
      continue;
    }
    code = reportError(result.status());
    if (result.status().code() == ErrorCode::Cancelled)
      return kInterruptedExitCode;
  }
  printProfile(session);
  return code;
}

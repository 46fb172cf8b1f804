// --batch FILE: one request a line, one answer a line, in the order of the input.
//
// A line is a JSON object with "prompt" (text), "messages" (a conversation) or "tokens" (ids), and any of the keys
// below; what is absent comes from the command line. A line that is wrong gets an "error" answer and harms no other.
#include "AnswerRecorder.h"
#include "Session.h"
#include "Terminal.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

using namespace adze;

namespace {
struct Line {
  int64_t number = 0;
  RequestId request = 0; // 0: refused, `failure` says why
  Status failure;
  Json id;
  std::shared_ptr<AnswerRecorder> answer;
};

// One key of a line into one field; every reader reports the key, what was found and what is accepted.
class LineReader {
public:
  LineReader(const Json &object, std::string where) : object(object), where(std::move(where)) {}

  template <class T> void read(const char *key, T &field) {
    known.push_back(key);
    if (!status.ok() || !jsonFind(object, key))
      return;
    if constexpr (std::is_same_v<T, bool>)
      take(jsonBool(object, key, where), field);
    else if constexpr (std::is_same_v<T, uint64_t>)
      take(jsonUnsigned(object, key, where), field);
    else if constexpr (std::is_integral_v<T>)
      take(jsonInt(object, key, where), field);
    else if constexpr (std::is_floating_point_v<T>)
      take(jsonNumber(object, key, where), field);
    else
      take(jsonString(object, key, where), field);
  }
  template <class T> void read(const char *key, std::optional<T> &field) {
    T value{};
    read(key, value);
    if (status.ok() && jsonFind(object, key))
      field = value;
  }
  const Json *member(const char *key) {
    known.push_back(key);
    return jsonFind(object, key);
  }
  void fail(std::string message) {
    if (status.ok())
      status = invalidInput(where + ": " + message);
  }
  Status finish() {
    for (const auto &[key, value] : object.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(fmt::format("key '{}' is unknown; accepted: {}", key, fmt::join(known, ", ")));
    return status;
  }

private:
  template <class T, class U> void take(Expected<U> value, T &field) {
    if (value)
      field = T(*value);
    else
      status = value.status();
  }
  const Json &object;
  std::string where;
  std::vector<std::string> known;
  Status status;
};

Expected<AnswerRequest> readRequest(const Session &session, const Json &object, const std::string &where) {
  LineReader reader(object, where);
  std::string text;
  reader.read("prompt", text);
  const Json *messages = reader.member("messages"), *tokens = reader.member("tokens"), *stop = reader.member("stop");
  reader.member("id");
  SamplingFlags flags = session.options.sampling;
  reader.read("greedy", flags.greedy);
  reader.read("temperature", flags.temperature);
  reader.read("top_k", flags.topK);
  reader.read("top_p", flags.topP);
  reader.read("min_p", flags.minP);
  reader.read("repetition_penalty", flags.repetitionPenalty);
  reader.read("presence_penalty", flags.presencePenalty);
  reader.read("frequency_penalty", flags.frequencyPenalty);
  reader.read("seed", flags.seed);
  reader.read("logprobs", flags.logprobs);
  AnswerRequest request = session.request({}, messages != nullptr);
  reader.read("max_tokens", request.maxTokens);
  reader.read("ignore_eos", request.ignoreEndTokens);
  if (jsonFind(object, "max_tokens") && request.maxTokens < 0)
    reader.fail(fmt::format("key 'max_tokens' is {}; accepted: 0 or more", request.maxTokens));

  if (stop) {
    request.stop.clear();
    for (const Json &entry : stop->is_array() ? *stop : Json::array({*stop}))
      if (entry.is_string())
        request.stop.push_back(entry.get<std::string>());
      else
        reader.fail(fmt::format("key 'stop' holds {}; a string or a list of strings is accepted", jsonTypeName(entry)));
  }
  int sources = (jsonFind(object, "prompt") != nullptr) + (messages != nullptr) + (tokens != nullptr);
  if (sources != 1)
    reader.fail("exactly one of 'prompt', 'messages' and 'tokens' is needed");
  if (tokens && tokens->is_array()) {
    for (const Json &entry : *tokens)
      // Out of the 32-bit range is as illegal as any other wrong id, and -1 says so to the engine.
      request.prompt.push_back(entry.is_number_integer() && entry >= 0 && entry <= INT32_MAX ? entry.get<int32_t>()
                                                                                             : -1);
  } else if (tokens) {
    reader.fail("key 'tokens' is no list of ids");
  }
  if (messages)
    for (const Json &message : messages->is_array() ? *messages : Json::array({Json()}))
      if (!message.is_object() || !message.contains("role") || !message.contains("content"))
        reader.fail("key 'messages' is no list of objects with 'role' and 'content'");
  if (Status status = reader.finish(); !status.ok())
    return status;

  SamplingParameters base = session.sampling;
  request.sampling = flags.apply(base);
  if (jsonFind(object, "prompt") || messages) {
    Expected<std::vector<int32_t>> ids =
        messages ? session.model->encodeChat(OrderedJson::parse(messages->dump(), nullptr, false))
                 : session.model->encodeText(text);
    if (!ids)
      return ids.takeStatus().withContext(where);
    request.prompt = std::move(*ids);
  }
  return request;
}

// What the answers so far amount to.
struct Totals {
  int64_t answers = 0, promptTokens = 0, outputTokens = 0;
  std::vector<double> firstToken; // seconds, of the answers that have one
  int64_t start = INT64_MAX, end = 0;

  void add(const AnswerEnd &answer) {
    ++answers;
    promptTokens += answer.promptTokens;
    outputTokens += answer.outputTokens;
    if (answer.firstToken)
      firstToken.push_back(double(answer.firstToken - answer.submitted) * 1e-9);
    start = std::min(start, answer.submitted);
    end = std::max(end, answer.ended);
  }
  std::string text() {
    std::string text = fmt::format("{} answers, prompts {} tokens", answers, promptTokens);
    if (firstToken.empty())
      return text;
    auto middle = firstToken.begin() + ptrdiff_t(firstToken.size() / 2);
    std::nth_element(firstToken.begin(), middle, firstToken.end());
    double seconds = double(end - start) * 1e-9;
    return text + fmt::format(", first token after {:.3f} s (median, waiting included); answers {} tokens in {:.3f} s, "
                              "{:.1f} tok/s",
                              *middle, outputTokens, seconds, double(outputTokens) / seconds);
  }
};

// Prints the answers that are complete, as far as their order allows; true where one of them failed.
bool printReady(std::deque<Line> &lines, Totals &totals) {
  bool failed = false;
  for (; !lines.empty() && (!lines.front().request || lines.front().answer->ended()); lines.pop_front()) {
    const Line &line = lines.front();
    Json json = line.request ? line.answer->json() : Json::object();
    if (line.request)
      totals.add(line.answer->end());
    if (!line.request)
      json["error"] = {{"code", errorCodeName(line.failure.code())}, {"message", line.failure.message()}};
    if (!line.id.is_null())
      json["id"] = line.id;
    json["line"] = line.number;
    failed |= json.contains("error");
    std::cout << writeJsonLine(json) << std::endl;
  }
  return failed;
}
} // namespace

int adze::runBatch(Session &session) {
  const std::string &name = session.options.batchFile;
  std::ifstream file;
  if (name != "-") {
    file.open(name);
    if (!file)
      return reportError(systemError(errno, name));
  }
  std::istream &input = name == "-" ? std::cin : file;

  InterruptGuard guard;
  std::deque<Line> lines;
  Totals totals;
  std::string text;
  bool failed = false, more = true;
  for (int64_t number = 1; more || !lines.empty();) {
    // Half a queue of lines at a time: the file may be longer than memory.
    while (more && int64_t(lines.size()) < session.model->engine().limits().queueLength / 2) {
      if (!std::getline(input, text)) {
        more = false;
        break;
      }
      Line line;
      line.number = number++;
      if (text.find_first_not_of(" \t\r") == std::string::npos)
        continue;
      std::string where = fmt::format("{}:{}", name == "-" ? "standard input" : name, line.number);
      line.answer = std::make_shared<AnswerRecorder>(session.model->tokenizer(), false);
      auto submit = [&]() -> Expected<RequestId> {
        Expected<Json> object = parseJson(text, where);
        if (!object)
          return object.status();
        if (!object->is_object())
          return invalidInput(where + ": the line is no JSON object");
        if (const Json *id = jsonFind(*object, "id"))
          line.id = *id;
        Expected<AnswerRequest> request = readRequest(session, *object, where);
        if (!request)
          return request.status();
        request->sink = line.answer;
        Expected<RequestId> id = session.model->engine().submit(std::move(*request));
        return id ? std::move(id) : Expected<RequestId>(id.status().withContext(where));
      };
      Expected<RequestId> id = submit();
      if (id)
        line.request = *id;
      else
        line.failure = id.status();
      lines.push_back(std::move(line));
    }
    session.model->engine().step();
    failed |= printReady(lines, totals);
    if (InterruptGuard::requested()) {
      for (const Line &line : lines)
        if (line.request)
          session.model->engine().cancel(line.request);
      session.model->engine().runUntilIdle();
      printReady(lines, totals);
      if (!session.options.quiet)
        writeNote(totals.text());
      return kInterruptedExitCode;
    }
  }
  if (!session.options.quiet)
    writeNote(totals.text());
  printProfile(session);
  return failed ? 1 : 0;
}

// The reference's step, then the same step launch by launch: compare, correct, poison what is written next.
#include "adze/Runtime/Check/KernelCheck.h"

#include "CheckSide.h"
#include "adze/Support/Mutant.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

using namespace adze;

namespace {
constexpr const char *kBestToken = ".best_token", *kCodes = ".codes", *kSum = ".sum";

std::string without(const std::string &name, std::string_view ending) {
  return name.substr(0, name.size() - ending.size());
}

// What makes a value the same in two artifacts: a tied table gives rows of tokens and rows of logits one name, and a
// number that is rounded keeps its name.
std::string keyOf(const StepValue &value) {
  return fmt::format("{} ({}{} {})", value.name, value.outputRows ? "rows of logits, " : "", value.columns,
                     value.element);
}

int64_t bytesOf(const StepValue &value, const AdzeStep &step) {
  return (value.outputRows ? step.output_rows : step.tokens) * value.columns * stepElementBytes(value.element);
}
} // namespace

struct KernelCheck::State {
  struct Output {
    const StepValue *value;
    std::string key;       // with the count of equal ones before it
    std::string logits;    // of a choice: the key of what it chooses from
    int64_t width = 0;     // of a choice: the columns of that
    int64_t codes = -1;    // of a sum: the output of the same launch that it sums
    bool compared = false; // the reference has it, or it follows from others
    uint8_t *place = nullptr;
    bool overInput = false;
  };

  CheckSide tested, reference;
  std::vector<CheckRound> plan;
  std::vector<std::vector<Output>> outputs; // of the artifact under test, by launch
  std::vector<std::string> onlyTested, onlyReference;

  std::map<std::string, ValueBytes> expected; // of the step
  bool placesKnown = false;
  int64_t stepNumber = 0, nextLaunch = 0;
  std::string stepText;
  CheckReport report;
  Status status; // of the first copy that failed

  void pair();
  Status refuseOtherModels() const;
  Status runStep(CheckSide &side, const CheckRound &round, const CheckStep &step);
  void takeReference(const FinishedLaunch &launch, std::map<std::string, int64_t> &seen);
  void takePlaces(const FinishedLaunch &launch);
  void compare(const FinishedLaunch &launch);
  void poison(int64_t launch, const AdzeStep &step);
  void note(const FinishedLaunch &launch, const Output &output, const ValueComparison &result, size_t elements);
  ValueBytes copyOf(CheckSide &side, const void *from, int64_t bytes);
};

namespace {
std::string numbered(const std::string &key, std::map<std::string, int64_t> &seen) {
  int64_t before = seen[key]++;
  return before ? fmt::format("{} number {}", key, before + 1) : key;
}
} // namespace

Status KernelCheck::State::refuseOtherModels() const {
  const Manifest &a = tested.manifest(), &b = reference.manifest();
  auto refuse = [&](const char *what, const auto &first, const auto &second) {
    return invalidInput(
        fmt::format("--against {}: its {} is {}, and that of {} is {}; accepted: an artifact of the same "
                    "model with the same numerics, for another target",
                    reference.path, what, second, tested.path, first));
  };
  if (a.numerics != b.numerics)
    return refuse("numerics", a.numerics, b.numerics);
  if (a.model.name != b.model.name)
    return refuse("model", a.model.name, b.model.name);
  const std::pair<const char *, int64_t ManifestModel::*> sizes[] = {
      {"number of layers", &ManifestModel::layers},
      {"hidden size", &ManifestModel::hidden},
      {"number of heads", &ManifestModel::heads},
      {"number of KV heads", &ManifestModel::kvHeads},
      {"size of a head", &ManifestModel::headDim},
      {"vocabulary", &ManifestModel::vocabulary},
      {"number of legal tokens", &ManifestModel::legalTokens},
      {"context", &ManifestModel::context}};
  for (auto [what, size] : sizes)
    if (a.model.*size != b.model.*size)
      return refuse(what, a.model.*size, b.model.*size);
  auto weightsOf = [](const Manifest &m) {
    std::vector<std::string> hashes;
    for (const ManifestSource &source : m.sources)
      hashes.push_back(source.hash);
    std::string seed = m.standIn && m.standIn->seed ? fmt::format(", generated from seed {}", *m.standIn->seed) : "";
    return fmt::format("{}{}", fmt::join(hashes, ", "), seed);
  };
  if (weightsOf(a) != weightsOf(b))
    return refuse("list of source files", weightsOf(a), weightsOf(b));
  return Status();
}

void KernelCheck::State::pair() {
  std::map<std::string, int64_t> seen;
  std::map<std::string, bool> there; // whether the artifact under test has it too
  for (const std::vector<StepValue> &launch : reference.values.launches)
    for (const StepValue &value : launch)
      there[numbered(keyOf(value), seen)] = false;
  seen.clear();
  std::map<std::string, std::pair<std::string, int64_t>> logits; // key and columns by name
  for (const std::vector<StepValue> &launch : tested.values.launches) {
    std::vector<Output> &list = outputs.emplace_back();
    for (const StepValue &value : launch) {
      Output output{&value, numbered(keyOf(value), seen), "", 0, -1, false, nullptr, false};
      auto found = there.find(output.key);
      output.compared = found != there.end();
      if (output.compared)
        found->second = true;
      if (output.compared && value.outputRows && value.element == "f32")
        logits[value.name] = {output.key, value.columns};
      if (value.name.ends_with(kBestToken))
        if (auto chosen = logits.find(without(value.name, kBestToken)); chosen != logits.end()) {
          std::tie(output.logits, output.width) = chosen->second;
          output.compared = true;
        }
      if (value.name.ends_with(kSum))
        for (size_t i = 0; i < list.size(); ++i)
          if (list[i].value->name == without(value.name, kSum) + kCodes && list[i].compared &&
              list[i].value->columns % value.columns == 0)
            output.codes = int64_t(i);
      if (!output.compared)
        onlyTested.push_back(output.key);
      list.push_back(std::move(output));
    }
  }
  for (const auto &[key, both] : there)
    if (!both)
      onlyReference.push_back(key);
}

ValueBytes KernelCheck::State::copyOf(CheckSide &side, const void *from, int64_t bytes) {
  ValueBytes copy(size_t(bytes), 0);
  if (status.ok())
    status = side.device->read(from, copy);
  return copy;
}

void KernelCheck::State::takeReference(const FinishedLaunch &launch, std::map<std::string, int64_t> &seen) {
  if (launch.number >= int64_t(reference.values.launches.size()))
    return;
  for (const StepValue &value : reference.values.launches[size_t(launch.number)])
    expected[numbered(keyOf(value), seen)] =
        copyOf(reference, reinterpret_cast<const void *>(launch.words[value.word]), bytesOf(value, launch.step));
}

// Arguments are the same pointers in every step, since the arena is laid out once. Operands come before results.
void KernelCheck::State::takePlaces(const FinishedLaunch &launch) {
  if (launch.number >= int64_t(outputs.size()))
    return;
  std::vector<Output> &list = outputs[size_t(launch.number)];
  int64_t operands = std::numeric_limits<int64_t>::max();
  for (const Output &output : list)
    operands = std::min(operands, output.value->word);
  for (Output &output : list) {
    output.place = reinterpret_cast<uint8_t *>(launch.words[output.value->word]);
    for (int64_t word = 0; word < operands; ++word)
      output.overInput |= launch.words[word] == launch.words[output.value->word];
  }
}

void KernelCheck::State::poison(int64_t launch, const AdzeStep &step) {
  if (launch >= int64_t(outputs.size()) || ADZE_MUTANT("leave-outputs-as-they-are"))
    return;
  for (const Output &output : outputs[size_t(launch)])
    if (!output.overInput && status.ok())
      status = tested.device->write(output.place,
                                    ValueBytes(size_t(bytesOf(*output.value, step)), poisonOf(output.value->element)));
}

void KernelCheck::State::compare(const FinishedLaunch &launch) {
  nextLaunch = launch.number + 1;
  if (launch.number < int64_t(outputs.size())) {
    std::vector<Output> &list = outputs[size_t(launch.number)];
    std::vector<ValueBytes> found;
    for (const Output &output : list)
      found.push_back(copyOf(tested, output.place, bytesOf(*output.value, launch.step)));
    ++report.kernels[launch.kernel].launches;
    for (size_t i = 0; i < list.size() && status.ok(); ++i) {
      const Output &output = list[i];
      const StepValue &value = *output.value;
      if (!output.compared)
        continue;
      ValueBytes wanted;
      if (!output.logits.empty())
        wanted = bestTokens(expected[output.logits], output.width, tested.manifest().model.legalTokens);
      else
        wanted = expected[output.key];
      ValueBytes sums;
      if (output.codes >= 0)
        sums = sumsOfCodes(found[size_t(output.codes)], list[size_t(output.codes)].value->columns, value.columns);
      note(launch, output,
           compareValue(value, output.codes >= 0 ? sums : wanted, found[i], boundOf(value, tested.manifest().numerics),
                        !output.overInput),
           found[i].size() / size_t(stepElementBytes(value.element)));
      if (status.ok())
        status = tested.device->write(output.place, wanted);
    }
  }
  poison(nextLaunch, launch.step);
}

void KernelCheck::State::note(const FinishedLaunch &launch, const Output &output, const ValueComparison &result,
                              size_t elements) {
  CheckedKernel &kernel = report.kernels[launch.kernel];
  double bound = boundOf(*output.value, tested.manifest().numerics);
  kernel.elements += int64_t(elements);
  kernel.differences += result.differences;
  report.differences += result.differences;
  // By shares of their bounds; a bound of 0 is kept or it is not.
  auto share = [](double error, double most) {
    return error <= most ? (most > 0 ? error / most : 0) : most > 0 ? error / most : 1 + error;
  };
  if (kernel.value.empty() || share(result.worst, bound) > share(kernel.worst, kernel.bound)) {
    kernel.worst = result.worst;
    kernel.bound = bound;
    kernel.value = output.value->name;
  }
  if (result.differences && !report.first)
    report.first = {stepNumber, stepText,     launch.number,      kernel.name,
                    output.key, result.first, result.differences, bound};
}

Status KernelCheck::State::runStep(CheckSide &side, const CheckRound &round, const CheckStep &step) {
  const AdzeStep &built = side.build(round, step);
  if (&side == &tested && placesKnown) {
    nextLaunch = 0;
    poison(0, built);
  }
  Status ran = side.device->runStep(side.artifact->program(), built, side.builder->copies());
  side.device->observeLaunches({});
  if (!ran.ok()) {
    std::string where = side.path + ", " + stepText;
    if (&side == &tested && placesKnown)
      where += fmt::format(", after {} launches", nextLaunch);
    return ran.withContext(where);
  }
  return status;
}

KernelCheck::KernelCheck(std::unique_ptr<State> state) : state(std::move(state)) {}
KernelCheck::~KernelCheck() = default;
const Manifest &KernelCheck::manifest() const { return state->tested.manifest(); }
const Manifest &KernelCheck::referenceManifest() const { return state->reference.manifest(); }
const Device &KernelCheck::device() const { return *state->tested.device; }
const Device &KernelCheck::referenceDevice() const { return *state->reference.device; }
const std::vector<std::string> &KernelCheck::onlyTested() const { return state->onlyTested; }
const std::vector<std::string> &KernelCheck::onlyReference() const { return state->onlyReference; }

Expected<std::unique_ptr<KernelCheck>> KernelCheck::open(const std::string &path, const std::string &reference,
                                                         const CheckOptions &options) {
  auto state = std::make_unique<State>();
  for (auto [side, name] : {std::pair(&state->tested, &path), std::pair(&state->reference, &reference)}) {
    Expected<CheckSide> opened = CheckSide::open(*name);
    if (!opened)
      return opened.status();
    *side = std::move(*opened);
  }
  if (Status status = state->refuseOtherModels(); !status.ok())
    return status;
  const Manifest &a = state->tested.manifest(), &b = state->reference.manifest();
  state->plan = makeCheckPlan(
      {options.rounds, options.seed, {a.kv.pageTokens, b.kv.pageTokens}, a.model.context, a.model.legalTokens});
  // Pages in opposite orders, so that a kernel that takes one number for another reads a wrong page.
  if (Status status = state->tested.prepare(options.device, state->plan, HandOut::Reverse); !status.ok())
    return status;
  if (Status status = state->reference.prepare(options.reference, state->plan, HandOut::Forward); !status.ok())
    return status;
  state->pair();
  for (const ManifestKernel &kernel : a.kernels)
    state->report.kernels.push_back({kernel.name, kernel.family, 0, 0, 0, 0, 0, ""});
  return std::unique_ptr<KernelCheck>(new KernelCheck(std::move(state)));
}

Expected<CheckReport> KernelCheck::run() {
  State &s = *state;
  for (const CheckRound &round : s.plan) {
    for (CheckSide *side : {&s.reference, &s.tested})
      if (Status status = side->startRound(round); !status.ok())
        return status;
    for (const CheckStep &step : round.steps) {
      s.stepText = step.text();
      s.expected.clear();
      std::map<std::string, int64_t> seen;
      s.reference.device->observeLaunches([&](const FinishedLaunch &launch) { s.takeReference(launch, seen); });
      if (Status status = s.runStep(s.reference, round, step); !status.ok())
        return status;
      if (!s.placesKnown) { // the same step once more: it writes the same keys and values
        s.tested.device->observeLaunches([&](const FinishedLaunch &launch) { s.takePlaces(launch); });
        if (Status status = s.runStep(s.tested, round, step); !status.ok())
          return status;
        s.placesKnown = true;
      }
      s.tested.device->observeLaunches([&](const FinishedLaunch &launch) { s.compare(launch); });
      if (Status status = s.runStep(s.tested, round, step); !status.ok())
        return status;
      ++s.stepNumber;
    }
  }
  s.report.steps = s.stepNumber;
  return std::move(s.report);
}

// Scenario.cpp: the set of scenarios, and a scenario as an attribute.
#include "adze/Pipeline/Execution/Scenario.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace adze::execution {

std::vector<Scenario> generatedScenarios() {
  // Requests of one token and of none, pages that end inside and at a request's end, a prompt in its second chunk.
  return {
      {"mixed", {{3, 3, 3}, {1, 70, 5}, {0, 9, 9}, {7, 20, 20}, {2, 16, 16, true}}, Numbers::Units},
      {"one", {{1, 1, 1}}, Numbers::Units},
      {"none", {}, Numbers::Units},
      {"odd", {{17, 17, 17, true}}, Numbers::Units},
      {"extremes", {{5, 5, 5, true}, {1, 33, 4}}, Numbers::Extremes},
  };
}

static constexpr std::pair<Numbers, StringLiteral> kNumbers[] = {
    {Numbers::Units, "units"}, {Numbers::Integers, "integers"}, {Numbers::Extremes, "extremes"}};

DictionaryAttr scenarioToAttr(MLIRContext *context, const Scenario &scenario, uint64_t seed) {
  Builder b(context);
  SmallVector<Attribute> requests;
  for (const RequestShape &r : scenario.requests)
    requests.push_back(b.getDenseI64ArrayAttr({r.queries, r.kvLength, r.promptLength, r.allRows}));
  StringRef numbers;
  for (auto [value, text] : kNumbers)
    if (value == scenario.numbers)
      numbers = text;
  return b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(scenario.name)),
                              b.getNamedAttr("numbers", b.getStringAttr(numbers)),
                              b.getNamedAttr("requests", b.getArrayAttr(requests)),
                              b.getNamedAttr("seed", b.getI64IntegerAttr(int64_t(seed)))});
}

Expected<std::optional<std::pair<Scenario, uint64_t>>> scenarioOfModule(ModuleOp module) {
  using Found = std::optional<std::pair<Scenario, uint64_t>>;
  Attribute attribute = module->getAttr(kScenarioAttr);
  if (!attribute)
    return Found();
  auto wrong = [](const std::string &what) {
    return invalidInput(std::string(kScenarioAttr) + " of the module " + what);
  };
  auto record = dyn_cast<DictionaryAttr>(attribute);
  if (!record)
    return wrong("is no dictionary; {name, numbers, requests, seed} is accepted");
  auto name = record.getAs<StringAttr>("name"), numbers = record.getAs<StringAttr>("numbers");
  auto requests = record.getAs<ArrayAttr>("requests");
  auto seed = record.getAs<IntegerAttr>("seed");
  if (!name || !numbers || !requests || !seed || record.size() != 4)
    return wrong("needs name and numbers (strings), requests (a list) and seed (a number), and nothing else");
  Scenario scenario{name.str(), {}, Numbers::Units};
  const auto *kind = llvm::find_if(kNumbers, [&](auto &row) { return row.second == numbers.getValue(); });
  if (kind == std::end(kNumbers))
    return wrong("has the numbers \"" + numbers.str() + "\"; units, integers and extremes are accepted");
  scenario.numbers = kind->first;
  for (Attribute entry : requests) {
    auto shape = dyn_cast<DenseI64ArrayAttr>(entry);
    auto sound = [&] {
      ArrayRef<int64_t> s = shape.asArrayRef();
      return s.size() == 4 && s[0] >= 0 && s[1] >= s[0] && s[2] >= 0 && s[3] >= 0 && s[3] <= 1 && s[1] <= (1 << 20);
    };
    if (!shape || !sound())
      return wrong("has a request that is not array<i64: queries, kv_length, prompt_length, all_rows> with "
                   "0 <= queries <= kv_length <= 1048576 and all_rows of 0 or 1");
    scenario.requests.push_back({shape[0], shape[1], shape[2], shape[3] == 1});
  }
  return Found(std::pair(std::move(scenario), uint64_t(seed.getInt())));
}

} // namespace adze::execution

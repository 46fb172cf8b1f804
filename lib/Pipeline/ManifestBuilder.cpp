#include "adze/Pipeline/ManifestBuilder.h"

#include "adze/Abi/Program.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Target/NativeCode.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using adze::exec::FormAttr;

namespace adze {

namespace {

/// Reads typed members of a dictionary and keeps the first fault.
class Members {
public:
  Members(DictionaryAttr dictionary, StringRef name) : dictionary(dictionary), name(name) {}
  int64_t number(StringRef key) {
    auto value = dictionary ? dictionary.getAs<IntegerAttr>(key) : IntegerAttr();
    bool fits = value && (value.getType().isIndex() || value.getType().isSignlessInteger()) &&
                value.getValue().getSignificantBits() <= 64;
    return fits ? value.getValue().getSExtValue() : (lack(key, "a whole number"), 0);
  }
  std::string text(StringRef key) {
    auto value = dictionary ? dictionary.getAs<StringAttr>(key) : StringAttr();
    return value ? value.str() : (lack(key, "a string"), std::string());
  }
  bool has(StringRef key) const { return dictionary && dictionary.contains(key); }
  Status status;

private:
  void lack(StringRef key, StringRef kind) {
    if (status.ok())
      status = invalidInput(("the module's attribute '" + name + "' lacks '" + key + "', " + kind).str());
  }
  DictionaryAttr dictionary;
  StringRef name;
};

SizeForm toSize(FormAttr form) {
  return {{form.term(FormAttr::Constant), form.term(FormAttr::Pages)},
          {form.term(FormAttr::Tokens), form.term(FormAttr::PagesTokens)},
          {form.term(FormAttr::Requests), form.term(FormAttr::PagesRequests)},
          {form.term(FormAttr::Rows), form.term(FormAttr::PagesRows)}};
}

CostForm toCost(std::optional<FormAttr> form) {
  if (!form || !*form)
    return {};
  auto term = [&](FormAttr::Term which) { return form->term(which); };
  return {term(FormAttr::Constant), term(FormAttr::Tokens),    term(FormAttr::Requests),
          term(FormAttr::Rows),     term(FormAttr::KvLengths), term(FormAttr::VisiblePairs)};
}

ManifestMemory memoryOf(exec::ProgramOp program) {
  ManifestMemory memory;
  // Of the forms in a slot only those that no other covers can ever decide its size.
  SmallVector<SmallVector<FormAttr>> forms(program.slotCount());
  for (exec::BufferOp buffer : program.getBody().getOps<exec::BufferOp>()) {
    auto &slot = forms[*buffer.getSlot()];
    FormAttr form = buffer.getSize();
    if (llvm::any_of(slot, [&](FormAttr other) { return other.dominates(form); }))
      continue;
    llvm::erase_if(slot, [&](FormAttr other) { return form.dominates(other); });
    slot.push_back(form);
  }
  for (auto &slot : forms) {
    auto &sizes = memory.slots.emplace_back();
    for (FormAttr form : slot)
      sizes.push_back(toSize(form));
  }
  auto output = cast<exec::OutputOp>(program.getBody().front().back());
  memory.logitsSlot = *output.getLogits().getDefiningOp<exec::BufferOp>().getSlot();
  if (Value choice = output.getChoice())
    memory.choiceSlot = *choice.getDefiningOp<exec::BufferOp>().getSlot();
  return memory;
}

/// The row that convert-llm-to-tile built the function by; zeros where a person wrote it.
ManifestSchedule scheduleOf(Operation *function) {
  auto row = function ? function->getAttrOfType<DictionaryAttr>("tile.schedule") : DictionaryAttr();
  if (!row)
    return {0, 0, 0, "unknown"};
  auto number = [&](StringRef key) {
    auto value = row.getAs<IntegerAttr>(key);
    return value ? value.getInt() : 0;
  };
  auto sums = row.getAs<StringAttr>("sums");
  return {number("tokens"), number("columns"), number("depth"), sums ? sums.str() : "unknown"};
}

/// Positions of one run of attention; 0 where rows after the prompt fold as those of the prompt do.
int64_t kvSplitOf(ModuleOp module) {
  int64_t split = 0;
  for (Operation &function : *module.getBody())
    if (auto row = function.getAttrOfType<DictionaryAttr>("tile.schedule"))
      if (auto positions = row.getAs<IntegerAttr>("split"))
        split = std::max(split, positions.getInt());
  return split;
}

std::vector<ManifestKernel> kernelsOf(ModuleOp module, exec::ProgramOp program) {
  llvm::MapVector<StringAttr, ManifestKernel> kernels;
  for (exec::LaunchOp launch : program.getBody().getOps<exec::LaunchOp>()) {
    ManifestKernel &kernel = kernels[launch.getKernelAttr().getAttr()];
    if (kernel.launches++ == 0) {
      kernel.name = launch.getKernel().str();
      kernel.family = launch.getFamily().str();
      kernel.schedule = scheduleOf(SymbolTable::lookupSymbolIn(module, launch.getKernelAttr()));
      kernel.bytes = toCost(launch.getBytes());
      kernel.operations = toCost(launch.getOperations());
    }
  }
  std::vector<ManifestKernel> list;
  for (auto &entry : kernels)
    list.push_back(entry.second);
  return list;
}

std::vector<ManifestWeights> weightsOf(ModuleOp module) {
  llvm::MapVector<StringAttr, ManifestWeights> groups;
  for (exec::SegmentOp segment : module.getOps<exec::SegmentOp>()) {
    std::string form;
    llvm::raw_string_ostream stream(form);
    if (auto weight = dyn_cast_or_null<llm::WeightOp>(SymbolTable::lookupSymbolIn(module, segment.getWeightAttr()))) {
      auto type = cast<RankedTensorType>(weight.getType());
      stream << type.getElementType();
      if (auto packed = dyn_cast_or_null<llm::PackedAttr>(type.getEncoding())) {
        stream << " [";
        llvm::interleaveComma(packed.getBlock(), stream);
        stream << "]";
      }
    }
    ManifestWeights &group = groups[StringAttr::get(module.getContext(), form)];
    group.form = form;
    ++group.segments;
    group.bytes += segment.getSize();
  }
  std::vector<ManifestWeights> list;
  for (auto &entry : groups)
    list.push_back(entry.second);
  return list;
}

std::vector<ManifestFusion> fusionOf(exec::ProgramOp program) {
  std::vector<ManifestFusion> list;
  auto rows = program->getAttrOfType<ArrayAttr>("exec.fusion");
  if (!rows)
    return list;
  for (Attribute entry : rows) {
    auto row = dyn_cast<DictionaryAttr>(entry);
    if (!row)
      continue; // a person may have written anything
    ManifestFusion &note = list.emplace_back();
    if (auto rule = row.getAs<StringAttr>("rule"))
      note.rule = rule.str();
    if (auto reason = row.getAs<StringAttr>("reason"))
      note.reason = reason.str();
    if (auto fused = row.getAs<BoolAttr>("fused"))
      note.fused = fused.getValue();
    if (auto count = row.getAs<IntegerAttr>("count"))
      note.count = count.getInt();
  }
  return list;
}

/// What forms a product of two bf16 operands; see docs/Numerics.md.
std::string productOf(const PhaseSettings &settings, const TargetInfo &target) {
  if (const GpuFacts *gpu = target.gpu()) {
    const MatrixInstruction *matrix = gpu->matrix("mma", "bf16");
    return settings.numerics == "f32" || !matrix ? "f32-fma" : std::string(matrix->name) + ".bf16";
  }
  if (settings.numerics == "f32" || !target.has("avx512bf16"))
    return "f32-fma";
  return target.has("amx-bf16") ? "tdpbf16ps" : "vdpbf16ps";
}

} // namespace

Expected<Manifest> buildManifest(ModuleOp module, const PhaseSettings &settings, const TargetInfo &target) {
  auto programs = module.getOps<exec::ProgramOp>();
  if (programs.empty())
    return invalidInput("the module holds no exec.program: it has not passed the exec phase");
  exec::ProgramOp program = *programs.begin();
  Manifest m;
  m.programVersion = ADZE_PROGRAM_VERSION;
  m.adzeVersion = ADZE_VERSION;
  const TargetInfo &kernels = settings.gpu.empty() ? target : *findTarget(settings.gpu);
  m.target = {kX86Triple, std::string(target.name()), target.features(), kvSplitOf(module),
              productOf(settings, kernels)};
  m.numerics = settings.numerics;

  Members model(module->getAttrOfType<DictionaryAttr>("llm.model"), "llm.model");
  m.model = {model.text("family"),     model.text("name"),         model.number("layers"),
             model.number("hidden"),   model.number("heads"),      model.number("kv_heads"),
             model.number("head_dim"), model.number("vocabulary"), 0,
             model.number("context")};
  m.model.legalTokens = model.has("legal_tokens") ? model.number("legal_tokens") : m.model.vocabulary;
  if (!model.status.ok())
    return model.status;

  auto kv = program->getAttrOfType<DictionaryAttr>("exec.kv");
  Members members(kv, "exec.kv");
  m.kv = {members.number("page_tokens"), members.number("page_bytes"), members.number("bytes_per_token"), ""};
  if (!members.status.ok())
    return members.status;
  llvm::raw_string_ostream element(m.kv.element);
  if (auto type = kv.getAs<TypeAttr>("element"))
    element << type.getValue();

  m.memory = memoryOf(program);
  m.kernels = kernelsOf(module, program);
  m.weights = weightsOf(module);
  m.fusion = fusionOf(program);
  for (llm::FileOp file : module.getOps<llm::FileOp>())
    m.sources.push_back({file.getPath().str(), int64_t(file.getSize()), file.getHash().str()});
  m.options = {{"cpu", settings.cpu},
               {"fuse", settings.fuse},
               {"kv-page", std::to_string(settings.kvPage)},
               {"numerics", settings.numerics}};
  if (!settings.gpu.empty())
    m.options.push_back({"target", settings.gpu});
  return m;
}

Status describeGpu(Manifest &manifest, const TargetInfo &gpu, const std::vector<GpuKernel> &kernels) {
  ManifestGpu &described = manifest.gpu.emplace();
  described.architecture = gpu.gpu()->common;
  described.driver = gpu.gpu()->driver;
  for (const ManifestKernel &kernel : manifest.kernels) {
    auto found = llvm::find_if(kernels, [&](const GpuKernel &one) { return one.name == kernel.name; });
    if (found == kernels.end())
      return internalError("kernel @" + kernel.name + " is launched and has no code for " + std::string(gpu.name()));
    described.kernels.push_back({found->name, found->threads, found->sharedBytes, found->argumentBytes});
  }
  return Status::success();
}

StepValues buildStepValues(ModuleOp module) {
  StepValues values;
  for (exec::ProgramOp program : module.getOps<exec::ProgramOp>())
    for (exec::LaunchOp launch : program.getBody().getOps<exec::LaunchOp>()) {
      std::vector<StepValue> &written = values.launches.emplace_back();
      auto list = launch->getAttrOfType<ArrayAttr>("exec.values");
      if (!list) // an edited module may lack it: then nothing can be looked at
        continue;
      for (DictionaryAttr entry : list.getAsRange<DictionaryAttr>()) {
        Members members(entry, "exec.values");
        StepValue value{members.text("name"),      members.number("layer"),
                        members.number("word"),    false,
                        members.number("columns"), ""};
        if (auto rows = entry.getAs<BoolAttr>("output_rows"))
          value.outputRows = rows.getValue();
        if (auto element = entry.getAs<TypeAttr>("element"))
          llvm::raw_string_ostream(value.element) << element.getValue();
        if (members.status.ok() && stepElementBytes(value.element) > 0)
          written.push_back(std::move(value));
      }
    }
  return values;
}

} // namespace adze

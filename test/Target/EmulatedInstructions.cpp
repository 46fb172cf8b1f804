#include "EmulatedInstructions.h"

#include "adze/Target/NativeCode.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace {

[[noreturn]] void fault(const char *what) {
  std::fprintf(stderr, "emulated instruction: %s\n", what);
  std::abort();
}

// ---------------------------------------------------------------- numbers
/// Subnormal numbers count as zero, of operands and of results.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
float real(uint16_t bf16) {
  uint32_t bits = uint32_t(bf16) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return flushed(value);
}
float multiplyAdd(float sum, uint16_t a, uint16_t b) { return flushed(std::fma(real(a), real(b), flushed(sum))); }
int16_t saturated(int32_t value) { return int16_t(std::min(32767, std::max(-32768, value))); }

// ---------------------------------------------------------------- vectors of 512 bits
void dpbusd(int32_t *out, const int32_t *sum, const uint8_t *a, const int8_t *b) {
  for (int i = 0; i < 16; ++i) {
    uint32_t total = uint32_t(sum[i]);
    for (int j = 0; j < 4; ++j)
      total += uint32_t(int32_t(a[4 * i + j]) * b[4 * i + j]);
    out[i] = int32_t(total);
  }
}
void maddubs(int16_t *out, const uint8_t *a, const int8_t *b) {
  for (int i = 0; i < 32; ++i)
    out[i] = saturated(int32_t(a[2 * i]) * b[2 * i] + int32_t(a[2 * i + 1]) * b[2 * i + 1]);
}
void maddwd(int32_t *out, const int16_t *a, const int16_t *b) {
  for (int i = 0; i < 16; ++i)
    out[i] = int32_t(a[2 * i]) * b[2 * i] + int32_t(a[2 * i + 1]) * b[2 * i + 1];
}
void dpbf16(float *out, const float *sum, const uint16_t *a, const uint16_t *b) {
  for (int i = 0; i < 16; ++i)
    out[i] = multiplyAdd(multiplyAdd(sum[i], a[2 * i + 1], b[2 * i + 1]), a[2 * i], b[2 * i]);
}

void convert(float *out, const int32_t *from, int32_t rounding) {
  if (rounding != 8)
    fault("a conversion with another rounding than to the nearest");
  for (int i = 0; i < 16; ++i)
    out[i] = float(from[i]);
}

// ---------------------------------------------------------------- tile registers
struct Tile {
  int rows = 0, bytes = 0;
  uint8_t data[16][64];
};
thread_local Tile tiles[8];
thread_local bool configured = false;

Tile &tile(int8_t number) {
  if (!configured || number < 0 || number > 7 || !tiles[number].rows || !tiles[number].bytes)
    fault("a tile register that is not configured");
  return tiles[number];
}
void loadConfig(const uint8_t *config) {
  if (config[0] != 1)
    fault("a tile configuration of another palette than 1");
  for (int i = 0; i < 8; ++i) {
    tiles[i] = Tile();
    uint16_t bytes;
    std::memcpy(&bytes, config + 16 + 2 * i, 2);
    tiles[i].rows = config[48 + i];
    tiles[i].bytes = bytes;
    if (tiles[i].rows > 16 || bytes > 64 || (tiles[i].rows == 0) != (bytes == 0))
      fault("a tile configuration beyond 16 rows of 64 bytes");
    std::memset(tiles[i].data, 0, sizeof tiles[i].data);
  }
  configured = true;
}
void release() { configured = false; }
void zero(int8_t number) { std::memset(tile(number).data, 0, sizeof(Tile::data)); }
void load(int8_t number, const uint8_t *from, int64_t stride) {
  Tile &to = tile(number);
  std::memset(to.data, 0, sizeof to.data);
  for (int row = 0; row < to.rows; ++row)
    std::memcpy(to.data[row], from + row * stride, to.bytes);
}
void store(int8_t number, uint8_t *to, int64_t stride) {
  const Tile &from = tile(number);
  for (int row = 0; row < from.rows; ++row)
    std::memcpy(to + row * stride, from.data[row], from.bytes);
}
void checkShapes(const Tile &c, const Tile &a, const Tile &b) {
  if (a.rows != c.rows || b.bytes != c.bytes || a.bytes % 4 || a.bytes / 4 != b.rows)
    fault("a product of tile registers whose shapes do not fit");
}
template <class Left, class Right> void dotBytes(int8_t c, int8_t a, int8_t b) {
  Tile &sums = tile(c);
  const Tile &left = tile(a), &right = tile(b);
  checkShapes(sums, left, right);
  for (int m = 0; m < sums.rows; ++m)
    for (int n = 0; n < sums.bytes / 4; ++n) {
      uint32_t sum;
      std::memcpy(&sum, &sums.data[m][4 * n], 4);
      for (int k = 0; k < left.bytes / 4; ++k)
        for (int j = 0; j < 4; ++j)
          sum += uint32_t(int32_t(Left(left.data[m][4 * k + j])) * int32_t(Right(right.data[k][4 * n + j])));
      std::memcpy(&sums.data[m][4 * n], &sum, 4);
    }
}
/// Even and odd k add up apart, from zero; their sum is added to the register.
void dotBf16(int8_t c, int8_t a, int8_t b) {
  Tile &sums = tile(c);
  const Tile &left = tile(a), &right = tile(b);
  checkShapes(sums, left, right);
  auto half = [](const uint8_t *at) {
    uint16_t value;
    std::memcpy(&value, at, 2);
    return value;
  };
  for (int m = 0; m < sums.rows; ++m)
    for (int n = 0; n < sums.bytes / 4; ++n) {
      float parts[2] = {0, 0}, sum;
      for (int k = 0; k < left.bytes / 4; ++k)
        for (int j = 0; j < 2; ++j)
          parts[j] = multiplyAdd(parts[j], half(&left.data[m][4 * k + 2 * j]), half(&right.data[k][4 * n + 2 * j]));
      std::memcpy(&sum, &sums.data[m][4 * n], 4);
      sum = flushed(flushed(sum) + flushed(parts[0] + parts[1]));
      std::memcpy(&sums.data[m][4 * n], &sum, 4);
    }
}

// ---------------------------------------------------------------- calls
/// Vectors travel through memory: the first argument is where the result goes.
const StringMap<uintptr_t> &models() {
  static const StringMap<uintptr_t> table = [] {
    StringMap<uintptr_t> all;
    auto add = [&](StringRef name, auto *function) { all[name] = reinterpret_cast<uintptr_t>(function); };
    add("llvm.x86.avx512.vpdpbusd.512", &dpbusd);
    add("llvm.x86.avx512.pmaddubs.w.512", &maddubs);
    add("llvm.x86.avx512.pmaddw.d.512", &maddwd);
    add("llvm.x86.avx512bf16.dpbf16ps.512", &dpbf16);
    add("llvm.x86.avx512.sitofp.round.v16f32.v16i32", &convert);
    add("llvm.x86.ldtilecfg", &loadConfig);
    add("llvm.x86.tilerelease", &release);
    add("llvm.x86.tilezero", &zero);
    add("llvm.x86.tileloadd64", &load);
    add("llvm.x86.tilestored64", &store);
    add("llvm.x86.tdpbssd", &dotBytes<int8_t, int8_t>);
    add("llvm.x86.tdpbsud", &dotBytes<int8_t, uint8_t>);
    add("llvm.x86.tdpbf16ps", &dotBf16);
    return all;
  }();
  return table;
}

void replace(CallInst &call, uintptr_t model) {
  IRBuilder<> atEntry(&call.getFunction()->getEntryBlock(), call.getFunction()->getEntryBlock().begin());
  IRBuilder<> here(&call);
  SmallVector<Value *> arguments;
  SmallVector<Type *> types;
  auto memory = [&](Type *type) {
    AllocaInst *place = atEntry.CreateAlloca(type);
    place->setAlignment(Align(64));
    return place;
  };
  AllocaInst *result = call.getType()->isVoidTy() ? nullptr : memory(call.getType());
  if (result)
    arguments.push_back(result);
  for (Value *operand : call.args()) {
    if (!operand->getType()->isVectorTy()) {
      arguments.push_back(operand);
      continue;
    }
    AllocaInst *place = memory(operand->getType());
    here.CreateStore(operand, place);
    arguments.push_back(place);
  }
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Value *function = here.CreateIntToPtr(here.getInt64(model), here.getPtrTy());
  here.CreateCall(FunctionType::get(here.getVoidTy(), types, false), function, arguments);
  if (result)
    call.replaceAllUsesWith(here.CreateLoad(call.getType(), result));
  call.eraseFromParent();
}

} // namespace

namespace adze::test {

bool machineRuns(const TargetInfo &target) {
  const TargetInfo *host = hostTarget();
  for (std::string_view name : targetNames())
    if (!host)
      return false;
    else if (name == target.name())
      return true;
    else if (name == host->name())
      return false;
  return false;
}

/// Replaces the target's intrinsics by calls of their models.
static Status emulateInstructions(Module &module) {
  SmallVector<std::pair<CallInst *, uintptr_t>> calls;
  SmallVector<CallInst *> fences;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallInst>(&instruction);
        // A fence of a register that may not exist here orders nothing that a model would care for.
        if (call && call->isInlineAsm() && call->getType()->isVectorTy()) {
          call->replaceAllUsesWith(call->getArgOperand(0));
          fences.push_back(call);
          continue;
        }
        Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || !callee->getName().starts_with("llvm.x86."))
          continue;
        auto model = models().find(callee->getName());
        if (model == models().end())
          return unsupported("no model of " + callee->getName().str());
        calls.push_back({call, model->second});
      }
  for (CallInst *fence : fences)
    fence->eraseFromParent();
  for (auto [call, model] : calls)
    replace(*call, model);
  return Status::success();
}

Expected<TestObjects> compileForTest(Module &module, const TargetInfo &target,
                                     const std::vector<std::string> &exported) {
  std::unique_ptr<Module> emulated = machineRuns(target) ? nullptr : CloneModule(module);
  adze::Expected<std::string> own = compileToObject(module, target, exported);
  if (!own)
    return own.status();
  if (!emulated)
    return TestObjects{*own, *own};
  if (Status replaced = emulateInstructions(*emulated); !replaced.ok())
    return replaced;
  // The lowest level, which every machine has that runs tests.
  adze::Expected<std::string> runs = compileToObject(*emulated, *findTarget("x86-64-v3"), exported);
  if (!runs)
    return runs.status();
  return TestObjects{std::move(*own), std::move(*runs)};
}

} // namespace adze::test

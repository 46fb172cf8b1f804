// GpuInstructions.cpp: models of the instructions that only a GPU has, and their place in a module.
//
// Each model follows the PTX ISA 9.0 and names its section. A model gets where its result goes, then the operands of
// the intrinsic; pointers as 64-bit numbers. Products of bf16 are exact in f32; they are added in ascending k, one
// fused multiply-add each, which a card need not do.
#include "GpuThreads.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace adze::execution;

namespace {

GpuThreads &now() { return *GpuThreads::current; }

// ---------------------------------------------------------------- 9.7.13 barriers, 9.7.9.6 shuffles, 10 special
// registers
void threadNumber(uint32_t *result) { *result = now().thread(); }
void blockNumber(uint32_t *result) { *result = now().block(); }
void barrierOfBlock(uint32_t) { now().barrier(); }
void barrierOfWarp(uint32_t) { now().exchange("bar.warp.sync", {}); }
void shuffleButterfly(uint32_t *result, uint32_t, uint32_t value, uint32_t mask, uint32_t) {
  *result = uint32_t(now().exchange("shfl.bfly", {value})[(now().lane() ^ mask) % kWarpLanes][0]);
}
void shuffleIndex(uint32_t *result, uint32_t, uint32_t value, uint32_t lane, uint32_t) {
  *result = uint32_t(now().exchange("shfl.idx", {value})[lane % kWarpLanes][0]);
}

// ---------------------------------------------------------------- 9.7.9.7 prmt, default mode
void permuteBytes(uint32_t *result, uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t made = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t chosen = selector >> 4 * i & 15, byte = bytes >> 8 * (chosen & 7) & 255;
    if (chosen & 8)
      byte = byte & 128 ? 255 : 0;
    made |= byte << 8 * i;
  }
  *result = made;
}

// ---------------------------------------------------------------- 9.7.14.5.15 ldmatrix, .16 stmatrix
uint8_t *rowOf(const char *what, uint64_t address) {
  uint64_t start = reinterpret_cast<uint64_t>(GpuThreads::sharedMemory());
  if (address % 16 || address < start || address + 16 > start + uint64_t(now().sharedBytes()))
    now().fail(std::string(what) + " at byte " + std::to_string(int64_t(address - start)) + " of " +
               std::to_string(now().sharedBytes()) + " in shared memory; rows of 16 bytes lie at multiples of 16");
  return reinterpret_cast<uint8_t *>(address);
}

template <unsigned Matrices, bool Transposed> void loadMatrix(uint32_t *result, uint64_t address) {
  const WarpWords &all = now().exchange("ldmatrix", {address});
  unsigned lane = now().lane();
  for (unsigned matrix = 0; matrix < Matrices; ++matrix) {
    auto row = [&](unsigned number) { return rowOf("ldmatrix", all[8 * matrix + number][0]); };
    if (!Transposed) {
      std::memcpy(&result[matrix], row(lane / 4) + lane % 4 * 4, 4);
      continue;
    }
    for (unsigned half = 0; half < 2; ++half)
      std::memcpy(reinterpret_cast<uint8_t *>(&result[matrix]) + 2 * half, row(lane % 4 * 2 + half) + lane / 4 * 2, 2);
  }
}

template <unsigned Matrices, bool Transposed>
void storeMatrices(uint64_t address, const std::array<uint32_t, Matrices> &words) {
  const WarpWords &all = now().exchange("stmatrix", {address});
  unsigned lane = now().lane();
  for (unsigned matrix = 0; matrix < Matrices; ++matrix) {
    auto row = [&](unsigned number) { return rowOf("stmatrix", all[8 * matrix + number][0]); };
    if (!Transposed) {
      std::memcpy(row(lane / 4) + lane % 4 * 4, &words[matrix], 4);
      continue;
    }
    for (unsigned half = 0; half < 2; ++half)
      std::memcpy(row(lane % 4 * 2 + half) + lane / 4 * 2, reinterpret_cast<const uint8_t *>(&words[matrix]) + 2 * half,
                  2);
  }
}
template <bool T> void storeMatrix1(uint64_t at, uint32_t a) { storeMatrices<1, T>(at, {a}); }
template <bool T> void storeMatrix2(uint64_t at, uint32_t a, uint32_t b) { storeMatrices<2, T>(at, {a, b}); }
template <bool T> void storeMatrix4(uint64_t at, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  storeMatrices<4, T>(at, {a, b, c, d});
}

// ---------------------------------------------------------------- 9.7.14.5.8 and .10: mma.m16n8k16, mma.m16n8k32
float bf16At(const LaneWords &words, unsigned first, unsigned number) {
  uint32_t bits = uint32_t(words[first + number / 2]) >> (number % 2 ? 16 : 0) & 0xFFFF;
  return std::bit_cast<float>(bits << 16);
}

void multiplyBf16(float *result, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1, float c0,
                  float c1, float c2, float c3) {
  const WarpWords &all = now().exchange("mma.m16n8k16.bf16", {a0, a1, a2, a3, b0, b1});
  unsigned group = now().lane() / 4, inGroup = now().lane() % 4;
  const float sums[] = {c0, c1, c2, c3};
  for (unsigned i = 0; i < 4; ++i) {
    unsigned column = inGroup * 2 + (i & 1);
    float sum = sums[i];
    for (unsigned k = 0; k < 16; ++k) {
      unsigned holder = k % 8 / 2, place = (k & 1) + (k < 8 ? 0 : 4) + (i < 2 ? 0 : 2);
      float a = bf16At(all[group * 4 + holder], 0, place);
      float b = bf16At(all[column * 4 + holder], 4, (k & 1) + (k < 8 ? 0 : 2));
      sum = std::fma(a, b, sum);
    }
    result[i] = sum;
  }
}

template <class Byte>
void multiplyBytes(int32_t *result, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1,
                   int32_t c0, int32_t c1, int32_t c2, int32_t c3) {
  const WarpWords &all = now().exchange("mma.m16n8k32.b8", {a0, a1, a2, a3, b0, b1});
  auto byteAt = [&](unsigned lane, unsigned first, unsigned number) {
    return int32_t(Byte(uint32_t(all[lane][first + number / 4]) >> 8 * (number % 4)));
  };
  unsigned group = now().lane() / 4, inGroup = now().lane() % 4;
  const int32_t sums[] = {c0, c1, c2, c3};
  for (unsigned i = 0; i < 4; ++i) {
    unsigned column = inGroup * 2 + (i & 1);
    uint32_t sum = uint32_t(sums[i]);
    for (unsigned k = 0; k < 32; ++k) {
      unsigned holder = k % 16 / 4;
      int32_t a = byteAt(group * 4 + holder, 0, (k & 3) + (i < 2 ? 0 : 4) + (k < 16 ? 0 : 8));
      int32_t b = byteAt(column * 4 + holder, 4, (k & 3) + (k < 16 ? 0 : 4));
      sum += uint32_t(a * b);
    }
    result[i] = int32_t(sum);
  }
}

// ---------------------------------------------------------------- 9.7.9.25.3 cp.async, groups
template <unsigned Bytes> void copyPart(uint64_t to, uint64_t from, uint32_t read) {
  auto start = reinterpret_cast<uint64_t>(GpuThreads::sharedMemory());
  if (to % Bytes || from % Bytes || read > Bytes || to < start || to + Bytes > start + uint64_t(now().sharedBytes()))
    now().fail("cp.async of " + std::to_string(Bytes) + " bytes, " + std::to_string(read) + " of them read, to byte " +
               std::to_string(int64_t(to - start)) + " of " + std::to_string(now().sharedBytes()) +
               " in shared memory; both ends are multiples of the size");
  now().copy(reinterpret_cast<uint8_t *>(to), reinterpret_cast<const uint8_t *>(from), Bytes, read);
}
template <unsigned Bytes> void copyWhole(uint64_t to, uint64_t from) { copyPart<Bytes>(to, from, Bytes); }
void commitCopies() { now().commitCopies(); }
void waitForCopies(uint32_t pending) { now().waitForCopies(pending); }

/// Within the 2 ulp that the manual allows, subnormal numbers as zero.
void powerOfTwo(float *result, float x) {
  float y = float(std::exp2(double(x)));
  *result = y < std::numeric_limits<float>::min() ? 0.0f : y;
}

const llvm::StringMap<uintptr_t> &models() {
  static const llvm::StringMap<uintptr_t> table = [] {
    llvm::StringMap<uintptr_t> all;
    auto add = [&](llvm::StringRef name, auto *function) { all[name] = reinterpret_cast<uintptr_t>(function); };
    add("read.ptx.sreg.tid.x", &threadNumber);
    add("read.ptx.sreg.ctaid.x", &blockNumber);
    add("barrier.cta.sync.aligned.all", &barrierOfBlock);
    add("bar.warp.sync", &barrierOfWarp);
    add("shfl.sync.bfly.i32", &shuffleButterfly);
    add("shfl.sync.idx.i32", &shuffleIndex);
    add("prmt", &permuteBytes);
    add("ldmatrix.sync.aligned.m8n8.x1.b16", &loadMatrix<1, false>);
    add("ldmatrix.sync.aligned.m8n8.x2.b16", &loadMatrix<2, false>);
    add("ldmatrix.sync.aligned.m8n8.x4.b16", &loadMatrix<4, false>);
    add("ldmatrix.sync.aligned.m8n8.x1.trans.b16", &loadMatrix<1, true>);
    add("ldmatrix.sync.aligned.m8n8.x2.trans.b16", &loadMatrix<2, true>);
    add("ldmatrix.sync.aligned.m8n8.x4.trans.b16", &loadMatrix<4, true>);
    add("stmatrix.sync.aligned.m8n8.x1.b16", &storeMatrix1<false>);
    add("stmatrix.sync.aligned.m8n8.x2.b16", &storeMatrix2<false>);
    add("stmatrix.sync.aligned.m8n8.x4.b16", &storeMatrix4<false>);
    add("stmatrix.sync.aligned.m8n8.x1.trans.b16", &storeMatrix1<true>);
    add("stmatrix.sync.aligned.m8n8.x2.trans.b16", &storeMatrix2<true>);
    add("stmatrix.sync.aligned.m8n8.x4.trans.b16", &storeMatrix4<true>);
    add("cp.async.ca.shared.global.4", &copyWhole<4>);
    add("cp.async.ca.shared.global.8", &copyWhole<8>);
    add("cp.async.cg.shared.global.16", &copyWhole<16>);
    add("cp.async.ca.shared.global.4.s", &copyPart<4>);
    add("cp.async.ca.shared.global.8.s", &copyPart<8>);
    add("cp.async.cg.shared.global.16.s", &copyPart<16>);
    add("cp.async.commit.group", &commitCopies);
    add("cp.async.wait.group", &waitForCopies);
    add("ex2.approx.ftz.f32", &powerOfTwo);
    add("mma.m16n8k16.row.col.bf16", &multiplyBf16);
    add("mma.m16n8k32.row.col.s8", &multiplyBytes<int8_t>);
    add("mma.m16n8k32.row.col.u8", &multiplyBytes<uint8_t>);
    return all;
  }();
  return table;
}

/// The call of a model in place of an intrinsic. Results of one type share their memory in a function.
void replace(llvm::CallInst &call, uintptr_t model, llvm::DenseMap<llvm::Type *, llvm::Value *> &results) {
  llvm::IRBuilder<> here(&call);
  llvm::SmallVector<llvm::Value *> arguments;
  llvm::SmallVector<llvm::Type *> types;
  llvm::Value *result = nullptr;
  if (!call.getType()->isVoidTy()) {
    llvm::Value *&place = results[call.getType()];
    if (!place) {
      llvm::BasicBlock &entry = call.getFunction()->getEntryBlock();
      place = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(call.getType());
    }
    arguments.push_back(result = place);
  }
  for (llvm::Value *operand : call.args())
    arguments.push_back(operand->getType()->isPointerTy() ? here.CreatePtrToInt(operand, here.getInt64Ty()) : operand);
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::Value *function = here.CreateIntToPtr(here.getInt64(model), here.getPtrTy());
  here.CreateCall(llvm::FunctionType::get(here.getVoidTy(), types, false), function, arguments);
  if (result)
    call.replaceAllUsesWith(here.CreateLoad(call.getType(), result));
  call.eraseFromParent();
}

/// f32 to bf16, to nearest even; a NaN is the one that cvt.rn.bf16.f32 gives.
void roundToBf16(llvm::FPTruncInst &round) {
  llvm::IRBuilder<> here(&round);
  llvm::Value *x = round.getOperand(0), *word = here.CreateBitCast(x, here.getInt32Ty());
  llvm::Value *odd = here.CreateAnd(here.CreateLShr(word, 16), 1);
  llvm::Value *rounded = here.CreateLShr(here.CreateAdd(here.CreateAdd(word, here.getInt32(0x7FFF)), odd), 16);
  llvm::Value *bits = here.CreateSelect(here.CreateFCmpUNO(x, x), here.getInt32(0x7FFF), rounded);
  round.replaceAllUsesWith(here.CreateBitCast(here.CreateTrunc(bits, here.getInt16Ty()), round.getType()));
  round.eraseFromParent();
}

} // namespace

adze::Status adze::execution::replaceGpuInstructions(llvm::Module &module) {
  for (llvm::GlobalVariable &global : llvm::make_early_inc_range(module.globals()))
    if (global.getAddressSpace() == 3) {
      auto *address = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                                             reinterpret_cast<uint64_t>(GpuThreads::sharedMemory()));
      global.replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(address, global.getType()));
      global.eraseFromParent();
    }
  for (llvm::Function &function : module) {
    for (llvm::Argument &argument : function.args())
      argument.removeAttr(llvm::Attribute::ByVal);
    llvm::SmallVector<llvm::CallInst *> calls;
    llvm::SmallVector<llvm::FPTruncInst *> rounded;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        if (auto *round = llvm::dyn_cast<llvm::FPTruncInst>(&instruction); round && round->getType()->isBFloatTy())
          rounded.push_back(round);
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
        if (callee && callee->getName().starts_with("llvm.nvvm."))
          calls.push_back(call);
      }
    llvm::DenseMap<llvm::Type *, llvm::Value *> results;
    for (llvm::CallInst *call : calls) {
      llvm::StringRef name = call->getCalledFunction()->getName().drop_front(strlen("llvm.nvvm."));
      name.consume_back(".p3");
      auto model = models().find(name);
      if (model == models().end())
        return unsupported("the model of a GPU has no instruction " + name.str());
      replace(*call, model->second, results);
    }
    for (llvm::FPTruncInst *round : rounded)
      roundToBf16(*round);
  }
  return Status::success();
}

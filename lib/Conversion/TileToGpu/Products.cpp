// Products by the matrix instructions of one warp.
//
// A tile is an instruction's operand repeated (adze/Layout/MmaLayouts.h): dividing it out leaves which registers belong
// to which repetition. Each output is one chain of instructions, k ascending.
#include "ThreadEmitter.h"

#include "adze/Layout/MmaLayouts.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

void ThreadEmitter::dot(DotOp op) {
  if (isa_and_nonnull<SharedAttr>(cast<RankedTensorType>(op.getA().getType()).getEncoding()))
    return sharedDot(op);
  matrixDot(op);
}

namespace {
/// First register of each repetition, by its coordinate.
std::map<std::pair<int64_t, int64_t>, unsigned> repetitions(const LinearMap &tiling, unsigned registersOfOne) {
  std::map<std::pair<int64_t, int64_t>, unsigned> first;
  for (unsigned i = 0; i < 1u << tiling.reg.size(); ++i) {
    Coord coord{};
    for (auto [bit, basis] : llvm::enumerate(tiling.reg))
      for (unsigned d = 0; d < kMaxDims; ++d)
        coord[d] ^= i >> bit & 1 ? basis[d] : 0;
    first[{coord[0], coord[1]}] = i * registersOfOne;
  }
  return first;
}
} // namespace

void ThreadEmitter::matrixDot(DotOp op) {
  std::optional<LinearMap> a = layoutOf(op, op.getA().getType()), bMap = layoutOf(op, op.getB().getType()),
                           d = layoutOf(op, op.getResult().getType());
  if (!a || !bMap || !d)
    return;
  Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
  bool floats = element.isBF16();
  std::string_view name = floats ? "bf16" : op.getAUnsigned() ? "u8" : "s8";
  const MatrixInstruction *has = gpu.matrix("mma", name);
  const MmaInstruction *row = has && (floats || element.isInteger(8)) ? findMma("mma", name) : nullptr;
  if (!row || element != cast<RankedTensorType>(op.getB().getType()).getElementType() ||
      op.getAUnsigned() != op.getBUnsigned()) {
    refuse(op, "no matrix instruction multiplies ") << op.getA().getType() << " and " << op.getB().getType();
    return;
  }
  std::string reason;
  auto tiling = [&](MmaRole role, const LinearMap &layout) {
    std::optional<LinearMap> rest = mmaTiling(*row, role, layout, &reason);
    if (!rest)
      refuse(op, reason + " (run tile-assign-thread-layouts)");
    return rest;
  };
  std::optional<LinearMap> ofA = tiling(MmaRole::A, *a), ofB = tiling(MmaRole::B, *bMap), ofD = tiling(MmaRole::D, *d);
  if (!ofA || !ofB || !ofD)
    return;
  // A warp multiplies what it holds: its rows of a and of b are those of its outputs.
  for (size_t i = 0; i < ofD->warp.size(); ++i)
    if (ofA->warp[i][0] != ofD->warp[i][0] || ofB->warp[i][0] != ofD->warp[i][1]) {
      refuse(op, "warps hold other rows of the operands (")
          << op.getA().getType() << ", " << op.getB().getType() << ") than of the result " << op.getResult().getType();
      return;
    }
  auto sizeOf = [](std::string_view map) { return 1u << LinearMap::parse(map)->reg.size(); };
  unsigned ofOneA = sizeOf(row->a), ofOneB = sizeOf(row->b), ofOneD = sizeOf(row->d);
  Registers wordsA = pack(tiles.lookup(op.getA()), element), wordsB = pack(tiles.lookup(op.getB()), element);
  Registers sums = tiles.lookup(op.getAcc());
  unsigned perWord = 32 / element.getIntOrFloatBitWidth();
  auto placesA = repetitions(*ofA, ofOneA / perWord), placesB = repetitions(*ofB, ofOneB / perWord),
       placesD = repetitions(*ofD, ofOneD);
  Type sum = sums.front().getType();
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(ofOneD, sum));
  std::string spelled = "llvm.nvvm." + std::string(row->name) + ".row.col." + std::string(name);
  int64_t steps = cast<RankedTensorType>(op.getA().getType()).getDimSize(1) / row->k;
  for (int64_t k = 0; k < steps; ++k)
    for (auto &[where, first] : placesD) {
      auto inA = placesA.find({where.first, k}), inB = placesB.find({where.second, k});
      if (inA == placesA.end() || inB == placesB.end()) {
        refuse(op, "the operands do not hold what its result is made of");
        return;
      }
      SmallVector<Value> operands;
      operands.append(wordsA.begin() + inA->second, wordsA.begin() + inA->second + ofOneA / perWord);
      unsigned skip =
          ADZE_MUTANT("gpu-wrong-fragment") && k + 1 == steps ? wordsB.size() - ofOneB / perWord : inB->second;
      operands.append(wordsB.begin() + skip, wordsB.begin() + skip + ofOneB / perWord);
      operands.append(sums.begin() + first, sums.begin() + first + ofOneD);
      Value made = intrinsic(spelled, result, operands);
      for (unsigned i = 0; i < ofOneD; ++i)
        sums[first + i] = LLVM::ExtractValueOp::create(b, loc, made, ArrayRef<int64_t>{int64_t(i)});
    }
  tiles[op.getResult()] = sums;
}

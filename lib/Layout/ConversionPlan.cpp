#include "adze/Layout/ConversionPlan.h"

#include "ConversionSteps.h"

#include <algorithm>

using namespace adze;

/// A lane has at most 255 registers, so a value has at most this many words.
static constexpr unsigned kMaxWordBits = 8;

static double permuteCost(const ConversionPlan &plan) {
  return (plan.before.instructions() + plan.after.instructions()) / 2.0;
}

template <class Step>
static void surround(ConversionPlan &plan, const MovingStep<Step> &moving, const ByteMap &from, const ByteMap &to) {
  plan.before = permuteBytes(WordRegisters::of(from), moving.sent);
  plan.after = permuteBytes(moving.received, WordRegisters::of(to));
}

std::optional<ConversionPlan> adze::planConversion(const LinearMap &from, const LinearMap &to, unsigned elementBits,
                                                   const ConversionTarget &target, std::string *reason) {
  auto refuse = [&](const std::string &text) -> std::optional<ConversionPlan> {
    if (reason)
      *reason = "no conversion from \"" + from.str() + "\" to \"" + to.str() + "\": " + text;
    return std::nullopt;
  };
  std::string why;
  if (!elementsFit(elementBits, {&from, &to}, &why))
    return refuse(why);
  if (from.lane.size() != kLaneBits || to.lane.size() != kLaneBits)
    return refuse("a warp has 5 lane bits; write 0 for lanes that hold copies");
  if (from.warp.size() != to.warp.size() || from.block.size() != to.block.size())
    return refuse("both need equally many warp and block bits");
  Coord box = from.extents(), other = to.extents();
  for (unsigned d = 0; d < kMaxDims; ++d)
    box[d] = std::max(box[d], other[d]);
  ByteMap source = ByteMap::of(from, box, elementBits), result = ByteMap::of(to, box, elementBits);
  if (std::max(source.reg.size(), result.reg.size()) > kMaxWordBits + kWordBits)
    return refuse("a lane has no room for more than 256 words");

  ConversionPlan plan;
  plan.warpBits = from.warp.size();
  plan.blockBits = from.block.size();
  if (source.lane == result.lane && source.above == result.above && BitSpace(source.reg).contains(result.reg)) {
    plan.before = permuteBytes(WordRegisters::of(source), WordRegisters::of(result));
    plan.after = permuteBytes(WordRegisters::of(result), WordRegisters::of(result));
    plan.cost = permuteCost(plan);
    bool same = plan.before.isIdentity() && source.reg.size() == result.reg.size();
    plan.kind = same             ? ConversionPlan::Kind::Nothing
                : plan.cost == 0 ? ConversionPlan::Kind::RenameRegisters
                                 : ConversionPlan::Kind::PermuteBytes;
    return plan;
  }
  std::optional<ConversionPlan> best;
  if (target.shuffles)
    if (std::optional<MovingStep<ShuffleStep>> moving = planShuffle(source, result)) {
      best = plan;
      best->kind = ConversionPlan::Kind::Shuffle;
      best->shuffle = moving->step;
      surround(*best, *moving, source, result);
      best->cost = moving->step.shuffles() + moving->step.selects() / 2.0 + permuteCost(*best);
    }
  if (std::optional<MovingStep<SharedStep>> moving = planShared(source, result, target, why)) {
    const SharedStep &step = moving->step;
    plan.kind = ConversionPlan::Kind::Shared;
    plan.shared = step;
    surround(plan, *moving, source, result);
    unsigned barriers = 2 * step.slices - 1;
    plan.cost = step.slices * (step.store.wavefronts + step.load.wavefronts) + permuteCost(plan) +
                double(barriers) * (step.perWarp ? target.warpBarrier : target.blockBarrier);
    if (!best || plan.cost < best->cost)
      best = plan;
  }
  return best ? best : refuse(why);
}

static std::string describe(const char *what, const SharedAccess &access) {
  static constexpr const char *kNames[] = {"vectors", "matrices", "transposed matrices"};
  return std::string(what) + " " + std::to_string(access.ofInstruction.size()) + " x " + std::to_string(access.bytes) +
         " bytes as " + kNames[unsigned(access.kind)] + ", " + std::to_string(access.wavefronts) + " wavefronts";
}

std::string adze::describe(const ConversionPlan &plan) {
  std::string permutes =
      std::to_string(plan.before.instructions()) + " + " + std::to_string(plan.after.instructions()) + " byte permutes";
  switch (plan.kind) {
  case ConversionPlan::Kind::Nothing:
    return "nothing";
  case ConversionPlan::Kind::RenameRegisters:
    return "registers renamed";
  case ConversionPlan::Kind::PermuteBytes:
    return permutes;
  case ConversionPlan::Kind::Shuffle:
    return std::to_string(plan.shuffle->rounds.size()) + " rounds, " + std::to_string(plan.shuffle->shuffles()) +
           " shuffles, " + std::to_string(plan.shuffle->selects()) + " selects, " + permutes;
  case ConversionPlan::Kind::Shared:
    break;
  }
  const SharedStep &step = *plan.shared;
  return std::to_string(step.slices) + " slices of " + std::to_string(step.bytes) + " bytes for each " +
         (step.perWarp ? "warp" : "block") + ": " + ::describe("store", step.store) + "; " +
         ::describe("load", step.load) + "; " + permutes;
}

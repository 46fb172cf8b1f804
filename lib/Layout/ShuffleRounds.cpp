// Rounds of shuffles. Words of the result are numbered by w, lanes by l; the source has words v and lanes m. In round t
// lane l receives word w = t + K l. Which (m, v) holds that? Some (m, v) with A(m, v) = B(l, w); the function is linear
// for each choice of K and of the copies. One shuffle serves all lanes if lanes that read the same m want the same v.
//
// K and the copies are chosen lane bit by lane bit: each gets a pair (m, v) so that either m is independent of the
// lanes chosen so far, or (m, v) is a sum of pairs chosen so far (the lane then wants what another one receives).
//
// Why there always is one. Let R be the span of the source's words, W of the result's, T of what the lane bits so far
// receive, s their number. Suppose neither is possible for the next bit b. Independent m are then used up: all of
// b + W lies in T + R, and the lanes that could hold the same are used, so T + R has dimension at most
// dim X + s - 5. But b is no sum of earlier bits and W, or the second form would do; so T + W + b has dimension more
// than that (W has codimension at most 5 minus the result's lane copies, each of which took at most one lane):
// contradiction.
#include "ConversionSteps.h"

#include <algorithm>
#include <bit>

using namespace adze;

namespace {
/// Where an element is: word and lane of the source.
struct Place {
  uint32_t lane, word;
};

/// All places of a vector, from one solution and the kernel of the source's map.
class Sources {
public:
  Sources(const BitVectors &words, const BitVectors &lanes) : wordBits(words.size()), space(words) {
    BitVectors kernel;
    for (unsigned i = 0; i < lanes.size(); ++i) {
      if (std::optional<uint64_t> sum = space.combination(lanes[i]))
        kernel.push_back(*sum ^ uint64_t(1) << (wordBits + i));
      space.add(lanes[i]);
    }
    for (uint64_t i = 0; i < uint64_t(1) << kernel.size(); ++i)
      copies.push_back(combine(kernel, i));
  }
  bool contains(BitVector vector) const { return space.contains(vector); }
  std::vector<Place> of(BitVector vector) const {
    std::vector<Place> places;
    for (uint64_t copy : copies) {
      uint64_t index = *space.combination(vector) ^ copy;
      places.push_back({uint32_t(index >> wordBits), uint32_t(index & ((uint64_t(1) << wordBits) - 1))});
    }
    return places;
  }
  /// The place in the same lane, or else in the nearest.
  Place nearest(BitVector vector) const {
    std::vector<Place> places = of(vector);
    return *std::ranges::min_element(
        places, {}, [](const Place &place) { return std::pair(std::popcount(place.lane), std::popcount(place.word)); });
  }

private:
  unsigned wordBits;
  BitSpace space;
  BitVectors copies;
};

/// What the lane bits chosen so far read: lanes, and for each independent one the word that it sends.
struct Senders {
  BitSpace lanes;
  BitVectors chosen, words;

  bool accepts(const Place &place) const {
    std::optional<uint64_t> sum = lanes.combination(place.lane);
    return !sum || combine(words, *sum) == place.word;
  }
  void add(const Place &place) {
    if (!lanes.contains(place.lane)) {
      lanes.add(place.lane);
      chosen.push_back(place.lane);
      words.push_back(place.word);
    }
  }
  /// The word that lane `lane` sends in round 0, for the lanes that are read; a linear function.
  uint32_t wordOf(uint32_t lane) const {
    BitVectors all = extended(chosen, unitVectors(kLaneBits));
    uint64_t sum = *BitSpace(all).combination(lane);
    return uint32_t(combine(words, sum & ((uint64_t(1) << words.size()) - 1)));
  }
};
} // namespace

std::optional<MovingStep<ShuffleStep>> adze::planShuffle(const ByteMap &from, const ByteMap &to) {
  Scope scope = Scope::of(from, false);
  if (!scope.holds(from, to))
    return std::nullopt;
  ByteMap source = scope.within(from, nullptr), result = scope.within(to, &from);
  // Bits that stay inside words, then a basis through every lane: in its coordinates a word is its upper bits.
  BitVectors inWord =
      sharedVectors(source.reg, result.reg, basisThrough({}, {source.threads(), result.threads()}), kWordBits);
  BitVectors basis = basisThrough(inWord, {source.threads(), result.threads(), source.reg});
  BitSpace coordinates(basis);
  source = source.inCoordinatesOf(coordinates);
  result = result.inCoordinatesOf(coordinates);
  auto wordsOf = [&](const BitVectors &registers) {
    BitVectors upper;
    for (BitVector vector : registers)
      upper.push_back(vector >> inWord.size() << inWord.size());
    return independent(upper);
  };
  BitVectors sent = wordsOf(source.reg), received = wordsOf(result.reg);
  Sources sources(sent, source.lane);

  MovingStep<ShuffleStep> plan;
  ShuffleStep &step = plan.step;
  Senders senders;
  for (unsigned bit = 0; bit < kLaneBits; ++bit) {
    struct Choice {
      unsigned cost;
      uint32_t keep;
      Place place;
    };
    std::optional<Choice> best;
    for (uint32_t keep = 0; keep < 1u << received.size(); ++keep)
      for (const Place &place : sources.of(result.lane[bit] ^ combine(received, keep)))
        if (senders.accepts(place)) {
          unsigned cost = 16 * (place.lane != 1u << bit) + std::popcount(keep) + std::popcount(place.word);
          if (!best || cost < best->cost)
            best = Choice{cost, keep, place};
        }
    if (!best)
      return std::nullopt;
    senders.add(best->place);
    step.laneOfLane.push_back(best->place.lane);
    step.keepOfLane.push_back(best->keep);
  }
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    step.sendOfLane.push_back(senders.wordOf(1u << bit));
  for (BitVector vector : result.above) {
    Place place = sources.nearest(vector);
    step.laneOfThread.push_back(place.lane);
    step.sendOfThread.push_back(senders.wordOf(place.lane) ^ place.word);
  }
  BitVectors laneOfWord, sendOfWord;
  for (BitVector vector : received) {
    Place place = sources.nearest(vector);
    laneOfWord.push_back(place.lane);
    sendOfWord.push_back(senders.wordOf(place.lane) ^ place.word);
  }
  for (uint32_t t = 0; t < 1u << received.size(); ++t)
    step.rounds.push_back({uint32_t(combine(laneOfWord, t)), uint32_t(combine(sendOfWord, t)), t});
  // Back from coordinates to bytes.
  auto inBytes = [&](const BitVectors &vectors) {
    BitVectors bytes;
    for (BitVector vector : vectors)
      bytes.push_back(combine(basis, vector));
    return bytes;
  };
  plan.sent = {inWord, inBytes(sent)};
  plan.received = {inWord, inBytes(received)};
  return plan;
}

bool ShuffleStep::isLocal(const Round &round) const {
  bool own = round.lane == 0;
  for (unsigned bit = 0; bit < laneOfLane.size(); ++bit)
    own &= laneOfLane[bit] == 1u << bit;
  return own && std::ranges::count(laneOfThread, 0u) == std::ptrdiff_t(laneOfThread.size());
}

unsigned ShuffleStep::shuffles() const {
  return std::ranges::count_if(rounds, [&](const Round &round) { return !isLocal(round); });
}

unsigned ShuffleStep::selects() const {
  BitVectors send(sendOfLane.begin(), sendOfLane.end()), keep(keepOfLane.begin(), keepOfLane.end());
  send.insert(send.end(), sendOfThread.begin(), sendOfThread.end());
  return rounds.size() * ((1u << rank(send)) - 1 + rank(keep));
}

#include "adze/Layout/PlanExecutor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

using namespace adze;

static constexpr unsigned kLanes = 32, kBanks = 32;

static uint32_t exclusiveOr(std::span<const uint32_t> ofBits, uint32_t number) {
  uint32_t sum = 0;
  for (size_t i = 0; i < ofBits.size(); ++i)
    sum ^= number >> i & 1 ? ofBits[i] : 0;
  return sum;
}

RegisterFile adze::applyPermute(const BytePermute &permute, const RegisterFile &in) {
  unsigned threads = in.words ? in.data.size() / in.words : 0;
  RegisterFile out(permute.words(), threads);
  for (unsigned thread = 0; thread < threads; ++thread)
    for (size_t byte = 0; byte < permute.source.size(); ++byte)
      if (int32_t from = permute.source[byte]; from >= 0) {
        uint32_t value = in.at(thread, from / 4) >> from % 4 * 8 & 0xFF;
        uint32_t &word = out.at(thread, byte / 4);
        word = (word & ~(0xFFu << byte % 4 * 8)) | value << byte % 4 * 8;
      }
  return out;
}

static RegisterFile applyShuffle(const ShuffleStep &step, const RegisterFile &in, ExecutionCounts &counts) {
  unsigned threads = in.data.size() / in.words;
  RegisterFile out(step.rounds.size(), threads);
  for (unsigned first = 0; first < threads; first += kLanes) {
    unsigned above = first / kLanes;
    for (const ShuffleStep::Round &round : step.rounds) {
      std::array<uint32_t, kLanes> offered{};
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint32_t word = exclusiveOr(step.sendOfLane, lane) ^ exclusiveOr(step.sendOfThread, above) ^ round.send;
        if (word < in.words)
          offered[lane] = in.at(first + lane, word);
        else
          counts.fault = "a lane sends word " + std::to_string(word) + " of " + std::to_string(in.words);
      }
      counts.shuffles += !step.isLocal(round);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint32_t source = exclusiveOr(step.laneOfLane, lane) ^ exclusiveOr(step.laneOfThread, above) ^ round.lane;
        uint32_t word = exclusiveOr(step.keepOfLane, lane) ^ round.keep;
        if (source < kLanes && word < out.words)
          out.at(first + lane, word) = offered[source];
        else
          counts.fault = "a lane reads lane " + std::to_string(source) + " into word " + std::to_string(word);
      }
    }
  }
  return out;
}

/// Steps that 32 banks of 4 bytes need for all these bytes: the most different words of one bank.
static uint64_t wavefronts(const std::vector<std::pair<uint32_t, uint32_t>> &pieces) {
  std::array<std::set<uint32_t>, kBanks> words;
  for (auto [address, bytes] : pieces)
    for (uint32_t byte = address; byte < address + bytes; ++byte)
      words[byte / 4 % kBanks].insert(byte / 4);
  size_t most = 0;
  for (const std::set<uint32_t> &bank : words)
    most = std::max(most, bank.size());
  return most;
}

uint64_t adze::applyAccess(const SharedAccess &access, bool store, std::span<uint8_t> memory, RegisterFile &registers,
                           unsigned firstThread, unsigned above, unsigned firstWord, std::string &fault) {
  bool matrices = access.kind != SharedAccess::Kind::Vector;
  unsigned words = std::max(1u, access.bytes / 4), piece = matrices ? 16 : access.bytes;
  unsigned lanesOfPhase = matrices ? 8 : std::min(kLanes, 128 / access.bytes);
  unsigned lanesAsked = matrices ? 8 * words : kLanes; // lanes whose addresses matter
  uint64_t steps = 0;
  for (size_t j = 0; j < access.ofInstruction.size(); ++j) {
    std::array<uint32_t, kLanes> address{};
    for (unsigned lane = 0; lane < lanesAsked; ++lane) {
      address[lane] = exclusiveOr(access.ofLane, lane) ^ exclusiveOr(access.ofThread, above) ^ access.ofInstruction[j];
      if (address[lane] % piece || address[lane] + piece > memory.size()) {
        fault = "address " + std::to_string(address[lane]) + " of " + std::to_string(piece) + " bytes in " +
                std::to_string(memory.size());
        return steps;
      }
    }
    for (unsigned lane = 0; lane < lanesAsked; lane += lanesOfPhase) {
      std::vector<std::pair<uint32_t, uint32_t>> pieces;
      for (unsigned i = lane; i < lane + lanesOfPhase; ++i)
        pieces.push_back({address[i], piece});
      steps += wavefronts(pieces);
    }
    auto move = [&](unsigned lane, unsigned word, unsigned byte, uint32_t at, unsigned bytes) {
      uint8_t *reg =
          reinterpret_cast<uint8_t *>(&registers.at(firstThread + lane, firstWord + j * words + word)) + byte;
      store ? std::memcpy(&memory[at], reg, bytes) : std::memcpy(reg, &memory[at], bytes);
    };
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned word = 0; word < words; ++word)
        switch (access.kind) {
        case SharedAccess::Kind::Vector:
          move(lane, word, 0, address[lane] + 4 * word, std::min(4u, access.bytes));
          break;
        case SharedAccess::Kind::Matrix: // row lane / 4, units 2 (lane % 4) and the next
          move(lane, word, 0, address[8 * word + lane / 4] + lane % 4 * 4, 4);
          break;
        case SharedAccess::Kind::TransposedMatrix: // unit lane / 4 of rows 2 (lane % 4) and the next
          for (unsigned half = 0; half < 2; ++half)
            move(lane, word, 2 * half, address[8 * word + lane % 4 * 2 + half] + lane / 4 * 2, 2);
          break;
        }
  }
  return steps;
}

static RegisterFile applyShared(const SharedStep &step, unsigned warpBits, const RegisterFile &in, unsigned outWords,
                                ExecutionCounts &counts) {
  unsigned threads = in.data.size() / in.words, warps = 1u << warpBits;
  RegisterFile stored = in, out(outWords, threads);
  for (unsigned block = 0; block < threads / kLanes / warps; ++block)
    for (unsigned slice = 0; slice < step.slices; ++slice) {
      std::vector<uint8_t> memory(size_t(step.bytes) * (step.perWarp ? warps : 1), 0xCD);
      for (bool store : {true, false})
        for (unsigned warp = 0; warp < warps; ++warp) {
          unsigned above = block * warps + warp;
          std::span<uint8_t> part(memory);
          if (step.perWarp)
            part = part.subspan(size_t(warp) * step.bytes, step.bytes);
          unsigned firstWord = slice * (store ? in.words : outWords) / step.slices;
          (store ? counts.storeWavefronts : counts.loadWavefronts) +=
              applyAccess(store ? step.store : step.load, store, part, store ? stored : out, above * kLanes, above,
                          firstWord, counts.fault);
        }
    }
  return out;
}

RegisterFile adze::applyPlan(const ConversionPlan &plan, const RegisterFile &in, ExecutionCounts &counts) {
  RegisterFile moved = applyPermute(plan.before, in);
  if (plan.shuffle)
    moved = applyShuffle(*plan.shuffle, moved, counts);
  if (plan.shared) {
    unsigned words = std::max(1u, plan.shared->load.bytes / 4) * plan.shared->load.ofInstruction.size();
    moved = applyShared(*plan.shared, plan.warpBits, moved, words * plan.shared->slices, counts);
  }
  return applyPermute(plan.after, moved);
}

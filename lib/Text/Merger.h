// Merger.h: byte-pair merging of one piece of text.
//
// The pair with the lowest rank merges first, the leftmost of equal ones; what it makes may merge again. Short pieces
// scan all pairs; long ones keep a heap of candidates over a linked list, so that a run of a million letters costs n
// log n and not n squared.
//
// `Ranks` says which neighbours merge:
//   bool operator()(const Symbol &left, const Symbol &right, uint32_t &rank, uint32_t &result) const
// Symbols know their token and their place in the text (merging by score looks the joined text up).
#ifndef ADZE_TEXT_MERGER_H
#define ADZE_TEXT_MERGER_H

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace adze {

struct Symbol {
  uint32_t id, start, size; // size 0: swallowed by its left neighbour
};

struct MergeScratch {
  struct Candidate {
    uint32_t rank, left, right, result, size; // size of both when the candidate was made: tells stale ones
    bool operator>(const Candidate &other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  std::vector<Symbol> symbols;
  std::vector<uint32_t> previous, next;
  std::vector<Candidate> heap;
  std::vector<uint32_t> ranks, results;
};

namespace detail {

constexpr uint32_t noRank = UINT32_MAX;

template <class Ranks> void mergeShort(MergeScratch &scratch, const Ranks &rankOf) {
  std::vector<Symbol> &symbols = scratch.symbols;
  size_t count = symbols.size();
  scratch.ranks.resize(count);
  scratch.results.resize(count);
  auto update = [&](size_t i) {
    if (i + 1 >= count || !rankOf(symbols[i], symbols[i + 1], scratch.ranks[i], scratch.results[i]))
      scratch.ranks[i] = noRank;
  };
  for (size_t i = 0; i < count; ++i)
    update(i);
  while (count > 1) {
    size_t best = std::min_element(scratch.ranks.begin(), scratch.ranks.begin() + static_cast<ptrdiff_t>(count)) -
                  scratch.ranks.begin();
    if (scratch.ranks[best] == noRank)
      break;
    symbols[best].id = scratch.results[best];
    symbols[best].size += symbols[best + 1].size;
    for (size_t i = best + 1; i + 1 < count; ++i) {
      symbols[i] = symbols[i + 1];
      scratch.ranks[i] = scratch.ranks[i + 1];
      scratch.results[i] = scratch.results[i + 1];
    }
    --count;
    update(best);
    if (best > 0)
      update(best - 1);
  }
  symbols.resize(count);
}

template <class Ranks> void mergeLong(MergeScratch &scratch, const Ranks &rankOf) {
  std::vector<Symbol> &symbols = scratch.symbols;
  uint32_t count = static_cast<uint32_t>(symbols.size());
  scratch.previous.resize(count);
  scratch.next.resize(count);
  scratch.heap.clear();
  for (uint32_t i = 0; i < count; ++i) {
    scratch.previous[i] = i - 1; // of the first: never read as an index, see below
    scratch.next[i] = i + 1;
  }
  auto candidate = [&](uint32_t left, uint32_t right, MergeScratch::Candidate &out) {
    out.left = left;
    out.right = right;
    out.size = symbols[left].size + symbols[right].size;
    return rankOf(symbols[left], symbols[right], out.rank, out.result);
  };
  MergeScratch::Candidate made;
  for (uint32_t i = 0; i + 1 < count; ++i)
    if (candidate(i, i + 1, made))
      scratch.heap.push_back(made);
  std::make_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
  auto push = [&](uint32_t left, uint32_t right) {
    if (!candidate(left, right, made))
      return;
    scratch.heap.push_back(made);
    std::push_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
  };
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
    MergeScratch::Candidate top = scratch.heap.back();
    scratch.heap.pop_back();
    Symbol &left = symbols[top.left], &right = symbols[top.right];
    // Symbols only grow: a candidate is stale exactly when one of its two was swallowed or the sizes changed.
    if (left.size == 0 || right.size == 0 || left.size + right.size != top.size)
      continue;
    left.id = top.result;
    left.size = top.size;
    right.size = 0;
    uint32_t after = scratch.next[top.right];
    scratch.next[top.left] = after;
    if (after < count) {
      scratch.previous[after] = top.left;
      push(top.left, after);
    }
    if (top.left > 0)
      push(scratch.previous[top.left], top.left);
  }
  symbols.erase(std::remove_if(symbols.begin(), symbols.end(), [](const Symbol &s) { return s.size == 0; }),
                symbols.end());
}

} // namespace detail

// Merges scratch.symbols in place.
template <class Ranks> void mergeSymbols(MergeScratch &scratch, const Ranks &rankOf) {
  if (scratch.symbols.size() <= 32)
    detail::mergeShort(scratch, rankOf);
  else
    detail::mergeLong(scratch, rankOf);
}

} // namespace adze

#endif // ADZE_TEXT_MERGER_H

// One table: name, cpuid leaf, register, bit, and the state that the system must save for it.
#include "adze/Runtime/Artifact/CpuFeatures.h"

#include "adze/Support/TileRegisters.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdint>

using namespace adze;

namespace {
enum Register { Eax, Ebx, Ecx, Edx };
// Bits of XCR0 that must be set: SSE and AVX; with the three of AVX-512; with the two of AMX.
constexpr uint64_t kNone = 0, kAvx = 0x6, kAvx512 = 0xe6, kAmx = 0x60000;

struct Row {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  uint64_t state;
};

constexpr Row kRows[] = {
    {"amx-bf16", 7, 0, Edx, 22, kAmx},      {"amx-int8", 7, 0, Edx, 25, kAmx},
    {"amx-tile", 7, 0, Edx, 24, kAmx},      {"avx", 1, 0, Ecx, 28, kAvx},
    {"avx2", 7, 0, Ebx, 5, kAvx},           {"avx512bf16", 7, 1, Eax, 5, kAvx512},
    {"avx512bw", 7, 0, Ebx, 30, kAvx512},   {"avx512cd", 7, 0, Ebx, 28, kAvx512},
    {"avx512dq", 7, 0, Ebx, 17, kAvx512},   {"avx512f", 7, 0, Ebx, 16, kAvx512},
    {"avx512fp16", 7, 0, Edx, 23, kAvx512}, {"avx512vl", 7, 0, Ebx, 31, kAvx512},
    {"avx512vnni", 7, 0, Ecx, 11, kAvx512}, {"avxvnni", 7, 1, Eax, 4, kAvx},
    {"bmi", 7, 0, Ebx, 3, kNone},           {"bmi2", 7, 0, Ebx, 8, kNone},
    {"cx16", 1, 0, Ecx, 13, kNone},         {"f16c", 1, 0, Ecx, 29, kAvx},
    {"fma", 1, 0, Ecx, 12, kAvx},           {"lzcnt", 0x80000001, 0, Ecx, 5, kNone},
    {"movbe", 1, 0, Ecx, 22, kNone},        {"popcnt", 1, 0, Ecx, 23, kNone},
    {"sse3", 1, 0, Ecx, 0, kNone},          {"sse4.1", 1, 0, Ecx, 19, kNone},
    {"sse4.2", 1, 0, Ecx, 20, kNone},       {"ssse3", 1, 0, Ecx, 9, kNone},
};

uint64_t savedState() {
  uint32_t registers[4];
  if (!__get_cpuid(1, &registers[0], &registers[1], &registers[2], &registers[3]) || !(registers[2] >> 27 & 1))
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool present(const Row &row) {
  uint32_t registers[4] = {};
  if (!__get_cpuid_count(row.leaf, row.subleaf, &registers[Eax], &registers[Ebx], &registers[Ecx], &registers[Edx]))
    return false;
  if (!(registers[row.where] >> row.bit & 1) || (savedState() & row.state) != row.state)
    return false;
  // Tile registers are there for a process that asks. Whoever checks an artifact's features is about to run it.
  return row.state != kAmx || requestTileRegisters();
}
} // namespace

FeatureState adze::cpuFeature(std::string_view name) {
  auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &row) { return row.name == name; });
  if (row == std::end(kRows))
    return FeatureState::Unknown;
  return present(*row) ? FeatureState::Present : FeatureState::Absent;
}

std::vector<std::string> adze::presentCpuFeatures() {
  std::vector<std::string> names;
  for (const Row &row : kRows)
    if (present(row))
      names.emplace_back(row.name);
  return names;
}

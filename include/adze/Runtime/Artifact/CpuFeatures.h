// CpuFeatures.h: what the machine's processor and system offer, by the names that manifests use (LLVM's: avx2, fma,
// f16c, avx512vnni, ...).
//
// Asked with cpuid and xgetbv: a feature whose registers the system does not save counts as absent. Asking for an
// AMX feature also asks the system for the tile registers, for the rest of this process. Safe from any thread.
#ifndef ADZE_RUNTIME_ARTIFACT_CPUFEATURES_H
#define ADZE_RUNTIME_ARTIFACT_CPUFEATURES_H

#include <string>
#include <string_view>
#include <vector>

namespace adze {

enum class FeatureState { Present, Absent, Unknown };

/// Unknown: this runtime has never heard of the name, so it cannot vouch for it.
FeatureState cpuFeature(std::string_view name);

/// Every feature of the machine that this runtime knows, sorted.
std::vector<std::string> presentCpuFeatures();

} // namespace adze
#endif

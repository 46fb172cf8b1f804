// SizedStruct.h: structs that begin with their own size, so that programs and libraries of different age understand
// each other.
//
// A caller's struct may be shorter than ours (an older program: what it lacks keeps the meaning that it had) or longer
// (a program made for a later library: what we do not know must be 0, which every added field defines as "as before").
#ifndef ADZE_LIB_RUNTIME_API_SIZEDSTRUCT_H
#define ADZE_LIB_RUNTIME_API_SIZEDSTRUCT_H

#include "adze/Support/Status.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace adze::api {

/// `name` and the size of the struct in version 1 of the interface, under which nothing was ever built.
struct SizedName {
  std::string_view name;
  size_t smallest;
};

inline Status checkSize(size_t size, SizedName what) {
  // Far more than any struct will have: a size that was never set must not make us read or write that much.
  constexpr size_t kMost = 4096;
  if (size >= what.smallest && size <= kMost)
    return Status();
  return invalidInput(
      fmt::format("the size of {} is given as {}; accepted: {} to {}, the sizeof of the header that the "
                  "program was built with",
                  what.name, size, what.smallest, kMost));
}

/// The caller's struct over `value`, which holds what absent fields mean.
template <class T> Expected<T> readStruct(const T &given, T value, SizedName what) {
  size_t size = given.struct_size;
  if (Status status = checkSize(size, what); !status.ok())
    return status;
  std::memcpy(&value, &given, std::min(size, sizeof(T)));
  value.struct_size = sizeof(T);
  const char *bytes = reinterpret_cast<const char *>(&given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i])
      return unsupported(fmt::format("{} uses a field at byte {}, which this version of the library does not have; use "
                                     "a library at least as new as the program's Adze.h",
                                     what.name, i));
  return value;
}

/// `value` into a struct of the caller of `size` bytes.
template <class T> Status writeStruct(T value, T *target, size_t size, SizedName what) {
  if (Status status = checkSize(size, what); !status.ok())
    return status;
  value.struct_size = size;
  std::memset(static_cast<void *>(target), 0, size);
  std::memcpy(static_cast<void *>(target), &value, std::min(size, sizeof(T)));
  return Status();
}

} // namespace adze::api
#endif

// program.so by dlopen. The file is freestanding (no needed library, no undefined symbol), so loading it runs nothing
// of anybody else's; RTLD_LOCAL keeps two artifacts of one process apart.
#include "adze/Runtime/Artifact/Artifact.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <utility>

using namespace adze;

Expected<LoadedProgram> LoadedProgram::open(const std::string &path) {
  // A name without a slash would be searched for in the system's folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return invalidInput(fmt::format("{} cannot be loaded ({}); compile the model again", path, dlerror()));
  LoadedProgram loaded(handle, nullptr);
  auto entry = reinterpret_cast<const AdzeProgram *(*)()>(dlsym(handle, ADZE_PROGRAM_SYMBOL));
  if (!entry)
    return invalidInput(
        fmt::format("{} has no symbol {}: it is not a program made by Adze", path, ADZE_PROGRAM_SYMBOL));
  loaded.table = entry();
  if (!loaded.table)
    return invalidInput(fmt::format("{} returned no program; compile the model again", path));
  if (loaded.table->version != ADZE_PROGRAM_VERSION)
    return unsupported(
        fmt::format("{} has version {} of the program interface; this runtime takes {}; compile the model "
                    "again with this release",
                    path, loaded.table->version, ADZE_PROGRAM_VERSION));
  if (!loaded.table->step || (loaded.table->kernel_count && !loaded.table->kernels))
    return invalidInput(fmt::format("{} has no step function or no kernels; compile the model again", path));
  return loaded;
}

LoadedProgram::LoadedProgram(LoadedProgram &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), table(std::exchange(other.table, nullptr)) {}

LoadedProgram &LoadedProgram::operator=(LoadedProgram &&other) noexcept {
  if (this != &other) {
    if (handle)
      dlclose(handle);
    handle = std::exchange(other.handle, nullptr);
    table = std::exchange(other.table, nullptr);
  }
  return *this;
}

LoadedProgram::~LoadedProgram() {
  if (handle)
    dlclose(handle);
}

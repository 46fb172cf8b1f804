#include "TileRunner.h"

#include "adze/Support/Hash.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace adze;
using namespace adze::test;

GuardedBytes::GuardedBytes(size_t size) {
  size_t page = size_t(sysconf(_SC_PAGESIZE)), whole = (size + page - 1) / page * page;
  mapped = whole + 2 * page;
  mapping = static_cast<uint8_t *>(mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (whole)
    mprotect(mapping + page, whole, PROT_READ | PROT_WRITE);
  begin = mapping + page + whole - size;
  std::memset(begin, 0xFF, size);
}
GuardedBytes::~GuardedBytes() { munmap(mapping, mapped); }

std::unique_ptr<TileKernel> TileKernel::load(const std::string &file, const std::string &name) {
  auto kernel = std::make_unique<TileKernel>();
  kernel->library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!kernel->library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  kernel->entry = reinterpret_cast<AdzeKernelEntry>(dlsym(kernel->library, name.c_str()));
  kernel->count = reinterpret_cast<AdzeKernelBlocks>(dlsym(kernel->library, (name + "_blocks").c_str()));
  return kernel->entry && kernel->count ? std::move(kernel) : nullptr;
}

TileKernel::~TileKernel() {
  if (library)
    dlclose(library);
}

static std::vector<uint64_t> words(const std::vector<void *> &pointers, std::initializer_list<int64_t> numbers) {
  std::vector<uint64_t> arguments;
  for (void *pointer : pointers)
    arguments.push_back(reinterpret_cast<uint64_t>(pointer));
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  return arguments;
}

int64_t TileKernel::blocks(const std::vector<void *> &pointers, int64_t tokens, int64_t requests, int64_t rows,
                           int64_t layer) const {
  return count(words(pointers, {tokens, requests, rows, layer}).data());
}

void TileKernel::run(const std::vector<void *> &pointers, int64_t tokens, int64_t requests, int64_t rows, int64_t layer,
                     int64_t pieces, int64_t first, int64_t last) const {
  std::vector<uint64_t> arguments = words(pointers, {tokens, requests, rows, layer});
  int64_t all = count(arguments.data());
  for (int64_t piece = first; piece < (last < 0 ? pieces : last); ++piece)
    entry(arguments.data(), all * piece / pieces, all * (piece + 1) / pieces);
}

std::string adze::test::storedKernel(const std::string &folder, const std::string &text, const TargetInfo &target) {
  return folder + "/" + hashText(std::string(target.name()) + text).substr(0, 16) + ".so";
}

std::string adze::test::fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[name, value] : values)
    for (size_t at = text.find("$" + name); at != std::string::npos; at = text.find("$" + name, at + value.size()))
      text.replace(at, name.size() + 1, value);
  return text;
}

std::string adze::test::storageText(const WeightPack &pack) {
  std::string text = "#tile.storage<[";
  for (size_t i = 0; i < pack.block.size(); ++i)
    text += (i ? ", " : "") + std::to_string(pack.block[i]);
  return text + "], \"" + pack.order + "\">";
}

uint16_t adze::test::toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
float adze::test::fromBf16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

#include "TileRunner.h"

#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Target/NativeCode.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
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

std::unique_ptr<TileKernel> TileKernel::compile(const std::string &text, const std::string &name,
                                                const TargetInfo &target) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                  mlir::math::MathDialect, mlir::vector::VectorDialect, mlir::LLVM::LLVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  tile::registerTileTransformsPasses();
  mlir::PassManager manager(&context);
  tile::buildTileToLLVM(manager, target.name());
  if (std::getenv("TILE_RUNNER_PRINT"))
    manager.enableIRPrinting();
  if (mlir::failed(manager.run(*module)))
    return nullptr;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return nullptr;
  Expected<std::string> object = compileToObject(*translated, target, {name, name + "_blocks"});
  if (!object) {
    std::fprintf(stderr, "%s\n", object.status().message().c_str());
    return nullptr;
  }
  auto kernel = std::make_unique<TileKernel>();
  kernel->undefined = *undefinedSymbols(*object);
  char folder[] = "/tmp/tile-runner-XXXXXX";
  if (!mkdtemp(folder))
    return nullptr;
  std::string path = std::string(folder) + "/kernel";
  std::ofstream(path + ".o", std::ios::binary) << *object;
  Status linked = linkSharedObject({path + ".o"}, path + ".so");
  if (linked.ok())
    kernel->library = dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  else
    std::fprintf(stderr, "%s\n", linked.message().c_str());
  if (!std::getenv("TILE_RUNNER_KEEP")) {
    std::remove((path + ".o").c_str());
    std::remove((path + ".so").c_str());
    std::remove(folder);
  }
  if (!kernel->library)
    return nullptr;
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
                     int64_t pieces) const {
  std::vector<uint64_t> arguments = words(pointers, {tokens, requests, rows, layer});
  int64_t all = count(arguments.data());
  for (int64_t piece = 0; piece < pieces; ++piece)
    entry(arguments.data(), all * piece / pieces, all * (piece + 1) / pieces);
}

std::vector<const TargetInfo *> adze::test::runnableTargets() {
  std::vector<const TargetInfo *> targets;
  const TargetInfo *host = hostTarget();
  for (std::string_view name : targetNames()) {
    if (!host)
      break;
    targets.push_back(findTarget(name));
    if (targets.back() == host)
      break;
  }
  return targets;
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

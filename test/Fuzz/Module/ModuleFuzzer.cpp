// fuzz-mlir: valid modules of every phase, mutated in memory, through our verifiers, passes and conversions, each of
// which must refuse with a message or succeed; what succeeds must be valid.
//
// An input is: the number of a file of seeds and of a module in it, the stage at which it is changed and the device,
// the number of a kernel, then mutations (ModuleMutator.h). With --print the changed module is written to stderr before
// anything looks at it: put what made a pass fail into a lit test, which stays readable when seeds change.
//
// MLIR's text and its parser are not under test: what --start-from gives is trusted like source code, within the limits
// of docs/Security.md.
#include "Seeds.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace adze::fuzz;

namespace {

bool printModules = false;

/// Types and attributes live as long as their context: a new one now and then keeps the process small.
Workshop &workshop() {
  constexpr unsigned kRunsOfAContext = 4000;
  static std::unique_ptr<Workshop> current;
  static unsigned runs = 0;
  if (!current || ++runs % kRunsOfAContext == 0) {
    current.reset();
    current = std::make_unique<Workshop>();
  }
  return *current;
}

/// All stages of a kernel from `stage` on; upstream's own lowering only where it is asked for, it takes half the time.
void lowerKernel(Workshop &shop, mlir::ModuleOp kernel, Device device, Stage stage, bool toLLVM) {
  for (; stage <= (toLLVM ? Lowering : Code); stage = Stage(stage + 1))
    if (!shop.run(device, stage, kernel))
      return;
}

} // namespace

/// LLVM's own libraries are not instrumented: containers and arenas that they fill are not known to the sanitizer, and
/// they are built without statistics, so that the counters of passes are what the allocator left (any bool but true or
/// false is an error).
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:malloc_fill_byte=1";
}

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  for (int i = 1; i < *argc; ++i)
    printModules = printModules || std::strcmp((*argv)[i], "--print") == 0;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Workshop &shop = workshop();
  FuzzBytes bytes(data, size);
  size_t file = bytes.byte(), part = bytes.byte();
  size_t place = bytes.byte();
  Stage stage = Stage(place % Lowering);
  Device device = Device(place / Lowering % 2);
  size_t choice = bytes.byte();
  mlir::ModuleOp seed = shop.seed(file, part, device, stage, choice % 16);
  if (!seed)
    return 0;
  mlir::OwningOpRef<mlir::ModuleOp> module(seed.clone());
  // What an input means must not depend on those before it.
  Ingredients ingredients = shop.ingredients();
  ingredients.collect(*module);
  mutateModule(*module, ingredients, bytes);
  if (printModules)
    module->print(llvm::errs(), mlir::OpPrintingFlags().printGenericOpForm());
  if (!shop.valid(*module))
    return 0;
  const bool toLLVM = choice >= 224;
  if (stage >= Peel) {
    lowerKernel(shop, *module, device, stage, toLLVM);
    return 0;
  }
  if (stage == Native) {
    mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
    shop.run(device, Plan, *copy);
  }
  for (; stage <= Native; stage = Stage(stage + 1)) {
    if (!shop.run(device, stage, *module))
      return 0;
    // One of the kernels, as the module has them all to lower.
    if (stage == Kernels)
      if (auto kernels = shop.kernels(*module); !kernels.empty())
        lowerKernel(shop, *kernels[choice % kernels.size()], device, Peel, toLLVM);
  }
  return 0;
}

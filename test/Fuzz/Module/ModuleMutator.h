// ModuleMutator.h: changes a valid module as a hostile or careless author of IR would: other attributes and types, on
// one op or wherever they occur, operands that come from elsewhere, ops that are missing, doubled or out of place.
//
// What comes out may be invalid in any way that the in-memory form allows, except for null operands: mlir's own printer
// and verifier must be able to look at it. The module stays in the given context; the same bytes give the same module.
#ifndef ADZE_TEST_FUZZ_MODULE_MODULEMUTATOR_H
#define ADZE_TEST_FUZZ_MODULE_MODULEMUTATOR_H

#include "FuzzBytes.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace adze::fuzz {

/// Attributes and types, of all seeds and of the module to be changed: what a mutation may put where something else
/// was.
class Ingredients {
public:
  void collect(mlir::ModuleOp module);

  std::vector<mlir::Attribute> attributes;
  std::vector<mlir::Type> types;

private:
  llvm::DenseSet<const void *> seen;
};

/// Applies mutations until the bytes end, 12 at most.
void mutateModule(mlir::ModuleOp module, const Ingredients &ingredients, FuzzBytes &bytes);

} // namespace adze::fuzz

#endif

// WeightTable.h: a family's tensors as llm.weight symbols.
#ifndef ADZE_LIB_IMPORT_FAMILIES_WEIGHTTABLE_H
#define ADZE_LIB_IMPORT_FAMILIES_WEIGHTTABLE_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Import/Family.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <set>

namespace adze::import {

// The symbols of one stored tensor: `data` for a float one, else its parts.
struct Weight {
  struct Part {
    std::string symbol;
    mlir::RankedTensorType type;
  };
  const EncodingInfo *encoding = nullptr;
  std::vector<int64_t> shape;
  std::map<TensorPart, Part> parts;
};

class WeightTable {
public:
  // Adds one llm.file per source file. `module` is the builder's place for symbols.
  WeightTable(const Checkpoint &checkpoint, const Family &family, mlir::ModuleOp module);

  // The weight of a role in a layer, its symbols added. A family without such a row, or a row that the configuration
  // turns off, gives nothing; a missing tensor or one of another shape is a failure.
  Expected<std::optional<Weight>> find(Role role, int64_t layer = 0);
  // As find, but the family must have it.
  Expected<Weight> get(Role role, int64_t layer = 0);
  // The head by the rule of B05, see the .cpp.
  Expected<Weight> head(const Weight &embedding);
  // A weight with a value.
  Weight constant(const std::string &symbol, const std::vector<float> &values);
  // Fails where the files hold a tensor that nobody asked for.
  Status finish() const;

private:
  const TensorRow *row(Role role) const;
  std::string nameOf(const TensorRow &row, int64_t layer) const {
    return nameInLayer(checkpoint.gguf ? row.ggufName : row.hfName, layer);
  }
  std::vector<int64_t> shapeOf(const TensorRow &row) const;
  Weight add(const TensorRow &row, int64_t layer, const StoredTensor &tensor, mlir::Location loc);

  const Checkpoint &checkpoint;
  const Family &family;
  mlir::OpBuilder builder;
  std::set<std::string> consumed;
};

} // namespace adze::import
#endif

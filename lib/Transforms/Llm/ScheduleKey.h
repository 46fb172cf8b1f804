// What a target's tables are asked by, for a product: the one place that reads it from the IR, so that the pass which
// forms groups and the pass which writes schedules get the same row.
#ifndef ADZE_LIB_TRANSFORMS_LLM_SCHEDULEKEY_H
#define ADZE_LIB_TRANSFORMS_LLM_SCHEDULEKEY_H

#include "adze/Dialect/Llm/IR/Products.h"
#include "adze/Target/TargetInfo.h"

namespace adze::llm {

inline Numerics numericsOf(Product product) {
  mlir::Type element = mlir::getElementTypeOrSelf(product.input());
  return element.isInteger(8) ? Numerics::A8 : element.isF32() ? Numerics::F32 : Numerics::Bf16;
}

/// Valid as long as the product's op is.
inline ScheduleKey scheduleKeyOf(Product product) {
  mlir::RankedTensorType weight = product.weightType();
  return {product.operation()->getName().stripDialect(), product.encoding(), numericsOf(product), weight.getDimSize(0),
          weight.getDimSize(1)};
}

} // namespace adze::llm

#endif // ADZE_LIB_TRANSFORMS_LLM_SCHEDULEKEY_H

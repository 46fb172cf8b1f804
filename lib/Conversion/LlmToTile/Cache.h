// Views of the cache's pool: [page][layer][K then V][kv head][page * dim elements], see !llm.kv.
#ifndef ADZE_LIB_CONVERSION_LLMTOTILE_CACHE_H
#define ADZE_LIB_CONVERSION_LLMTOTILE_CACHE_H

#include "KernelBuilder.h"

namespace adze {

/// The keys or the values of the pool as [page, layer, head, token in page, dim].
inline KernelBuilder::View cacheView(KernelBuilder &k, mlir::Value cache, bool values) {
  auto type = mlir::cast<llm::KvType>(cache.getType());
  int64_t head = type.getHeadElements(), half = type.getHeads() * head, page = type.getPage(), dim = type.getDim();
  bool tokenFirst = values || type.getKeys() == llm::KeyOrder::TokenDim;
  int64_t strides[] = {type.getLayers() * 2 * half, 2 * half, head, tokenFirst ? dim : 1, tokenFirst ? 1 : page};
  // The pool's size is the runtime's; page numbers come from its tables and lie inside.
  mlir::Value extents[] = {k.index(int64_t(1) << 40), k.index(type.getLayers()), k.index(type.getHeads()),
                           k.index(page), k.index(dim)};
  int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
  return k.makeView(k.pointerOfOperand(mlir::cast<mlir::BlockArgument>(cache).getArgNumber()), extents,
                    type.getElement(), strides, false, values ? half * bytes : 0);
}

} // namespace adze

#endif // ADZE_LIB_CONVERSION_LLMTOTILE_CACHE_H

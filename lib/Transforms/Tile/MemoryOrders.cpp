#include "MemoryOrders.h"

using namespace mlir;
using namespace adze;

MemoryOrder adze::tile::memoryOrderOf(LoadOp load) {
  auto type = load.getResult().getType();
  auto view = load.getView().getDefiningOp<ViewOp>();
  SmallVector<unsigned> dims;
  unsigned rank = load.getView().getType().getRank();
  for (int64_t d = 0; d < type.getRank(); ++d)
    dims.push_back(load.getDims() ? (*load.getDims())[d] : rank - type.getRank() + d);
  if (view && view.getStorage())
    if (auto pack = PackedOrder::make(view.getStorage()->getBlock(), view.getStorage()->getMap().str()))
      return packedOrder(type.getShape(), dims, *pack);
  SmallVector<unsigned> inner = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  auto stride = [&](unsigned tileDim) -> int64_t {
    if (view && view.getStrides())
      return (*view.getStrides())[dims[tileDim]];
    return int64_t(1) << 32 >> dims[tileDim]; // rows: the later the smaller
  };
  llvm::stable_sort(inner, [&](unsigned a, unsigned b) { return stride(a) < stride(b); });
  bool strided = view && view.getStrides();
  bool contiguous = !inner.empty() && (strided ? stride(inner[0]) == 1 : dims[inner[0]] + 1 == rank);
  return plainOrder(type.getShape(), inner, contiguous);
}

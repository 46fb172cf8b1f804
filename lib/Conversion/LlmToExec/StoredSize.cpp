#include "StoredSize.h"
#include "adze/Support/Mutant.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace adze;
using namespace adze::exec;

FailureOr<int64_t> adze::exec::storedBytes(RankedTensorType type) {
  auto packed = dyn_cast_or_null<llm::PackedAttr>(type.getEncoding());
  int64_t elements = 1;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    int64_t unit = packed && !ADZE_MUTANT("store-packs-without-padding") ? packed.getBlock()[i] : 1;
    if (extent > (int64_t(1) << 62) - unit ||
        llvm::MulOverflow(elements, int64_t(llvm::alignTo(extent, unit)), elements))
      return failure();
  }
  int64_t bits = 0;
  if (llvm::MulOverflow(elements, int64_t(type.getElementTypeBitWidth()), bits))
    return failure();
  return llvm::divideCeil(bits, 8);
}

FormAttr adze::exec::activationSize(RankedTensorType type, Rows rows) {
  int64_t bits = type.getElementTypeBitWidth();
  for (int64_t extent : type.getShape())
    bits *= ShapedType::isDynamic(extent) ? 1 : extent;
  SmallVector<int64_t> coefficients(FormAttr::TermCount, 0);
  unsigned term =
      type.hasStaticShape() ? FormAttr::Constant : (rows == Rows::Tokens ? FormAttr::Tokens : FormAttr::Rows);
  coefficients[term] = llvm::divideCeil(bits, 8);
  return FormAttr::get(type.getContext(), coefficients);
}

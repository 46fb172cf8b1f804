//===- Passes.h - passes on kernels of the tile dialect
//-------------------------------------------------------------===//
#ifndef ADZE_TRANSFORMS_TILE_PASSES_H
#define ADZE_TRANSFORMS_TILE_PASSES_H

#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Transforms/NumericEffect.h"
#include "mlir/Pass/Pass.h"

namespace adze::tile {

#define GEN_PASS_DECL
#include "adze/Transforms/Tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Transforms/Tile/Passes.h.inc"

} // namespace adze::tile

#endif // ADZE_TRANSFORMS_TILE_PASSES_H

//===- Tile.h - the tile dialect
//------------------------------------------------------------------------------------===//
//
// One block's sequential program on static tiles. What the ops mean stands in TileOps.td; why they are as they are in
// docs/Rationale/Tile.md.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_DIALECT_TILE_IR_TILE_H
#define ADZE_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "adze/Dialect/Tile/IR/TileDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Tile/IR/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Tile/IR/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "adze/Dialect/Tile/IR/TileOps.h.inc"

namespace adze::tile {
/// Names of the attributes that kernels carry.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kFamilyAttr = "tile.family";
inline constexpr llvm::StringLiteral kScheduleAttr = "tile.schedule";
inline constexpr llvm::StringLiteral kPackedAttr = "tile.packed";
inline constexpr llvm::StringLiteral kThreadsAttr = "tile.threads"; ///< of a block; tiles have layouts of threads
inline constexpr llvm::StringLiteral kTargetAttr = "tile.target";   ///< what the layouts were made for

/// Elements of one tile: four times those of 64 query heads of the widest head.
inline constexpr int64_t kMaxTileElements = 1 << 16;

/// i1, i4, i8, i16, i32, i64, f16, bf16, f32 or f64.
bool isNumber(mlir::Type type);
/// Why no value of a kernel may have this type; empty where it may. The verifier of `tile.kernel` asks for every value.
std::string whyNotInKernel(mlir::Type type);
/// Slots of a ring at most.
inline constexpr unsigned kMostStages = 8;
/// Bytes whose multiples tiles in shared memory start at.
inline constexpr int64_t kSharedAlignment = 128;
} // namespace adze::tile

#endif // ADZE_DIALECT_TILE_IR_TILE_H

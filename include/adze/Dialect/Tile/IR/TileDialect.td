// The tile dialect: what one thread block computes, written as a sequential program over whole static tiles.
#ifndef ADZE_DIALECT_TILE_IR_TILEDIALECT_TD
#define ADZE_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::adze::tile";
  let summary = "one block's program on static tiles; targets are reached from it by passes";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`. Its arguments are pointers (`!tile.ptr`) in the
    order of the packed argument block of include/adze/Abi/Program.h, then T, B, R and the layer as `index`. Its body
    makes views over the pointers and holds one or more `tile.grid` regions; a grid's region runs once for each tile
    origin. Inside, tiles are SSA values of builtin tensor type with a static shape; `arith`, `math` and `scf` do what
    has no op of its own here.

    Function attributes: `tile.kernel`, `tile.family = "linear"`, `tile.schedule = {...}`; `tile.threads = 128 : i64` and
    `tile.target = "sm_80"` where tiles have the layouts of a GPU's threads (tile-assign-thread-layouts). Argument attributes:
    `tile.packed = #tile.storage<...>` on a pointer to packed weights, for the packer and the checks.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let hasOperationAttrVerify = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;
class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> { let mnemonic = typeMnemonic; }
class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// ---------------------------------------------------------------- types
def Tile_Ptr : Tile_Type<"Ptr", "ptr"> {
  let summary = "global memory, an argument of a kernel";
  let description = [{
    Different pointer arguments of one kernel never overlap where one of them is written. A pointer is at least
    64-byte aligned.
  }];
}

def Tile_View : Tile_Type<"View", "view"> {
  let summary = "global memory with extents: pointer, SSA extents, static strides or a storage order";
  let parameters = (ins "unsigned":$rank, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $rank `,` $elementType `>`";
}

def Tile_Ring : Tile_Type<"Ring", "ring"> {
  let summary = "slots in the shared memory of a block, each with one tile for every field";
  let description = [{
    `!tile.ring<3, tensor<32x64xbf16, #tile.shared_order<"..">>, ...>`: three slots. Fields are tiles whose encoding is
    `#tile.shared_order`, so that who writes a slot and who reads it agree on every address.
  }];
  let parameters = (ins "unsigned":$stages, ArrayRefParameter<"::mlir::Type">:$fields);
  let assemblyFormat = "`<` $stages `,` $fields `>`";
  let genVerifyDecl = 1;
}

def Tile_Tensor : StaticShapeTensorOf<[AnyType]>;

// ---------------------------------------------------------------- attributes
def Tile_Regs : Tile_Attr<"Regs", "regs", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "where a tile's elements live: GF(2) map (register | lane | warp | block) -> coordinate";
  let description = [{
    One word a bit: letter = dimension (r, c, d, e = 0, 1, 2, 3), number = what the bit adds to that coordinate, `0` =
    copies. Groups are separated by `|`: registers, lanes, warps, blocks of a cluster; groups without bits at the end are
    left out. An empty register part means: the rest of the tile, row-major, in units of the lanes. That is the form a
    CPU uses, whose tiles need not be powers of two: `#tile.regs<"| c1 c2 c4">` puts eight neighbours along dimension
    1 into one vector; `#tile.regs<"|">` keeps each element as a scalar. In a kernel with `tile.threads` every map is
    whole: five lane bits, as many warp bits as the block has, and registers for what is left, if anything is.
  }];
  let parameters = (ins StringRefParameter<>:$map);
  let assemblyFormat = "`<` $map `>`";
}

def Tile_Shared : Tile_Attr<"Shared", "shared", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a tile in the shared memory of a block";
  let description = [{
    Rows one after the other, 16-byte pieces exchanged by the swizzle: `#tile.shared<0>` is plain, 32, 64 and 128 are the
    orders of adze/Layout/SharedSwizzle.h. `tile.convert_layout` writes and reads such a tile; a `tile.dot` without a
    matrix instruction takes its operands from there.
  }];
  let parameters = (ins "int64_t":$swizzle);
  let assemblyFormat = "`<` $swizzle `>`";
  let genVerifyDecl = 1;
}

def Tile_SharedOrder : Tile_Attr<"SharedOrder", "shared_order", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a tile in the shared memory of a block, in any linear order";
  let description = [{
    GF(2) map from element address bits to the coordinate, of every element once: `#tile.shared_order<"c1 c2 c4 c8 c16 c32
    r1+c8 r2+c16 r4+c32 r8">` is 16 rows of 64 with the swizzle of 128 bytes, `#tile.shared_order<"c1 c8 c16 c2 c4 r1 r2
    r4">` a block of a pack as it lies in memory. The tile of a ring's field, filled by `tile.put`; `tile.convert_layout`
    reads it into registers.
  }];
  let parameters = (ins StringRefParameter<>:$map);
  let assemblyFormat = "`<` $map `>`";
}

def Tile_Storage : Tile_Attr<"Storage", "storage"> {
  let summary = "packed blocks: GF(2) map from element address bits to the coordinate inside one block";
  let description = [{
    `#tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">`: element address bit 0 adds 4 to dimension 1, bit 1 adds 1
    and so on; 4-bit elements lie two in a byte, address bit 0 = 0 in the low half. Blocks follow each other
    row-major, ceil(extent / block) of them in each dimension, the last ones padded with zeros. The same notation as
    `#llm.packed` and as adze/Layout/LinearMap.h.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, StringRefParameter<>:$map);
  let assemblyFormat = "`<` `[` $block `]` `,` $map `>`";
  let genVerifyDecl = 1;
}

#endif // ADZE_DIALECT_TILE_IR_TILEDIALECT_TD

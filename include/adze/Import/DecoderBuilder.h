// DecoderBuilder.h: from a checked checkpoint to the step function of a decoder.
#ifndef ADZE_IMPORT_DECODERBUILDER_H
#define ADZE_IMPORT_DECODERBUILDER_H

#include "adze/Import/Family.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace adze::import {

// Fails by name for a tensor that is missing, of another shape, or used by nobody.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> buildDecoder(const Checkpoint &checkpoint, mlir::MLIRContext &context);

} // namespace adze::import
#endif

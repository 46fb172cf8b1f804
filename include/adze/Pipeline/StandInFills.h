// StandInFills.h: what stands in for each weight of an artifact that is compiled without them (ManifestStandIn).
#ifndef ADZE_PIPELINE_STANDINFILLS_H
#define ADZE_PIPELINE_STANDINFILLS_H

#include "adze/Format/Manifest.h"
#include "adze/Pipeline/ArtifactWriter.h"

#include "mlir/IR/BuiltinOps.h"

namespace adze {

/// One entry for each segment. What a weight is (numbers of a matrix, of a vector, codes, their scales, ...) is read
/// from the source tensors of its expression; sizes are such that a product has the variance of its input, as trained
/// weights roughly do. Weights that no file holds, such as the table of inverse frequencies, are given as they are. No
/// file is opened.
Expected<ManifestStandIn> standInFills(mlir::ModuleOp module, const std::vector<SegmentPlace> &segments);

} // namespace adze
#endif

// Verifier of the batch.
#include "Verify.h"

using namespace mlir;
using namespace adze::llm;

LogicalResult MakeBatchOp::verify() {
  auto extent = [](Value value) { return tensorOf(value).getDimSize(0); };
  int64_t tokens = extent(getPosition());
  if (!agree(tokens, extent(getRequest())) || !agree(tokens, extent(getKvSlot())))
    return violates(*this, /*c1*/ 1) << "position, request and kv_slot have one extent";
  int64_t requests = extent(getKvLength());
  int64_t starts = ShapedType::isDynamic(requests) ? requests : requests + 1;
  if (!agree(requests, extent(getPromptLength())) || !agree(starts, extent(getQueryStart())) ||
      !agree(starts, extent(getPageStart())))
    return violates(*this, /*c2*/ 2)
           << "kv_length and prompt_length have one extent, query_start and page_start one more";
  return success();
}

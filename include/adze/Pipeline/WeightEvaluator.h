// WeightEvaluator.h: works out llm.weight expressions from mapped files, in row ranges.
//
// The artifact writer streams each weight once: rows are decoded from the file, moved, converted and packed piece by
// piece, so that the memory in use is a few megabytes whatever the weight's size. Between the steps of an expression an
// element takes 1, 2 or 4 bytes (4-bit codes one byte); the stored form has 4-bit codes two in a byte, the element with
// the even address in the low half.
//
// A module may come from a file that somebody edited: paths stay below `folder`, sizes and hashes must be those of
// llm.file, and every source tensor is checked against its file before a byte is read. Const methods are safe from
// several threads.
#ifndef ADZE_PIPELINE_WEIGHTEVALUATOR_H
#define ADZE_PIPELINE_WEIGHTEVALUATOR_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <span>
#include <string>

namespace adze {

class RowSource;

class WeightEvaluator {
public:
  // Maps every llm.file of the module below `folder`. A file of another size, or with `checkHashes` of another content,
  // is refused by name.
  static Expected<WeightEvaluator> open(mlir::ModuleOp module, const std::string &folder, bool checkHashes = true);
  // For weights that no file holds; one that reads a source tensor is refused.
  static WeightEvaluator withoutFiles();
  WeightEvaluator(WeightEvaluator &&) noexcept;
  WeightEvaluator &operator=(WeightEvaluator &&) noexcept;
  ~WeightEvaluator();

  // Bytes of the stored form: whole blocks where the type is packed.
  Expected<int64_t> storedBytes(llm::WeightOp weight) const;

  // Gives the stored form to `sink` in order, in pieces of a few megabytes at most. A failure of the sink ends it.
  Status write(llm::WeightOp weight, llvm::function_ref<Status(std::span<const uint8_t>)> sink) const;

  // The weight's elements row-major in logical order, whatever its packing: 4-bit codes one in a byte, 0..15.
  Expected<std::vector<uint8_t>> elements(llm::WeightOp weight) const;

  // The weight as the reference evaluator takes it. A provider made of it must not outlive this object.
  Expected<llm::reference::Tensor> tensor(llm::WeightOp weight) const;
  llm::reference::WeightProvider provider() const;

private:
  WeightEvaluator() = default;
  Expected<std::unique_ptr<RowSource>> source(mlir::Value value, int &parts) const;
  Status dropPages(llm::WeightOp weight) const;

  std::map<std::string, MappedFile, std::less<>> files; // by symbol
};

} // namespace adze
#endif

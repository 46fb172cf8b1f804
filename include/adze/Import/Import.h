// Import.h: the compiler's front door: a model's files to a module of the llm dialect and what goes beside it.
//
// A folder is read as Hugging Face lays it out, a file as GGUF. The module holds one llm.file per source file, one
// llm.weight per stored part of a tensor and  func @step ; activations are f32, weights as stored. No weight data is
// copied. Every configuration key, metadata key and tensor was consumed or is on a written list of harmless ones;
// anything else is a failure that names it.
#ifndef ADZE_IMPORT_IMPORT_H
#define ADZE_IMPORT_IMPORT_H

#include "adze/Format/GenerationDefaults.h"
#include "adze/Format/TokenizerTable.h"
#include "adze/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace adze::import {

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TokenizerTable tokenizer;
  GenerationDefaults generation;
  std::string licence; // text or name, as the files give it; may be empty
  std::string folder;  // the paths of llm.file are relative to it
};

struct ImportOptions {
  // Reads files of tensors whole, for their hashes. Without it llm.file of these has no hash, and of a file only the
  // header is read (and what settles the model: GGUF's rope_freqs.weight; a head that should equal the embedding).
  bool hashTensorFiles = true;
};

// Loads the dialects that it needs into `context`.
Expected<ImportedModel> importModel(const std::string &path, mlir::MLIRContext &context,
                                    const ImportOptions &options = {});

} // namespace adze::import

namespace adze {
using import::ImportedModel;
using import::importModel;
using import::ImportOptions;
} // namespace adze

#endif

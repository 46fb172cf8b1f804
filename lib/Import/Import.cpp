// Which door a path goes through.
#include "adze/Import/Import.h"

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Import/DecoderBuilder.h"
#include "adze/Import/Doors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <filesystem>

namespace adze::import {

Expected<ImportedModel> importModel(const std::string &path, mlir::MLIRContext &context, const ImportOptions &options) {
  context.loadDialect<llm::LlmDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return notFound(path + ": no such file or folder. Give a Hugging Face folder (config.json, tokenizer.json, "
                           "safetensors) or a GGUF file");
  if (path.ends_with(".safetensors"))
    return invalidInput(path +
                        ": one file of a model. Give the folder that holds it, with config.json and tokenizer.json");
  Expected<Checkpoint> checkpoint = std::filesystem::is_directory(status) ? openHuggingFace(path) : openGguf(path);
  if (!checkpoint)
    return checkpoint.takeStatus();
  checkpoint->hashFiles = options.hashTensorFiles;
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = buildDecoder(*checkpoint, context);
  if (!module)
    return module.takeStatus();
  ImportedModel model;
  model.module = std::move(*module);
  model.tokenizer = std::move(checkpoint->tokenizer);
  model.generation = std::move(checkpoint->generation);
  model.licence = std::move(checkpoint->licence);
  model.folder = std::move(checkpoint->folder);
  return model;
}

} // namespace adze::import

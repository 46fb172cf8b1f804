// Compiler.h: a model in, an artifact (or the text of a phase) out.
#ifndef ADZE_PIPELINE_COMPILER_H
#define ADZE_PIPELINE_COMPILER_H

#include "adze/Pipeline/CompileOptions.h"

namespace adze {

/// Runs the options. Progress and notes go to stderr, the text of a phase to the output or stdout. Failure: the message
/// says what to do; nothing is left on disk.
Status compile(const CompileOptions &options);

} // namespace adze

#endif

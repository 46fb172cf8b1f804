// ModuleText.h: what the text of a module must obey before MLIR's parser sees it.
//
// A module that a person gives to start from is trusted like source code: it decides what program is made. But a text
// must not bring the compiler down, and the parser is recursive: it overflows its stack on deep nesting, on long chains
// of operators, and aliases that name aliases stand for a text that is exponentially longer. So the text is scanned
// once, without recursion, and refused beyond the limits below; the message names the file, the line and the limit.
// Arrays of index (`array<index: 1>`) are refused too: the parser asks for the bits of an index.
//
// The scan knows strings, comments, brackets and names, no more. What it counts is never less than what the parser
// nests; texts that are no MLIR at all are the parser's to refuse. Pure function, O(size), safe from several threads.
#ifndef ADZE_PIPELINE_MODULETEXT_H
#define ADZE_PIPELINE_MODULETEXT_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace adze {

struct ModuleTextLimits {
  uint64_t bytes = 64u << 20; // of the file
  int nesting = 64;           // open (, [, {, < around one place; aliases count as what they stand for
  int operators = 64;         // +, - and * in one expression, between two separators
  uint64_t expanded = 65536;  // words of what one alias stands for, aliases in it written out
};

Status checkModuleText(std::string_view text, const std::string &file, const ModuleTextLimits &limits = {});

} // namespace adze

#endif

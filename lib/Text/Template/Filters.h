// Filters.h: shared by the two files of filters.
#ifndef ADZE_TEXT_TEMPLATE_FILTERS_H
#define ADZE_TEXT_TEMPLATE_FILTERS_H

#include "Interpreter.h"

namespace adze::tmpl {

struct FilterRow {
  std::string_view name;
  FilterFunction function;
};
// Filters whose subject is a sequence: SequenceFilters.cpp.
FilterFunction findSequenceFilter(std::string_view name);

bool flagArgument(const Arguments &arguments, size_t index, std::string_view name, bool absent);

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_FILTERS_H

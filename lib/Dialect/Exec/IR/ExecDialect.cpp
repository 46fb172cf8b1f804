// ExecDialect.cpp: registration, and the form attribute's text and arithmetic.
#include "adze/Dialect/Exec/IR/Exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze::exec;

#include "adze/Dialect/Exec/IR/ExecDialect.cpp.inc"
#include "adze/Dialect/Exec/IR/ExecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Exec/IR/ExecTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Exec/IR/ExecAttrs.cpp.inc"

void ExecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "adze/Dialect/Exec/IR/ExecTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "adze/Dialect/Exec/IR/ExecAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "adze/Dialect/Exec/IR/ExecOps.cpp.inc"
      >();
}

/// The letters after a term's number, in the order of FormAttr::Term.
static constexpr StringLiteral kTermLetters[FormAttr::TermCount] = {"", "T", "B", "R", "K", "V", "P", "PT", "PB", "PR"};

// form ::= `<` term (`+` term)* `>`     term ::= integer letter*
Attribute FormAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> coefficients(TermCount, 0);
  if (parser.parseLess())
    return {};
  do {
    int64_t value = 0;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseInteger(value))
      return {};
    std::string letters;
    StringRef letter;
    while (succeeded(parser.parseOptionalKeyword(&letter, {"P", "T", "B", "R", "K", "V"})))
      letters += letter;
    const auto *found = llvm::find(kTermLetters, letters);
    if (found == std::end(kTermLetters)) {
      parser.emitError(where, "no term is called '" + letters + "'; T, B, R, K, V, P and P before T, B or R are");
      return {};
    }
    int64_t &slot = coefficients[found - std::begin(kTermLetters)];
    if (llvm::AddOverflow(slot, value, slot)) {
      parser.emitError(where, "the coefficient of '" + letters + "' does not fit 64 bits");
      return {};
    }
  } while (succeeded(parser.parseOptionalPlus()));
  if (parser.parseGreater())
    return {};
  return FormAttr::getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(), coefficients);
}

void FormAttr::print(AsmPrinter &printer) const {
  printer << "<";
  bool any = false;
  for (unsigned i = 0; i < TermCount; ++i) {
    if (term(Term(i)) == 0)
      continue;
    printer << (any ? " + " : "") << term(Term(i));
    for (char letter : kTermLetters[i])
      printer << " " << letter;
    any = true;
  }
  printer << (any ? ">" : "0>");
}

LogicalResult FormAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> coefficients) {
  if (coefficients.size() != TermCount)
    return emitError() << "a form has " << unsigned(TermCount) << " coefficients, not " << coefficients.size();
  return success();
}

bool FormAttr::dominates(FormAttr other) const {
  return llvm::all_of(llvm::zip(getCoefficients(), other.getCoefficients()),
                      [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

double FormAttr::estimate(double t, double b, double r, double kv, double pairs, double pages) const {
  const double values[TermCount] = {1, t, b, r, kv, pairs, pages, pages * t, pages * b, pages * r};
  double total = 0;
  for (auto [coefficient, value] : llvm::zip(getCoefficients(), values))
    total += double(coefficient) * value;
  return total;
}

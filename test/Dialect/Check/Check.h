// The check dialect: expectations about values, for tests only.
#ifndef ADZE_TEST_DIALECT_CHECK_CHECK_H
#define ADZE_TEST_DIALECT_CHECK_CHECK_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Llm/Reference/Evaluator.h"

#include "CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "CheckOps.h.inc"

#endif // ADZE_TEST_DIALECT_CHECK_CHECK_H

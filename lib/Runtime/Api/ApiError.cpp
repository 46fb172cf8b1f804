#include "ApiError.h"

#include <cstring>
#include <string>

using namespace adze;

struct AdzeError {
  AdzeCode code;
  std::string message;
};

namespace {
// A short string needs no memory of its own, so this is made without any.
AdzeError &withoutMemory() {
  static AdzeError error{ADZE_RESOURCE_EXHAUSTED, "no memory"};
  return error;
}
} // namespace

AdzeCode api::codeOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidInput:
    return ADZE_INVALID_INPUT;
  case ErrorCode::NotFound:
    return ADZE_NOT_FOUND;
  case ErrorCode::Unsupported:
    return ADZE_UNSUPPORTED;
  case ErrorCode::ResourceExhausted:
    return ADZE_RESOURCE_EXHAUSTED;
  case ErrorCode::Cancelled:
    return ADZE_CANCELLED;
  case ErrorCode::Internal:
    return ADZE_INTERNAL;
  case ErrorCode::Io:
    return ADZE_IO;
  }
  return ADZE_INTERNAL;
}

AdzeCode api::report(const Status &status, AdzeError **error) noexcept {
  if (status.ok())
    return ADZE_OK;
  AdzeCode code = codeOf(status.code());
  if (!error)
    return code;
  try {
    *error = new AdzeError{code, status.message()};
  } catch (...) {
    *error = &withoutMemory();
  }
  return code;
}

extern "C" {

AdzeCode adze_error_code(const AdzeError *error) { return error ? error->code : AdzeCode(ADZE_OK); }

const char *adze_error_message(const AdzeError *error) { return error ? error->message.c_str() : ""; }

void adze_error_free(AdzeError *error) {
  if (error != &withoutMemory())
    delete error;
}

const char *adze_code_name(AdzeCode code) {
  if (code == ADZE_OK)
    return "ok";
  for (ErrorCode known : {ErrorCode::InvalidInput, ErrorCode::NotFound, ErrorCode::Unsupported,
                          ErrorCode::ResourceExhausted, ErrorCode::Cancelled, ErrorCode::Internal, ErrorCode::Io})
    if (api::codeOf(known) == code)
      return errorCodeName(known).data(); // of a literal, so a NUL follows
  return "unknown";
}

AdzeText adze_text(const char *string) { return {string, string ? std::strlen(string) : 0}; }

} // extern "C"

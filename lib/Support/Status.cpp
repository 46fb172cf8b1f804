#include "adze/Support/Status.h"

#include <cerrno>
#include <system_error>

namespace adze {

std::string_view errorCodeName(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidInput:
    return "invalid-input";
  case ErrorCode::NotFound:
    return "not-found";
  case ErrorCode::Unsupported:
    return "unsupported";
  case ErrorCode::ResourceExhausted:
    return "resource-exhausted";
  case ErrorCode::Cancelled:
    return "cancelled";
  case ErrorCode::Internal:
    return "internal";
  case ErrorCode::Io:
    return "io";
  }
  return "internal";
}

Status::Status(ErrorCode code, std::string message, std::source_location where)
    : failure(std::make_unique<Failure>(Failure{code, std::move(message), where})) {}

Status::Status(const Status &other) : failure(other.failure ? std::make_unique<Failure>(*other.failure) : nullptr) {}

Status &Status::operator=(const Status &other) {
  if (this != &other)
    failure = other.failure ? std::make_unique<Failure>(*other.failure) : nullptr;
  return *this;
}

ErrorCode Status::code() const { return failure ? failure->code : ErrorCode::Internal; }

const std::string &Status::message() const {
  static const std::string none;
  return failure ? failure->message : none;
}

std::source_location Status::location() const { return failure ? failure->where : std::source_location(); }

Status Status::withContext(std::string_view context) const {
  if (ok())
    return Status();
  return Status(failure->code, std::string(context) + ": " + failure->message, failure->where);
}

std::string Status::debugString() const {
  if (ok())
    return "ok";
  std::string_view file = failure->where.file_name();
  if (size_t slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return std::string(errorCodeName(failure->code)) + ": " + failure->message + " (" + std::string(file) + ":" +
         std::to_string(failure->where.line()) + ")";
}

Status invalidInput(std::string message, std::source_location where) {
  return Status(ErrorCode::InvalidInput, std::move(message), where);
}
Status notFound(std::string message, std::source_location where) {
  return Status(ErrorCode::NotFound, std::move(message), where);
}
Status unsupported(std::string message, std::source_location where) {
  return Status(ErrorCode::Unsupported, std::move(message), where);
}
Status resourceExhausted(std::string message, std::source_location where) {
  return Status(ErrorCode::ResourceExhausted, std::move(message), where);
}
Status cancelled(std::string message, std::source_location where) {
  return Status(ErrorCode::Cancelled, std::move(message), where);
}
Status internalError(std::string message, std::source_location where) {
  return Status(ErrorCode::Internal, std::move(message), where);
}
Status ioError(std::string message, std::source_location where) {
  return Status(ErrorCode::Io, std::move(message), where);
}

Status systemError(int errorNumber, std::string what, std::source_location where) {
  std::string message = std::move(what) + ": " + std::generic_category().message(errorNumber);
  if (errorNumber == ENOENT || errorNumber == ENOTDIR)
    return Status(ErrorCode::NotFound, std::move(message), where);
  if (errorNumber == ENOSPC || errorNumber == EDQUOT || errorNumber == ENOMEM || errorNumber == EMFILE)
    return Status(ErrorCode::ResourceExhausted, std::move(message), where);
  return Status(ErrorCode::Io, std::move(message), where);
}

} // namespace adze

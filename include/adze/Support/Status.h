// Status.h: how every room reports a failure without exceptions.
//
// A Status is either "ok" or a code, a message meant for the person who sees it, and the source line that made it. The
// message says what is wrong where (file, key, tensor, op), what was found, what is accepted and what to do; it carries
// no prefix such as "error:", because the tool that prints it adds one. An Expected<T> is a T or a failed Status.
//
//   Expected<uint32_t> count = reader.u32();
//   if (!count)
//     return count.status();
//   use(*count);
//
// Both are plain values: safe to move between threads, no global state. An ok Status costs one pointer.
#ifndef ADZE_SUPPORT_STATUS_H
#define ADZE_SUPPORT_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace adze {

enum class ErrorCode {
  InvalidInput,      // a file, option or request that breaks a stated rule
  NotFound,          // a file, key or name that should exist does not
  Unsupported,       // legal, but this build or this machine cannot do it
  ResourceExhausted, // a limit was reached; the message names it and the option that sets it
  Cancelled,         // the user or a signal asked to stop
  Internal,          // our fault
  Io                 // the operating system refused to read or write
};

// The spelling used in logs and in the C API, for example "invalid-input".
std::string_view errorCodeName(ErrorCode code);

class [[nodiscard]] Status {
public:
  Status() = default; // ok
  Status(ErrorCode code, std::string message, std::source_location where = std::source_location::current());
  Status(const Status &other);
  Status &operator=(const Status &other);
  Status(Status &&) noexcept = default;
  Status &operator=(Status &&) noexcept = default;

  static Status success() { return Status(); }

  bool ok() const { return !failure; }
  // code() is Internal and message() empty on an ok Status; callers ask ok() first.
  ErrorCode code() const;
  const std::string &message() const;
  // Where our code made the failure: for logs and bug reports, never shown as the user's place.
  std::source_location location() const;

  // The same failure with "context: " in front of the message; ok stays ok.
  Status withContext(std::string_view context) const;
  // "invalid-input: message (File.cpp:12)" or "ok".
  std::string debugString() const;

private:
  struct Failure {
    ErrorCode code;
    std::string message;
    std::source_location where;
  };
  std::unique_ptr<Failure> failure;
};

// A value or the reason why there is none.
template <class T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Status status) : failed(std::move(status)) {
    assert(!failed.ok() && "an Expected needs a value or a failure");
  }

  // Accepts what T can be made of (a unique_ptr of a derived class, for example), but never a Status.
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status> && !std::is_same_v<std::remove_cvref_t<U>, Expected<T>>)
  Expected(U &&value) : content(std::forward<U>(value)) {}

  bool ok() const { return content.has_value(); }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  const Status &status() const { return failed; }
  Status takeStatus() { return std::move(failed); }

private:
  T &value() {
    assert(content && "read of an Expected that holds a failure");
    return *content;
  }
  const T &value() const {
    assert(content && "read of an Expected that holds a failure");
    return *content;
  }

  std::optional<T> content;
  Status failed;
};

// One function per code keeps the call sites short. They take the finished message.
Status invalidInput(std::string message, std::source_location where = std::source_location::current());
Status notFound(std::string message, std::source_location where = std::source_location::current());
Status unsupported(std::string message, std::source_location where = std::source_location::current());
Status resourceExhausted(std::string message, std::source_location where = std::source_location::current());
Status cancelled(std::string message, std::source_location where = std::source_location::current());
Status internalError(std::string message, std::source_location where = std::source_location::current());
Status ioError(std::string message, std::source_location where = std::source_location::current());
// ioError or notFound from errno: "what: No such file or directory". A full disk is ResourceExhausted.
Status systemError(int errorNumber, std::string what, std::source_location where = std::source_location::current());

} // namespace adze

#endif // ADZE_SUPPORT_STATUS_H

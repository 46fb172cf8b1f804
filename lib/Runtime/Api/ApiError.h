// ApiError.h: from Status and from exceptions of libraries to the error values of Adze.h.
#ifndef ADZE_LIB_RUNTIME_API_APIERROR_H
#define ADZE_LIB_RUNTIME_API_APIERROR_H

#include "adze/Abi/Adze.h"
#include "adze/Support/Status.h"

#include <exception>
#include <new>

namespace adze::api {

AdzeCode codeOf(ErrorCode code);

/// Writes *error, where the caller wants one, and returns the code. Never throws: where there is no memory for an
/// error, *error is one that lives for ever.
AdzeCode report(const Status &status, AdzeError **error) noexcept;

/// Runs the body of an exported function, a callable that returns a Status. What our own code does not throw, libraries
/// may (memory above all); nothing passes the border.
template <class Body> AdzeCode guarded(AdzeError **error, Body body) noexcept {
  if (error)
    *error = nullptr;
  try {
    return report(body(), error);
  } catch (const std::bad_alloc &) {
    return report(resourceExhausted("the system has no memory left for this call"), error);
  } catch (const std::exception &thrown) {
    return report(internalError(thrown.what()), error);
  } catch (...) {
    return report(internalError("an exception of an unknown type"), error);
  }
}

} // namespace adze::api
#endif

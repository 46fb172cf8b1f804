// KernelCache.h: objects of kernels that were compiled before (--kernel-cache).
//
// Models of one shape share most of their kernels, and a model that is compiled again after a change of one pass shares
// nearly all. A kernel's object is a function of its tile function, the pipeline below it and this program, so the key
// is a hash of just these; a program of another build has other keys. Entries are one file each, with a hash of their
// bytes: a damaged one is as good as none. They appear whole, and a signal leaves no part of one (ScratchOutput.h). The
// folder holds code that artifacts will run: it must be the user's own. Never used in builds with mutants, whose code
// depends on more than the key.
//
// Threads: findOrMake() from any thread and any process.
#ifndef ADZE_PIPELINE_KERNELCACHE_H
#define ADZE_PIPELINE_KERNELCACHE_H

#include "adze/Support/Status.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace adze {

class KernelCache {
public:
  /// The cache in `folder`, which is made if it is absent; an empty name gives a cache that never finds anything.
  /// InvalidInput where the folder cannot be made.
  static Expected<KernelCache> open(const std::string &folder);

  /// The object of a kernel whose text is given by `text`: the one in the cache, or else the one that `make` makes,
  /// which is kept. `text` is called only where there is a cache. Errors are make's, or name the file that cannot be
  /// written.
  Expected<std::string> findOrMake(const std::function<std::string()> &text, std::string_view pipeline,
                                   const std::function<Expected<std::string>()> &make) const;

private:
  std::string keyOf(std::string_view kernel, std::string_view pipeline) const;
  std::optional<std::string> find(const std::string &key) const;
  Status keep(const std::string &key, const std::string &object) const;

  std::string folder;
  std::string program; ///< hash of this program's file
  std::unique_ptr<std::mutex> writing = std::make_unique<std::mutex>();
};

} // namespace adze

#endif // ADZE_PIPELINE_KERNELCACHE_H

// RemoveTree.h: deletes a file or a folder tree with system calls alone, so that a signal handler may do it.
//
// Uses no heap and no locks; links are removed, never followed. Levels below the eighth are left (nothing that Adze
// writes is that deep). Failures are silent: the caller is on its way out and has nothing better to do.
#ifndef ADZE_SUPPORT_REMOVETREE_H
#define ADZE_SUPPORT_REMOVETREE_H

namespace adze {

void removeTree(const char *path);

} // namespace adze

#endif // ADZE_SUPPORT_REMOVETREE_H

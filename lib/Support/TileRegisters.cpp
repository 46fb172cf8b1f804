#include "adze/Support/TileRegisters.h"

#include <sys/syscall.h>
#include <unistd.h>

bool adze::requestTileRegisters() {
  // From the kernel's asm/prctl.h and its documentation of dynamically enabled features; older headers lack them.
  constexpr int requestPermission = 0x1023, tileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return granted;
}

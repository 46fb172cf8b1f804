// TileRegisters.h: the system's permission to use AMX.
#ifndef ADZE_SUPPORT_TILEREGISTERS_H
#define ADZE_SUPPORT_TILEREGISTERS_H

namespace adze {

/// Asks Linux, once for this process and all its threads, to save the 8 KB of tile registers with a thread's state; an
/// AMX instruction before that is an illegal one. False where processor or system has none, or where the system refuses
/// (a sandbox, or a thread with a signal stack that is too small for them). Safe from any thread.
bool requestTileRegisters();

} // namespace adze

#endif // ADZE_SUPPORT_TILEREGISTERS_H

/* FakeDriver.h: an NVIDIA driver without a GPU, for tests of the CUDA device.
 *
 * FakeDriver.cpp is a shared library that exports the functions of libcuda.so.1 that Adze uses. It keeps what matters
 * of the real one: work given to a stream does not happen before its event is asked for, several times; copies take
 * host memory as it is when they happen, and only page-locked memory is accepted; memory of the device holds garbage at
 * first, and only kernels and copies may touch it; a captured stream runs nothing; a graph holds copies of its
 * arguments; after a fault every call fails. A kernel is a function of the test, or of the program for the CPU that the
 * code names in its first line, run with the argument block; what it says of its parameters is read from the code.
 * Misuse (freeing twice, unknown handles, host memory that is not locked) fails the call, and `misuse` counts it.
 *
 * A test reaches settings and counts by dlsym in the library that the device has loaded; a test that starts a program
 * gives settings in the variable FAKE_DRIVER. One thread at a time, but for what the threads of an upload call.
 */
#ifndef ADZE_TEST_CONFORMANCE_FAKEDRIVER_H
#define ADZE_TEST_CONFORMANCE_FAKEDRIVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs all blocks. 0, or the driver's number of a fault, or FAKE_NEVER_ENDS. */
typedef int (*FakeKernel)(const void *arguments, int64_t blocks);
#define FAKE_NEVER_ENDS -1

struct FakeDriverSettings {
  int version, initResult, devices, major, minor;
  uint64_t totalBytes, freeBytes;
  int asksBeforeReady; /* how often an event answers "not ready" before the work in front of it happens */
  int refusePinned;
  int refuseCopyAfter; /* so many copies to the device are taken and the next ones refused; -1: none is */
  int loadResult;      /* of loading a module */
  int launchResult;    /* of giving a kernel to a stream */
  int captureResult;   /* of ending a capture */
  int neverEnds;       /* no work ends any more: a lost GPU */
  int maxThreads;
  int idleKernels; /* kernels that nobody has given do nothing, where the code has them: for code of a compiler */
};

struct FakeDriverCounts {
  int64_t launches, graphLaunches, captures, toDevice, toHost, misuse;
  int64_t cubins; /* modules that were loaded from machine code */
  int64_t toHostBytes;
  int64_t liveMemory, livePinned, liveModules, liveGraphs, liveEvents, liveStreams, liveContexts;
};

typedef struct FakeDriverControl {
  struct FakeDriverSettings settings;
  struct FakeDriverCounts counts;
  /* Forgets everything, for the next test. */
  void (*reset)(void);
  void (*addKernel)(const char *name, FakeKernel kernel);
} FakeDriverControl;

/* The one extra symbol. */
FakeDriverControl *fakeDriverControl(void);

#ifdef __cplusplus
}
#endif
#endif

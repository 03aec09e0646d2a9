// What the emulator's libcudart exports beside CUDA's own symbols, for the worker and the command
// line. Plain C: found with dlsym("ladderEmulator"). A toolkit's runtime does not have it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of this table: raised with every change of it, so that nobody calls into another one's.
enum { LADDER_EMULATOR_VERSION = 3 };

struct LadderEmulator {
  uint32_t version;  // first in every version; the rest only if it is LADDER_EMULATOR_VERSION

  // The first device-side fault, finding of an observer, refused launch or bad address in a call
  // since reset, as the text shown to a learner (several lines: what, file:line, instruction,
  // block/thread, address, allocation, help), or NULL.
  const char* (*fault)(void);
  // The first call since reset that failed without a fault (of those whose error nobody has asked
  // for with cudaGetLastError, if there are such), and how:
  // "cudaMemcpy: cudaErrorInvalidValue: invalid argument", or NULL.
  const char* (*failed_call)(void);
  void (*reset)(void);  // forgets faults, counters, traces and the sticky error; allocations stay

  // Whether this library's handler of SIGSEGV has something to say about an access there. Safe in a
  // signal handler.
  int (*explains)(uint64_t address);

  // What watches launches to come: bits of watch.hpp.
  void (*watch)(uint32_t bits);
  // 0: warps run in order; else another order for each seed.
  void (*order_seed)(uint64_t seed);
  // Calls visit(name, value, context) for every counter summed since reset, then for what is
  // derived from them (counters.def); the "ideal" of X is X.ideal.
  void (*counters)(void (*visit)(const char* name, double value, void* context), void* context);
  // Writes what each launch since reset that was watched for counters did, and each of its source
  // lines, as JSON (runtime/launch_report.hpp). 0: it could not be written.
  int (*write_launches)(int descriptor);

  // What launches to come that are watched for it trace (TraceLimits of watch.hpp).
  void (*limit_trace)(uint64_t first_block, uint64_t blocks, uint64_t accesses);
  // Writes what was traced since reset as JSON (runtime/trace_report.hpp). 0: as above.
  int (*write_trace)(int descriptor);

  // Seconds spent executing kernels since reset (host time; never a GPU's).
  double (*kernel_seconds)(void);
  // Calls visit for each live device allocation (address, bytes).
  void (*allocations)(void (*visit)(uint64_t address, uint64_t bytes, void* context),
                      void* context);
  // What the allocation that begins at `address` is called in reports: an argument's name.
  void (*name_allocation)(uint64_t address, const char* name);
};

typedef const struct LadderEmulator* (*LadderEmulatorEntry)(void);  // "ladderEmulator"

#ifdef __cplusplus
}
#endif

// Environment of a program under the emulator (`ladder emulate`, whole programs):
//   LADDER_EMULATOR_THREADS=N       host cores used; default all
//   LADDER_EMULATOR_TIME_LIMIT=S    kernels stop with a fault naming where they were
//   LADDER_EMULATOR_WATCH=A,B       what watches kernels (watch.hpp); default memcheck
//   LADDER_EMULATOR_ORDER_SEED=N    another order of warps for each N; default 0, in order
//   LADDER_EMULATOR_FAULT_EXIT=N    exit code of a program that would exit with 0 although one of
//                                   its kernels faulted or an observer found something; default 0
//   LADDER_EMULATOR_FAIL=NAME:K     the K-th call (from 1) of the API function NAME fails
//   LADDER_EMULATOR_REPORT=FILE     at exit: JSON {calls{}, faults[], leaks[], launches,
//                                   counters{}, launch_records[]} (runtime/launch_report.hpp)
//   LADDER_EMULATOR_TRACE=FILE      at exit: JSON of who touched which address
//                                   (runtime/trace_report.hpp)
//   LADDER_EMULATOR_TRACE_BLOCKS=A  of each launch block number A, or A-B; default 0
//   LADDER_EMULATOR_TRACE_LIMIT=N   the first N accesses of warps; default 4096
//   LADDER_EMULATOR_DEVICE=NAME     properties of another device; default an H200's
//   LADDER_EMULATOR_QUIET=1         faults are kept for fault(), not printed on stderr

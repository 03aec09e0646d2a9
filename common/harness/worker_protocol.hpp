// What the checker and a worker say to each other: fixed-size messages over a SOCK_SEQPACKET
// socketpair, array contents in memfds that travel with a call.
//
// A solver shares the worker's process: one that means to can send a reply of its own. It gains
// nothing by it where answers are judged, for those are compared by the checker, with values that
// never come here, in memory that is poisoned before and guarded behind each call; the time limit
// and the ends of the process are seen from outside. Counters, times, what stayed allocated, and
// that nothing was found by the emulator, are only told: they are true of a solver that does not
// forge them.
//
// The layout of the results of a call, for every array in turn: guard, contents, guard.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::protocol {

constexpr int max_arguments = 16;
inline constexpr char stack_overflow[] = "stack overflow";  // the text of such a crash
constexpr std::size_t path_bytes = 4096;
constexpr std::size_t text_bytes = 8192;
constexpr int max_counters = 128;

// Bytes that guards and outputs hold before a call. 0xFF is a NaN in every float format, with a
// payload that no arithmetic of a GPU produces.
constexpr std::uint8_t guard_byte = 0xC5;
constexpr std::uint8_t float_poison = 0xFF;
constexpr std::uint8_t integer_poison = 0xA5;

constexpr std::uint8_t element_f32 = 0;  // ladder::ElementType::f32

enum class Request : std::uint32_t {
  open_runtime,   // path: libcudart; number: device index
  load_solver,    // path; the reply's number is its index
  load_ceilings,  // path: the object of ceilings.cu; needed before the requests of a bench
  call,           // solver, arguments; fds: inputs (read-only), results
  launches,       // fds: both a memfd, to which what the last call's launches did is written
  trace,          // the same, of what they touched, if the call was watched for it
  measure,        // what: number (Measure), bytes; the reply's device_us, and number: the flops
};

// What a GPU can do at best, each from cold L2 (see ceilings.cu).
enum class Measure : std::uint64_t {
  memcpy,         // cudaMemcpyAsync, device to device: bytes / 2 read, bytes / 2 written
  copy,           // the same bytes by a float4 kernel
  read,           // bytes read
  ffma,           // multiply-adds alone
  launch_queued,  // an empty kernel behind other work
  launch_idle,    // an empty kernel on an idle GPU
};

enum class Role : std::uint8_t { in, out, inout, i32, f32 };

struct Argument {
  char name[32];  // for the emulator's reports; cut if longer
  Role role;
  std::uint8_t poison;          // out: the byte its memory is filled with
  std::uint8_t element_type;    // ladder::ElementType
  std::uint8_t made_on_device;  // in, inout: by ladder_fill from the seed, not from the memfd
  std::uint32_t returned;       // whether it is copied to the results
  std::uint64_t bytes;          // arrays
  std::uint64_t elements;
  std::uint64_t scalar;         // the bits of an i32 or f32
  std::uint64_t input_offset;   // in the inputs' memfd: in, inout
  std::uint64_t result_offset;  // in the results' memfd: of the first guard
};

struct Command {
  Request request;
  std::uint32_t solver;
  std::uint32_t argument_count;
  std::uint32_t watch;            // call: what watches kernels (emulator/watch.hpp)
  std::uint32_t timed;            // call: from cold L2, between events
  std::uint32_t without_results;  // call: nothing is copied back
  std::uint64_t order_seed;       // call: of warps (emulator)
  // call: what is traced (emulator/watch.hpp).
  std::uint64_t trace_first_block, trace_blocks, trace_accesses;
  std::uint64_t guard_bytes;  // before and after each array
  std::uint64_t number;
  std::uint64_t bytes;
  std::uint64_t seed;
  Argument arguments[max_arguments];
  char path[path_bytes];
};

enum class Outcome : std::uint32_t {
  done,
  refused,           // ladder_refuse: text
  failed,            // ladder_fail (a CUDA_CHECK): text; code: the CUDA error
  fault,             // the emulator's text about a kernel; code: the CUDA error
  cuda_error,        // code, text
  exception,         // a C++ exception left solve: text
  crashed,           // code: the signal; address, argument and offset if in a device buffer
  no_solve,          // text
  not_loadable,      // dlopen: text
  static_runtime,    // built without -cudart shared
  no_runtime,        // no such libcudart, no device, driver too old: text
  out_of_memory,     // device memory for the arguments, or host memory
  protocol_failure,  // ours: text
};

struct Counter {
  char name[56];
  double value;
};

struct Device {
  char name[256];
  std::int32_t emulated;
  std::int32_t major, minor;
  std::int32_t driver, runtime;  // 13000
  std::uint64_t shared_optin_bytes, l2_bytes, memory_bytes, free_bytes;
};

struct Reply {
  Outcome outcome;
  std::int32_t code;
  std::int32_t argument;  // crashed: index, or -1
  std::uint32_t counter_count;
  std::uint64_t number;
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t allocated;  // call: device memory in use behind it, in bytes (emulator)
  double seconds;           // of solve and what it launched, host clock
  double kernel_seconds;    // emulator
  double device_us;         // measure and timed calls: between the events
  Device device;            // open_runtime
  Counter counters[max_counters];
  char text[text_bytes];
};

}  // namespace ladder::protocol

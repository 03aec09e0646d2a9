// What the checker and a worker say to each other: fixed-size messages over a SOCK_SEQPACKET
// socketpair, array contents in memfds that travel with a call. A solver shares the worker's
// process, so the checker believes no reply: at most a lie makes its own verdict worse.
//
// The layout of the results of a call, for every array in turn: guard, contents, guard.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::protocol {

constexpr std::uint32_t version = 1;
constexpr int max_arguments = 16;
constexpr std::size_t path_bytes = 4096;
constexpr std::size_t text_bytes = 8192;
constexpr int max_counters = 96;

// Bytes that guards and outputs hold before a call. 0xFF is a NaN in every float format, with a
// payload that no arithmetic of a GPU produces.
constexpr std::uint8_t guard_byte = 0xC5;
constexpr std::uint8_t float_poison = 0xFF;
constexpr std::uint8_t integer_poison = 0xA5;

enum class Request : std::uint32_t {
  open_runtime,   // path: libcudart; number: device index
  load_solver,    // path; the reply's number is its index
  call,           // solver, arguments; fds: inputs (read-only), results
  fill,           // solver's inputs on the device from seeds (bench); arguments
  sample,         // one timed call with cold L2
  time_copy,      // one timed copy of `number` bytes; text names what: see bench
  time_launch,    // an empty kernel, queued (number 0) or from idle (1)
  load_ceilings,  // path: the copy, read, FFMA and fill kernels
};

enum class Role : std::uint8_t { in, out, inout, i32, f32 };

struct Argument {
  Role role;
  std::uint8_t poison;          // out: the byte its memory is filled with
  std::uint8_t element_bytes;   // fill
  std::uint8_t distribution;    // fill
  std::uint32_t stream;         // fill: which stream of the generator
  std::uint64_t bytes;          // arrays
  std::uint64_t scalar;         // the bits of an i32 or f32
  std::uint64_t input_offset;   // in the inputs' memfd: in, inout
  std::uint64_t result_offset;  // in the results' memfd: of the first guard
};

struct Command {
  Request request;
  std::uint32_t solver;
  std::uint32_t argument_count;
  std::uint32_t count;        // call: count memory traffic too (emulator)
  std::uint64_t guard_bytes;  // before and after each array
  std::uint64_t number;
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
  double seconds;         // of solve and what it launched, host clock
  double kernel_seconds;  // emulator
  double device_us;       // sample and time_*: between the events
  Device device;          // open_runtime
  Counter counters[max_counters];
  char text[text_bytes];
};

}  // namespace ladder::protocol

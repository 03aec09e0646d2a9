// Garbage in programs: damaged fat binaries and PTX that no compiler makes get one clear error and
// an error code through the whole library, at the call that needs them; the next program is not
// disturbed.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>

#include "common/emulator/control.hpp"
#include "common/emulator/programs/program_runs.hpp"

namespace ladder::emulator {

namespace {

constexpr int success = 0, invalid_device_function = 98, no_kernel_image = 209, invalid_ptx = 218,
              not_supported = 801;

// The emulator's library in this process, with the functions that nvcc's generated code calls.
class Library {
 public:
  Library() {
    setenv("LADDER_EMULATOR_QUIET", "1", 1);
    setenv("LADDER_EMULATOR_TIME_LIMIT", "20", 1);
    handle_ = dlopen(variable("LADDER_CUDART").c_str(), RTLD_NOW | RTLD_LOCAL);
    unsetenv("LADDER_EMULATOR_QUIET");
    unsetenv("LADDER_EMULATOR_TIME_LIMIT");
    REQUIRE(handle_ != nullptr);
    emulator = find<LadderEmulatorEntry>("ladderEmulator")();
  }

  template <class Function>
  Function find(const char* name) const {
    void* found = dlsym(handle_, name);
    REQUIRE_MESSAGE(found != nullptr, name);
    return reinterpret_cast<Function>(found);
  }

  const LadderEmulator* emulator = nullptr;

 private:
  void* handle_ = nullptr;
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

struct Result {
  int code = -1;
  std::string fault;
};

// Registers the bytes as a program's fat binary with the kernel `k`, and launches it.
Result launch(const std::vector<std::byte>& binary) {
  const Library& l = library();
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* other = nullptr;
  } wrapper;
  wrapper.data = binary.data();
  l.emulator->reset();
  static const char host_function = 0;
  void** const handle = l.find<void** (*)(void*)>("__cudaRegisterFatBinary")(&wrapper);
  l.find<void (*)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)>(
      "__cudaRegisterFunction")(handle, &host_function, nullptr, "k", -1, nullptr, nullptr, nullptr,
                                nullptr, nullptr);
  Result result;
  result.code = l.find<int (*)(const void*, Dim, Dim, void**, std::size_t, void*)>(
      "cudaLaunchKernel")(&host_function, {}, {}, nullptr, 0, nullptr);
  if (result.code == success) result.code = l.find<int (*)()>("cudaDeviceSynchronize")();
  const char* fault = l.emulator->fault();
  if (fault == nullptr) fault = l.emulator->failed_call();
  result.fault = fault == nullptr ? "" : fault;
  l.find<void (*)(void**)>("__cudaUnregisterFatBinary")(handle);
  l.emulator->reset();
  return result;
}

// One uncompressed PTX entry for compute_75.
std::vector<std::byte> binary_of(const std::string& text) {
  const std::size_t padded = (text.size() + 8) / 8 * 8;
  std::vector<std::byte> bytes(16 + 64 + padded);
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  put(0, 0xba55ed50u);
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, static_cast<std::uint64_t>(bytes.size() - 16));
  put(16, std::uint16_t{1});
  put(20, std::uint32_t{64});
  put(24, static_cast<std::uint64_t>(padded));
  put(44, std::uint32_t{75});
  std::memcpy(bytes.data() + 80, text.data(), text.size());
  return bytes;
}

const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

std::string kernel(const std::string& body) {
  return head + ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n" + body +
         "\nret;\n}\n";
}

Result launch_text(const std::string& text) {
  return launch(binary_of(text));
}

void check_refused(const std::string& text, int code, const std::string& part) {
  const Result result = launch_text(text);
  CAPTURE(result.fault);
  CHECK(result.code == code);
  CHECK(has(result.fault, part));
  CHECK(result.fault.size() < 2000);  // one message, not the program's text
}

}  // namespace

TEST_CASE("a sound kernel runs in this test's frame, before and after the broken ones") {
  CHECK(launch_text(kernel("mov.u32 %r1, 1;")).code == success);
}

TEST_CASE("PTX that no compiler makes is refused with its line") {
  check_refused(kernel("frobnicate.u32 %r1, %r2;"), not_supported,
                "unsupported instruction 'frobnicate.u32'");
  check_refused(kernel("bra nowhere;"), invalid_ptx, "nowhere");
  check_refused(kernel("add.u32 %r1, %r77, %r2;"), invalid_ptx, "%r77");
  check_refused(kernel("add.u32 %r1, %r2;"), invalid_ptx, "add.u32");
  check_refused(kernel("add.u32 %r1, %r2, %p1;"), invalid_ptx, "predicate");
  check_refused(kernel("{"), invalid_ptx, "line");
  check_refused(kernel("mov.u32 %r1, \"text\";"), invalid_ptx, "line 8");
  check_refused(kernel("call missing;"), invalid_ptx, "missing");
  check_refused(kernel("st.global.u32 [nothing], %r1;"), invalid_ptx, "nothing");
  check_refused(head + ".visible .entry k(", invalid_ptx, "line");
  check_refused("", invalid_ptx, "");
  check_refused("garbage", invalid_ptx, "line 1");
  check_refused(std::string("\x7f"
                            "ELF\x01\x02\x03"),
                invalid_ptx, "line 1");
  check_refused(head + ".visible .entry other() { ret; }", invalid_device_function,
                "InvalidDeviceFunction");
}

TEST_CASE("a version, a target or an address size that cannot be run is named") {
  check_refused(".version 99.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }", invalid_ptx,
                "99.0");
  check_refused(".version 8.0\n.target sm_120\n.address_size 64\n.entry k() { ret; }",
                not_supported, "sm_120");
  check_refused(".version 8.0\n.target sm_75\n.address_size 32\n.entry k() { ret; }", invalid_ptx,
                "only 64-bit");
  check_refused(".version eight\n.target sm_75\n.entry k() { ret; }", invalid_ptx, "line 1");
}

TEST_CASE("enormous programs are run or refused, and never overflow anything") {
  CHECK(launch_text(kernel("// " + std::string(1 << 20, 'x'))).code == success);
  check_refused(kernel("add.u32 %r1, %r2, " + std::string(1 << 20, '9') + ";"), invalid_ptx,
                "line 8");
  check_refused(kernel("mov.u32 " + std::string(1 << 20, 'r') + ", 1;"), invalid_ptx, "line 8");
  // More registers than a compiler ever names: dead ones cost nothing, live ones are kept.
  CHECK(launch_text(kernel(".reg .b32 %x<70000>;\nmov.u32 %x69999, 5;")).code == success);
  std::string many = ".reg .b32 %x<70000>;\n.reg .u64 %a;\n";
  for (int i = 0; i < 70000; i += 7) many += "mov.u32 %x" + std::to_string(i) + ", %tid.x;\n";
  CHECK(launch_text(kernel(many)).code == success);
  CHECK(launch_text(kernel(".reg .b32 %x<99999999999>;\nmov.u32 %x8, 5;")).code == success);
  check_refused(kernel(".shared .b8 big[1000000000];\nst.shared.u32 [big], 1;"), 9, "__shared__");
  check_refused(kernel(".local .b8 big[99999999999999];\nst.local.u32 [big], 1;"), invalid_ptx,
                "local memory");
  check_refused(head + ".global .b8 big[99999999999999];\n.entry k() { ret; }", 2, "");
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "{";
  check_refused(kernel(nested), invalid_ptx, "line");
  check_refused(kernel("mov.u32 %r1, " + std::string(100000, '(') + "1;"), invalid_ptx, "line 8");
}

TEST_CASE("a damaged fat binary is told from a sound one") {
  const std::vector<std::byte> sound = binary_of(kernel("mov.u32 %r1, 1;"));
  const auto damaged = [&](std::size_t at, auto value) {
    std::vector<std::byte> bytes = sound;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return launch(bytes);
  };
  const auto check_damaged = [](const Result& result) {
    CAPTURE(result.fault);
    CHECK(result.code == invalid_ptx);
    CHECK(has(result.fault, "the fat binary is damaged"));
  };
  check_damaged(damaged(0, 0xdeadbeefu));                           // the container's magic number
  check_damaged(damaged(24, std::uint64_t{1} << 40));               // the entry's size
  check_damaged(damaged(20, std::uint32_t{0xffffff00}));            // its header's size
  check_damaged(damaged(56, std::uint64_t{0x8000}));                // "compressed" with zstd
  check_damaged(damaged(56, std::uint64_t{0x2000}));                // and with LZ4
  check_damaged(damaged(8, std::uint64_t{sound.size() - 16 - 8}));  // cut off
  check_damaged(damaged(8, std::uint64_t{70}));
  CHECK(damaged(8, std::uint64_t{0}).code == no_kernel_image);  // nothing in it
  CHECK(damaged(44, std::uint32_t{120}).code == no_kernel_image);
  CHECK(damaged(16, std::uint16_t{2}).code == no_kernel_image);  // machine code
  CHECK(launch(sound).code == success);
}

TEST_CASE("PTX with any byte changed runs or is refused") {
  const std::string text = kernel(
      ".shared .align 4 .b32 s[4];\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra "
      "next;\n"
      "st.shared.u32 [s+4], %r1;\nbar.sync 0;\nnext:\nld.shared.u32 %r2, [s];\n"
      "shfl.sync.idx.b32 %r3|%p1, %r2, 0, 31, -1;\natom.shared.add.u32 %r2, [s], %r3;");
  std::mt19937 random(7);
  int refused = 0;
  constexpr int changes = 300;
  for (int i = 0; i < changes; ++i) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(random() % 127 + 1);
    const Result result = launch_text(changed);
    refused += result.code != success;
    if (result.code != success) CHECK(result.fault != "");
  }
  CHECK(refused > changes / 4);
  CHECK(launch_text(text).code == success);
}

}  // namespace ladder::emulator

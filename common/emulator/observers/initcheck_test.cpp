// Reads of what nobody has written are found, at their line, and nothing else is.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"
#include "common/emulator/observers/value_uses.hpp"
#include "common/emulator/observers/written_bits.hpp"

namespace ladder::emulator {

namespace {

using Words = std::vector<std::uint32_t>;

struct WatchedKernel : TestKernel {
  explicit WatchedKernel(const std::string& text) : TestKernel(text, watched()) {}
  static Options watched() {
    Options options;
    options.watch = watch_memcheck | watch_initcheck;
    return options;
  }
  // What is found in a launch; "" for nothing.
  std::string found(Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments) {
    CHECK(fault(grid, block, arguments) == "");
    std::string text;
    for (const Finding& finding : device.take_findings()) {
      CHECK(finding.kind == FaultKind::uninitialized);
      text += finding.text() + "\n";
    }
    return text;
  }
};

bool says(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("not in the text: " << part << "\n" << text);
  return found;
}

// Loads the thread's word, stores it one further.
const std::string move_word =
    std::string(own_word) +
    ".loc 1 12 0\nld.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\n"
    "ld.param.u64 %rd3, [p1];\nadd.s64 %rd4, %rd3, %rd2;\nst.global.u32 [%rd4], %r5;\n";

const char* const tile = ".shared .align 16 .b8 tile[4096];\n";
// %r1: the thread; %r2: the address of its word in `tile`.
const std::string own_shared =
    "mov.u32 %r1, %tid.x;\nshl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\nadd.u32 %r2, %r3, %r4;\n";

}  // namespace

TEST_CASE("global memory that nobody wrote is found, and named") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto in = k.device.allocate(256, "in"), out = k.device.allocate(256, "out");
  const std::string text = k.found({2, 1, 1}, {32, 1, 1}, {in, out});
  CHECK(says(text, "uninitialized: read of 4 bytes in global memory"));
  CHECK(says(text, "test.cu:12"));
  CHECK(says(text, "the 256-byte allocation 'in'"));
}

TEST_CASE("what was copied, set, or stored by a kernel is written") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto in = k.words(Words(64)), out = k.device.allocate(256), last = k.device.allocate(256);
  CHECK(k.found({2, 1, 1}, {32, 1, 1}, {in, out}) == "");
  CHECK(k.found({2, 1, 1}, {32, 1, 1}, {out, last}) == "");
  const auto set = k.device.allocate(256), copied = k.device.allocate(256);
  k.device.set(set, 0, 256);
  k.device.copy(copied, set, 256);
  CHECK(k.found({2, 1, 1}, {32, 1, 1}, {copied, out}) == "");
}

TEST_CASE("memory that is given out again holds nothing, and a copy of nothing is nothing") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto in = k.words(Words(64)), out = k.device.allocate(256);
  k.device.free(in);
  const auto again = k.device.allocate(256), copied = k.words(Words(64));
  k.device.copy(copied, again, 128);
  CHECK(says(k.found({1, 1, 1}, {32, 1, 1}, {copied, out}), "uninitialized"));
  CHECK(k.found({1, 1, 1}, {32, 1, 1}, {copied + 128, out}) == "");
}

TEST_CASE("one element too few is found, whatever its neighbours are") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto in = k.device.allocate(256), out = k.device.allocate(256);
  k.device.set(in, 0, 252);
  const std::string text = k.found({2, 1, 1}, {32, 1, 1}, {in, out});
  CHECK(says(text, "block (1,0,0), thread (31,0,0)"));
  CHECK(says(text, "252 bytes into"));
}

TEST_CASE("shared memory begins anew with every block") {
  const std::string first = "mov.u32 %r6, %ctaid.x;\nsetp.eq.u32 %p1, %r6, 0;\n";
  WatchedKernel k(kernel_text(0,
                              own_shared + first +
                                  "@%p1 st.shared.u32 [%r2], %r1;\n.loc 1 12 0\n"
                                  "ld.shared.u32 %r5, [%r2];\nadd.u32 %r5, %r5, 1;\n"
                                  "st.shared.u32 [%r2], %r5;\n",
                              tile));
  CHECK(k.found({1, 1, 1}, {64, 1, 1}, {}) == "");
  const std::string text = k.found({2, 1, 1}, {64, 1, 1}, {});
  CHECK(says(text, "test.cu:12"));
  CHECK(says(text, "block (1,0,0)"));
  CHECK(says(text, "'tile' (index"));
}

TEST_CASE("an array of a thread that is read before it is written is found") {
  const std::string body =
      ".local .align 4 .b8 own[64];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd1, own;\n"
      "st.local.u32 [%rd1], %r1;\n.loc 1 12 0\nld.local.u32 %r2, [%rd1";
  WatchedKernel good(kernel_text(0, body + "];\nadd.u32 %r2, %r2, 1;\n"));
  WatchedKernel bad(kernel_text(0, body + "+4];\nadd.u32 %r2, %r2, 1;\nst.local.u32 [%rd1], %r2;"));
  CHECK(good.found({1, 1, 1}, {32, 1, 1}, {}) == "");
  CHECK(says(bad.found({1, 1, 1}, {32, 1, 1}, {}), "in local memory"));
}

TEST_CASE("an addition to a counter that nobody cleared is found; an exchange is not") {
  WatchedKernel k(kernel_text(1, "ld.param.u64 %rd0, [p0];\nred.global.add.u32 [%rd0], 1;"));
  CHECK(says(k.found({1, 1, 1}, {1, 1, 1}, {k.device.allocate(4)}), "uninitialized"));
  WatchedKernel swap(kernel_text(1,
                                 "ld.param.u64 %rd0, [p0];\natom.global.exch.b32 _, [%rd0], 1;\n"
                                 "red.global.add.u32 [%rd0], 1;"));
  CHECK(swap.found({1, 1, 1}, {1, 1, 1}, {swap.device.allocate(4)}) == "");
}

TEST_CASE("gaps of structures may be copied, and so may what a load takes along") {
  const std::string load =
      "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\n"
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd0];\n";
  const auto three_of_four = [](WatchedKernel& k) {
    const auto at = k.device.allocate(16);
    k.device.set(at, 0, 12);
    return at;
  };
  WatchedKernel copies(kernel_text(2, load + "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};"));
  CHECK(copies.found({1, 1, 1}, {1, 1, 1}, {three_of_four(copies), copies.device.allocate(16)}) ==
        "");
  WatchedKernel ignores(
      kernel_text(2, load + "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1], %f1;"));
  CHECK(ignores.found({1, 1, 1}, {1, 1, 1},
                      {three_of_four(ignores), ignores.device.allocate(16)}) == "");
  WatchedKernel uses(kernel_text(2, load + "add.f32 %f1, %f1, %f4;\nst.global.f32 [%rd1], %f1;"));
  CHECK(says(uses.found({1, 1, 1}, {1, 1, 1}, {three_of_four(uses), uses.device.allocate(16)}),
             "12 bytes into"));
  WatchedKernel all(kernel_text(2, load + "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};"));
  CHECK(says(all.found({1, 1, 1}, {1, 1, 1}, {all.device.allocate(16), all.device.allocate(16)}),
             "uninitialized"));
}

TEST_CASE("a value that is chosen or not is not yet used") {
  WatchedKernel k(kernel_text(0,
                              own_shared + "ld.shared.u32 %r5, [%r2];\nsetp.lt.u32 %p1, %r1, 0;\n"
                                           "selp.b32 %r6, %r5, 0, %p1;\nst.shared.u32 [%r2], %r6;",
                              tile));
  CHECK(k.found({1, 1, 1}, {32, 1, 1}, {}) == "");
}

TEST_CASE("cp.async fills with zeros what it does not read, and what it copies is written") {
  const std::string body = "ld.param.u64 %rd0, [p0];\nmov.u32 %r4, tile;\nmov.u32 %r7, ";
  const std::string rest =
      ";\n.loc 1 12 0\ncp.async.ca.shared.global [%r4], [%rd0], 16, %r7;\ncp.async.wait_all;\n"
      "ld.shared.u32 %r5, [%r4+12];\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [%r4], %r5;";
  const auto text = [&](const char* bytes, bool written) {
    WatchedKernel k(kernel_text(1, body + bytes + rest, tile));
    const auto at = k.device.allocate(16);
    if (written) k.device.set(at, 0, 16);
    return k.found({1, 1, 1}, {1, 1, 1}, {at});
  };
  CHECK(text("16", true) == "");
  CHECK(text("0", false) == "");
  CHECK(says(text("16", false), "test.cu:12"));
}

TEST_CASE("a copy that is under way is named; what lies behind an allocation is left to memcheck") {
  WatchedKernel k(kernel_text(1,
                              "ld.param.u64 %rd0, [p0];\nmov.u32 %r4, tile;\n"
                              "cp.async.ca.shared.global [%r4], [%rd0], 16;\n"
                              "ld.shared.u32 %r5, [%r4+12];\nadd.u32 %r5, %r5, 1;\n"
                              "st.shared.u32 [%r4+16], %r5;\ncp.async.wait_all;",
                              tile));
  CHECK(says(k.found({1, 1, 1}, {1, 1, 1}, {k.words(Words(4))}), "has not reached yet"));
  WatchedKernel behind(kernel_text(2, move_word));
  CHECK(behind.fault({1, 1, 1}, {32, 1, 1}, {behind.device.allocate(4) + 4, 0}) != "");
  CHECK(behind.device.take_findings().empty());
}

TEST_CASE("bits are set and read from any bit to any other") {
  for (std::uint64_t begin = 0; begin < 20; ++begin) {
    for (std::uint64_t count = 1; count < 200; ++count) {
      std::vector<std::uint8_t> bits(64);
      set_all(bits.data(), begin, count, count % 2 == 0);
      const bool right = all_set(bits.data(), begin, count) &&
                         (begin == 0 || !all_set(bits.data(), begin - 1, count)) &&
                         !all_set(bits.data(), begin, count + 1);
      if (!right) FAIL_CHECK("from " << begin << ", " << count << " bits");
    }
  }
}

TEST_CASE("a block's memory knows when all of it is written") {
  WrittenBytes bytes(203);
  for (std::uint64_t at = 0; at <= 180; at += 10) bytes.write(at, 15);
  CHECK_FALSE(bytes.complete());
  bytes.write(190, 13);
  CHECK(bytes.complete());
  bytes.clear();
  CHECK_FALSE(bytes.complete());
}

TEST_CASE("the bits of every page can be looked at to their end") {
  DeviceMemory memory(std::size_t{1} << 30);
  for (std::size_t count = 1; count < 20; ++count) {  // a page of bits is that of eight pages
    WrittenPages pages(memory);
    const auto at = memory.allocate(count * 4096 - 100, "a", DeviceMemory::Owner::user);
    pages.allocate(at, count * 4096 - 100);
    pages.write(at + 1, count * 4096 - 101, false);
    pages.settle(at, count * 4096 - 100);
    CHECK_FALSE(pages.complete());
    pages.write(at, 1, false);
    pages.settle(at, 1);
    CHECK(pages.complete());
  }
}

TEST_CASE("ranges over pages are written where they were written") {
  DeviceMemory memory(std::size_t{1} << 30);
  WrittenPages pages(memory);
  const auto at = memory.allocate(100000, "a", DeviceMemory::Owner::user);
  CHECK(pages.written(at, 100000));  // nobody told
  pages.allocate(at, 100000);
  CHECK_FALSE(pages.written(at + 50000, 1));
  pages.write(at + 4090, 10000, true);
  CHECK(pages.written(at + 4090, 10000));
  CHECK_FALSE(pages.written(at + 4089, 2));
  CHECK_FALSE(pages.written(at + 14089, 2));
  pages.copy(at + 50001, at + 4000, 200);
  CHECK_FALSE(pages.written(at + 50001 + 89, 1));
  CHECK(pages.written(at + 50001 + 90, 110));
  pages.copy(at + 4090, at + 70000, 10);  // what was written is no more
  CHECK_FALSE(pages.written(at + 4099, 1));
  CHECK(pages.written(at + 4100, 1));
  CHECK_FALSE(pages.complete());
  pages.write(at, 100000, true);
  pages.settle(at, 100000);
  CHECK(pages.complete());
  pages.allocate(at, 100000);
  CHECK_FALSE(pages.complete());
  pages.free(at, 100000);
  CHECK(pages.written(at, 100000));
  CHECK(pages.complete());
}

// What is found in a copy to the host of all of an allocation.
std::string found_in_copy(Device& device, DeviceAddress from, std::size_t bytes) {
  std::vector<std::byte> host(bytes);
  device.copy_out(host.data(), from, bytes, "cudaMemcpy");
  std::string text;
  for (const Finding& finding : device.take_findings()) text += finding.text() + "\n";
  return text;
}

TEST_CASE("a copy to the host of what nobody wrote is found, with the bytes and the call") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto array = k.device.allocate(257 * 4, "array");
  const std::string all = found_in_copy(k.device, array, 257 * 4);
  CHECK(says(all, "uninitialized: cudaMemcpy copies 1028 bytes to the host"));
  CHECK(says(all, "bytes 0 to 1027 of the 1028 copied"));
  CHECK_FALSE(all.find("in kernel") != all.npos);
  k.device.set(array, 0, 1024);
  const std::string last = found_in_copy(k.device, array, 257 * 4);
  CHECK(says(last, "cudaMemcpy copies 4 bytes to the host that nobody has written"));
  CHECK(says(last, "bytes 1024 to 1027 of the 1028 copied"));
  CHECK(says(last, "1024 bytes into the 1028-byte allocation 'array'"));
  CHECK(says(last, "found by initcheck"));
  CHECK(found_in_copy(k.device, array, 1024) == "");
  k.device.set(array + 1024, 0, 4);
  CHECK(found_in_copy(k.device, array, 257 * 4) == "");
}

TEST_CASE("what a kernel wrote, or was copied there, may be copied to the host") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto in = k.words(Words(64)), out = k.device.allocate(256, "out");
  CHECK(k.found({1, 1, 1}, {32, 1, 1}, {in, out}) == "");
  CHECK(found_in_copy(k.device, out, 128) == "");
  CHECK(says(found_in_copy(k.device, out, 256), "bytes 128 to 255 of the 256"));
  const auto copy = k.device.allocate(256, "copy");
  k.device.copy(copy, out, 256);
  CHECK(found_in_copy(k.device, copy, 128) == "");
  CHECK(says(found_in_copy(k.device, copy, 256), "bytes 128 to 255 of the 256"));
}

TEST_CASE("a copy on the device is found if nobody wrote any of it") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto from = k.device.allocate(256, "from"), to = k.device.allocate(256, "to");
  k.device.copy(to, from, 256, "cudaMemcpyAsync");
  const std::vector<Finding> found = k.device.take_findings();
  REQUIRE(found.size() == 1);
  CHECK(says(found[0].text(), "cudaMemcpyAsync copies 256 bytes that nobody has written"));
  k.device.set(from, 0, 4);
  k.device.copy(to, from, 256, "cudaMemcpyAsync");
  CHECK(k.device.take_findings().empty());
}

TEST_CASE("gaps between the members of structures are no reason to complain, lost members are") {
  WatchedKernel k(kernel_text(2, move_word));
  const auto written = [&](std::size_t size, std::size_t first, std::size_t bytes) {
    const auto array = k.device.allocate(100 * size);
    for (std::size_t i = 0; i < 100; ++i) k.device.set(array + i * size + first, 0, bytes);
    return found_in_copy(k.device, array, 100 * size);
  };
  CHECK(written(16, 0, 12) == "");                // double, int
  CHECK(written(16, 0, 9) == "");                 // double, char
  CHECK(says(written(8, 0, 4), "bytes 4 to 7"));  // every second float
  CHECK(says(written(64, 0, 32), "bytes 32 to 63"));
}

TEST_CASE("a hole in the middle of a large array is found, and nothing around it") {
  // One block reads p0 from its beginning, 1024 words at a time.
  const std::string sweep = std::string(own_word) +
                            "mov.u32 %r10, 0;\nloop:\n.loc 1 30 0\nld.global.u32 %r11, "
                            "[%rd1];\nadd.u32 %r12, %r12, %r11;\n"
                            "add.s64 %rd1, %rd1, 4096;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, "
                            "%r10, 768;\n@%p1 bra loop;\n"
                            "ld.param.u64 %rd3, [p1];\nst.global.u32 [%rd3], %r12;\n";
  const std::size_t bytes = 3 << 20, hole = 2'000'004;
  for (const bool whole : {true, false}) {
    WatchedKernel k(kernel_text(2, sweep));
    const auto in = k.device.allocate(bytes, "in"), out = k.words(Words(1), "out");
    k.device.set(in, 0, hole);
    k.device.set(in + hole + 4, 0, bytes - hole - 4);
    if (whole) k.device.set(in + hole, 0, 4);
    const std::string text = k.found({1, 1, 1}, {1024, 1, 1}, {in, out});
    CHECK((text == "") == whole);
    if (!whole) CHECK(says(text, std::to_string(hole) + " bytes into"));
  }
}

}  // namespace ladder::emulator

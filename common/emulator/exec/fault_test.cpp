// Each kind of fault is found, at its line, and says what a learner needs.
#include <doctest/doctest.h>

#include "common/emulator/exec/test_kernel.hpp"

namespace ladder::emulator {

using Words = std::vector<std::uint32_t>;

namespace {

bool says(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("not in the text: " << part << "\n" << text);
  return found;
}

const std::string store_own = std::string(own_word) + ".loc 1 41 0\nst.global.u32 [%rd1], %r1;";

}  // namespace

TEST_CASE("a store behind an allocation names it, the thread and the line") {
  TestKernel k(kernel_text(1, store_own));
  const auto at = k.words(Words(257), "C");
  const std::string text = k.fault({2, 1, 1}, {256, 1, 1}, {at});
  CHECK(k.kind == FaultKind::illegal_address);
  CHECK(says(text, "write of 4 bytes"));
  CHECK(says(text, "test.cu:41"));
  CHECK(says(text, "st.global.u32 [%rd1], %r1"));
  CHECK(says(text, "right after the 1028-byte allocation 'C'"));
  CHECK(says(text, "block (1,0,0), thread (1,0,0)"));
}

TEST_CASE("a fault in a function without lines, or of the toolkit, is at the line that calls it") {
  for (const char* line : {"", ".loc 2 9 0\n", ".loc 1 80 0\n"}) {
    TestKernel k(kernel_text(1,
                             std::string(own_word) +
                                 "{\n.param .b64 given;\nst.param.b64 [given], %rd1;\n"
                                 ".loc 1 70 0\ncall.uni touch, (given);\n}",
                             ".file 2 \"/usr/local/cuda/include/atomics.hpp\"\n"
                             ".func touch(.param .b64 to)\n{\n.reg .b64 %rd<2>;\n"
                             "ld.param.u64 %rd1, [to];\n" +
                                 std::string(line) + "st.global.u32 [%rd1], 1;\nret;\n}\n"));
    const auto at = k.words(Words(4));
    const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {at});
    const bool own = std::string(line).find(".loc 1") == 0;
    CHECK(says(text, own ? "test.cu:80: st.global.u32" : "test.cu:70: st.global.u32"));
  }
}

TEST_CASE("an index that is too large by a whole array hits no other array") {
  TestKernel k(kernel_text(1, store_own));
  const auto first = k.words(Words(1 << 20), "first");
  k.words(Words(1 << 20), "second");
  for (const std::uint64_t elements : {1u << 20, (1u << 20) + 1024, (2u << 20) - 33}) {
    CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {first + elements * 4}), "out of bounds"));
  }
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {first - 128}), "before the 4194304-byte"));
}

TEST_CASE("twenty thousand allocations, and a heap in small pieces, fit side by side") {
  Device device;
  std::vector<DeviceAddress> all;
  for (int i = 0; i < 20000; ++i) all.push_back(device.allocate(100));
  for (const DeviceAddress at : all) device.free(at);
  CHECK(device.bytes_in_use() == 0);
}

TEST_CASE("red zones leave room for many large allocations") {
  Device device;
  constexpr std::size_t bytes = 15 << 20;
  std::vector<DeviceAddress> all;
  for (int i = 0; i < 4200; ++i) all.push_back(device.allocate(bytes));
  CHECK(device.bytes_in_use() == 4200 * bytes);
  for (const DeviceAddress at : all) device.free(at);
}

TEST_CASE("what one block frees, another cannot read any more where it read before") {
  // Block 0 allocates (turn 1), and frees (turn 3) when block 1 has read (turn 2).
  TestKernel k(kernel_text(2, R"(
    .param .b64 size;
    .param .b64 got;
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra OTHER;
    st.param.b64 [size], 64;
    call (got), malloc, (size);
    ld.param.b64 %rd2, [got];
    st.u32 [%rd2], 5;
    st.global.u64 [%rd1], %rd2;
    st.release.gpu.global.u32 [%rd0], 1;
HAS_READ:
    ld.acquire.gpu.global.u32 %r1, [%rd0];
    setp.ne.u32 %p1, %r1, 2;
    @%p1 bra HAS_READ;
    st.param.b64 [size], %rd2;
    call free, (size);
    st.release.gpu.global.u32 [%rd0], 3;
    ret;
OTHER:
    mov.u32 %r3, 1;
WAIT:
    ld.acquire.gpu.global.u32 %r1, [%rd0];
    setp.ne.u32 %p1, %r1, %r3;
    @%p1 bra WAIT;
    ld.global.u64 %rd2, [%rd1];
    .loc 1 77 0
    ld.u32 %r2, [%rd2];
    st.global.u32 [%rd1+8], %r2;
    add.u32 %r3, %r3, 1;
    st.release.gpu.global.u32 [%rd0], %r3;
    add.u32 %r3, %r3, 1;
    bra WAIT;)",
                           ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
                           ".extern .func free (.param .b64 a);\n"));
  const auto turn = k.words({0}), out = k.words({0, 0, 0});
  const std::string text = k.fault({2, 1, 1}, {1, 1, 1}, {turn, out});
  CHECK(k.kind == FaultKind::illegal_address);
  CHECK(says(text, "into the 64-byte allocation 'malloc in a kernel'"));
  CHECK(says(text, "which was freed"));
  CHECK(says(text, "test.cu:77"));
  CHECK(k.read(out, 3)[2] == 5);
}

TEST_CASE("a deadlock behind a call is named where the lanes are, not in the function they left") {
  TestKernel k(kernel_text(0, "call.uni touch;\n.loc 1 51 0\nbar.sync 1, 64;",
                           ".func touch()\n{\n.reg .b32 %r<2>;\n.loc 1 12 0\nmov.u32 %r1, 1;\n"
                           "ret;\n}\n"));
  const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {});
  CHECK(k.kind == FaultKind::deadlock);
  CHECK(says(text, "test.cu:51"));
}

TEST_CASE("an address outside of freed memory is named after what is still there") {
  TestKernel k(kernel_text(1, store_own));
  const auto old = k.words(Words(64), "old");
  const auto kept = k.words(Words(64), "kept");
  REQUIRE(kept > old);
  k.device.free(old);
  const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {kept - 4});
  CHECK(says(text, "out of bounds"));
  CHECK(says(text, "4 bytes before the 256-byte allocation 'kept'"));
}

TEST_CASE("memory that was freed is named so") {
  TestKernel k(kernel_text(1, store_own));
  const auto at = k.words(Words(64), "old");
  k.device.free(at);
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {at}), "use after free"));
}

TEST_CASE("a host pointer and a null pointer are told apart") {
  TestKernel k(kernel_text(1, store_own));
  std::uint32_t host[32] = {};
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {reinterpret_cast<std::uint64_t>(host)}),
             "host pointer in a kernel"));
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {0}), "null pointer"));
  k.device.map_host(host, sizeof host, "pinned");
  CHECK(k.fault({1, 1, 1}, {32, 1, 1}, {reinterpret_cast<std::uint64_t>(host)}).empty());
  CHECK(host[31] == 31);
  k.device.unmap_host(host);
}

TEST_CASE("a misaligned vector access is found") {
  TestKernel k(kernel_text(1, std::string(own_word) + "ld.global.v2.u32 {%r5, %r6}, [%rd0+4];"));
  CHECK(says(k.fault({1, 1, 1}, {1, 1, 1}, {k.words(Words(8))}), "misaligned address"));
  CHECK(k.kind == FaultKind::misaligned_address);
}

TEST_CASE("shared memory has an end") {
  TestKernel k(kernel_text(0,
                           "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nshl.b32 %r1, %r1, 2;\n"
                           "add.u32 %r1, %r1, %r2;\n.loc 1 7 0\nst.shared.u32 [%r1], %r1;",
                           ".shared .align 4 .b8 tile[100];\n"));
  const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {});
  CHECK(k.kind == FaultKind::illegal_address);
  CHECK(says(text, "thread (25,0,0)"));
  CHECK(says(text, "100 bytes of shared memory"));
  CHECK(says(text, "right after the 100-byte __shared__ variable 'tile' (index 25 of its 4-byte"));
}

TEST_CASE("an index that leaves its shared array for the next one is found") {
  const std::string variables =
      ".shared .align 4 .b8 tile[128];\n.shared .align 4 .b8 more[128];\n";
  const auto body = [](const std::string& base, const std::string& how) {
    return "mov.u32 %r9, tile;\nmov.u32 %r9, more;\nmov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 2;\n"
           "mov.u32 %r2, " +
           base + ";\n" + how;
  };
  const auto text = [&](const std::string& base, const std::string& how) {
    TestKernel k(kernel_text(0, body(base, how), variables));
    return k.fault({1, 1, 1}, {32, 1, 1}, {});
  };
  const char* const direct = "add.u32 %r3, %r2, %r1;\n.loc 1 9 0\nst.shared.u32 [%r3+4], %r1;";
  const std::string found = text("tile", direct);
  CHECK(says(found, "right after the 128-byte __shared__ variable 'tile' (index 32 of its 4-byte"));
  CHECK(says(found, "0 bytes into the 128-byte __shared__ variable 'more'"));
  CHECK(says(found, "test.cu:9"));
  CHECK(says(found, "thread (31,0,0)"));
  CHECK(says(text("more", "add.u32 %r3, %r2, %r1;\nld.shared.u32 %r4, [%r3+-4];"),
             "4 bytes before the 128-byte __shared__ variable 'more'"));
  // A pointer that runs through a loop, or is masked, still belongs to its array.
  CHECK(says(text("tile",
                  "mov.u32 %r4, %r2;\nagain:\nst.shared.u32 [%r4], %r1;\nadd.u32 %r4, %r4, 4;\n"
                  "setp.lt.u32 %p1, %r1, 1000000;\n@%p1 bra again;"),
             "right after the 128-byte __shared__ variable 'tile'"));
  CHECK(text("tile", "xor.b32 %r1, %r1, 64;\nadd.u32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %r1;") ==
        "");
}

TEST_CASE("an address that may belong to two shared arrays may lie in both") {
  const std::string variables =
      ".shared .align 4 .b8 tile[128];\n.shared .align 4 .b8 more[128];\n";
  TestKernel k(kernel_text(0,
                           "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 9;\nmov.u32 %r2, tile;\n"
                           "mov.u32 %r3, more;\nselp.b32 %r4, %r2, %r3, %p1;\n"
                           "st.shared.u32 [%r4], %r1;\nsub.u32 %r5, %r3, %r2;\n"
                           "add.u32 %r6, %r2, %r5;\nst.shared.u32 [%r6+124], %r1;",
                           variables));
  CHECK(k.fault({1, 1, 1}, {32, 1, 1}, {}) == "");
}

TEST_CASE("a shared address is named after the variable of the source that it lies behind") {
  const std::string variables =
      ".shared .align 4 .b8 _ZZ4scanILi64EEvPfE4sums[64];\n"
      ".extern .shared .align 16 .b8 rest[];\n";
  TestKernel k(kernel_text(0,
                           "mov.u32 %r2, _ZZ4scanILi64EEvPfE4sums;\nst.shared.u32 [rest], %r2;\n"
                           "st.shared.u32 [%r2+88], %r2;",
                           variables));
  CHECK_THROWS_WITH_AS(k.launch({1, 1, 1}, {1, 1, 1}, {}, 16),
                       doctest::Contains("24 bytes after the 64-byte __shared__ variable 'sums'"),
                       Fault);
  TestKernel alone(kernel_text(
      0, "mov.u32 %r2, _ZZ4scanILi64EEvPfE4sums;\nst.shared.u32 [%r2+72], %r2;", variables));
  CHECK(says(alone.fault({1, 1, 1}, {1, 1, 1}, {}),
             "8 bytes after the 64-byte __shared__ variable 'sums'"));
}

TEST_CASE("constant memory is called so") {
  TestKernel k(kernel_text(0, "ld.const.u32 %r1, [table+16];", ".const .align 4 .b8 table[16];\n"));
  CHECK(says(k.fault({1, 1, 1}, {1, 1, 1}, {}), "read of 4 bytes in constant memory"));
}

TEST_CASE("recursion is as deep as the stack that was asked for") {
  // Calls itself 2000 times with 32 bytes of local memory.
  const std::string function =
      ".func down(.param .b32 n) {\n.local .align 16 .b8 kept[32];\n.reg .pred %p<2>;\n"
      ".reg .b32 %r<3>;\nld.param.b32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\n"
      "sub.u32 %r1, %r1, 1;\n{ .param .b32 next;\nst.param.b32 [next], %r1;\n"
      "call down, (next);\n}\nret;\n}\n";
  const std::string kernel =
      kernel_text(0, "{ .param .b32 n;\nst.param.b32 [n], 2000;\ncall down, (n);\n}", function);
  TestKernel shallow(kernel);
  CHECK(says(shallow.fault({1, 1, 1}, {1, 1, 1}, {}), "stack overflow"));
  Options options;
  options.stack_bytes = 256 << 10;
  TestKernel deep(kernel, options);
  CHECK(deep.fault({1, 1, 1}, {1, 1, 1}, {}) == "");
}

TEST_CASE("a barrier that some threads never reach is a deadlock with names") {
  TestKernel k(kernel_text(1, R"(
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    .loc 1 12 0
    @%p1 bar.sync 1;
    .loc 1 13 0
    bar.sync 0;)"));
  const std::string text = k.fault({1, 1, 1}, {64, 1, 1}, {0});
  CHECK(k.kind == FaultKind::deadlock);
  CHECK(says(text, "test.cu:12"));
  CHECK(says(text, "32 threads of warp 1"));
  CHECK(says(text, "test.cu:13"));
}

TEST_CASE("a kernel that declares more shared memory than a GPU gives is refused") {
  TestKernel k(kernel_text(0, "mov.u32 %r1, tile;", ".shared .align 4 .b8 tile[49156];\n"));
  const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {});
  CHECK(k.kind == FaultKind::invalid_launch);
  CHECK(says(text, "take 49156 bytes: at most 49152"));
}

TEST_CASE("a shuffle whose lanes never come is a deadlock") {
  TestKernel k(kernel_text(0, R"(
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra low;
    bar.sync 0;
    bra end;
    low:
    shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
    end:)"));
  k.fault({1, 1, 1}, {32, 1, 1}, {});
  CHECK(k.kind == FaultKind::deadlock);
}

TEST_CASE("an endless loop ends at the time limit, with its place") {
  Options options;
  options.time_limit_s = 0.1;
  TestKernel k(kernel_text(0,
                           "mov.u32 %r1, 0;\nagain:\n.loc 1 9 0\nadd.u32 %r1, %r1, 1;\n"
                           "bra again;"),
               options);
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {}), "test.cu:9"));
  CHECK(k.kind == FaultKind::timeout);
}

TEST_CASE("an endless loop of one lane is named, not where the others wait for it") {
  Options options;
  options.time_limit_s = 0.1;
  TestKernel k(kernel_text(0,
                           "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 5;\n"
                           "@%p1 bra again;\nbra done;\nagain:\n.loc 1 9 0\nadd.u32 %r1, %r1, 1;\n"
                           "bra again;\ndone:\n.loc 1 11 0"),
               options);
  const std::string text = k.fault({1, 1, 1}, {32, 1, 1}, {});
  CHECK(says(text, "test.cu:9"));
  CHECK(says(text, "thread (5,0,0)"));
}

TEST_CASE("an endless loop with a barrier in it ends at the time limit too") {
  Options options;
  options.time_limit_s = 0.1;
  TestKernel k(kernel_text(0,
                           "mov.u32 %r1, 0;\nagain:\n.loc 1 9 0\nadd.u32 %r1, %r1, 1;\n"
                           "bar.sync 0;\nbra again;"),
               options);
  CHECK(says(k.fault({1, 1, 1}, {64, 1, 1}, {}), "out of time"));
  CHECK(k.kind == FaultKind::timeout);
}

TEST_CASE("trap stops the kernel") {
  TestKernel k(kernel_text(0, "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 9;\n@%p1 trap;"));
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {}), "thread (9,0,0)"));
  CHECK(k.kind == FaultKind::trap);
}

TEST_CASE("an unsupported instruction stops the kernels that reach it, with its line") {
  const std::string functions =
      ".func inner() {\n.loc 1 41 0\nwgmma.fence.sync.aligned;\nret;\n}\n"
      ".func outer() {\ncall inner;\nret;\n}\n"
      ".entry sound() {\nret;\n}\n";
  TestKernel k(kernel_text(0, "call outer;", functions));
  const char* const told = "unsupported instruction 'wgmma.fence.sync.aligned' at test.cu:41";
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {}), told));
  CHECK(k.kind == FaultKind::unsupported);
  CHECK_THROWS_AS(k.device.attributes(k.device.function(k.module, "k")), Fault);

  Launch launch;
  launch.function = k.device.function(k.module, "sound");
  CHECK_NOTHROW(k.device.attributes(launch.function));
  CHECK_NOTHROW(k.device.launch(launch));
}

TEST_CASE("a call through a pointer reaches the functions whose address is taken") {
  const std::string functions =
      ".func one() {\nwgmma.fence.sync.aligned;\nret;\n}\n"
      ".global .u64 table[1] = {one};\n";
  TestKernel k(kernel_text(0,
                           "ld.global.u64 %rd1, [table];\n"
                           "proto: .callprototype ()_();\ncall %rd1, (), proto;",
                           functions));
  CHECK(says(k.fault({1, 1, 1}, {32, 1, 1}, {}), "wgmma"));
}

TEST_CASE("launches that do not fit are refused with the numbers") {
  TestKernel k(kernel_text(0, ""));
  CHECK(says(k.fault({1, 1, 1}, {1025, 1, 1}, {}), "1025"));
  CHECK(k.kind == FaultKind::invalid_launch);
  CHECK(says(k.fault({0, 1, 1}, {32, 1, 1}, {}), "grid is empty"));
  CHECK(says(k.fault({1, 65536, 1}, {32, 1, 1}, {}), "65535"));
  CHECK_THROWS_AS(k.launch({1, 1, 1}, {32, 1, 1}, {}, 300000), Fault);
}

TEST_CASE("freeing twice, or from the middle, is refused") {
  Device device;
  const auto at = device.allocate(100, "a");
  CHECK_THROWS_WITH_AS(device.free(at + 4), doctest::Contains("4 bytes inside 'a'"), Fault);
  device.free(at);
  CHECK_THROWS_WITH_AS(device.free(at), doctest::Contains("freed before"), Fault);
}

TEST_CASE("a copy past the end names the allocation") {
  Device device;
  const auto at = device.allocate(100, "a");
  std::byte bytes[200] = {};
  CHECK_THROWS_WITH_AS(device.copy_in(at, bytes, 104),
                       doctest::Contains("last 4 bytes past the end"), Fault);
}

TEST_CASE("more memory than the device has is refused, and less still works") {
  DeviceProperties properties;
  properties.memory_bytes = 1 << 20;
  Device device(properties);
  CHECK_THROWS_AS(device.allocate(2 << 20, "big"), Fault);
  CHECK_NOTHROW(device.allocate(1 << 19, "small"));
}

}  // namespace ladder::emulator

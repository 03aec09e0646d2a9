#include "common/emulator/runtime/fat_binary.hpp"

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <random>

using namespace ladder::emulator;

namespace {

using Bytes = std::vector<std::byte>;

const std::string text =
    ".version 8.0\n.target sm_75\n.address_size 64\n// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// One entry: a header of 80 bytes, then the payload padded to 8 bytes.
Bytes entry(int kind, unsigned architecture, std::string_view payload, std::uint64_t flags = 0,
            std::uint64_t text_bytes = 0) {
  const std::size_t padded = (payload.size() + 7) / 8 * 8;
  Bytes bytes(80 + padded);
  put(bytes, 0, static_cast<std::uint16_t>(kind));
  put(bytes, 4, std::uint32_t{80});
  put(bytes, 8, static_cast<std::uint64_t>(padded));
  if (flags != 0) put(bytes, 16, static_cast<std::uint32_t>(payload.size()));
  put(bytes, 28, architecture);
  put(bytes, 40, flags | 0x11);
  put(bytes, 56, text_bytes);
  std::memcpy(bytes.data() + 80, payload.data(), payload.size());
  return bytes;
}

Bytes container(const std::vector<Bytes>& entries) {
  Bytes bytes(16);
  for (const Bytes& one : entries) bytes.insert(bytes.end(), one.begin(), one.end());
  put(bytes, 0, 0xba55ed50u);
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, static_cast<std::uint64_t>(bytes.size() - 16));
  return bytes;
}

std::string zstd(std::string_view plain) {
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}
std::string lz4(std::string_view plain) {
  std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(plain.size()))),
                     '\0');
  packed.resize(static_cast<std::size_t>(LZ4_compress_default(plain.data(), packed.data(),
                                                              static_cast<int>(plain.size()),
                                                              static_cast<int>(packed.size()))));
  return packed;
}

std::string chosen(const Bytes& bytes) {
  return choose_ptx(read_fat_binary(bytes), {});
}

std::string refusal(const Bytes& bytes) {
  try {
    return "no refusal: " + chosen(bytes);
  } catch (const Fault& fault) {
    return fault.what();
  }
}

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("plain, zstd and LZ4 texts are read alike, without padding") {
  CHECK(chosen(container({entry(1, 75, text)})) == text);
  CHECK(chosen(container({entry(1, 75, zstd(text), 0x8000, text.size())})) == text);
  CHECK(chosen(container({entry(1, 75, lz4(text), 0x2000, text.size())})) == text);
  const std::string padded = text + std::string(5, '\0');
  CHECK(chosen(container({entry(1, 75, lz4(padded), 0x2000, padded.size())})) == text);
}

TEST_CASE("the highest architecture that the device runs is chosen") {
  const Bytes bytes = container({entry(1, 75, "75"), entry(2, 90, "ELF"), entry(1, 90, "90"),
                                 entry(1, 80, "80"), entry(1, 100, "100")});
  CHECK(chosen(bytes) == "90");
  DeviceProperties turing;
  turing.major = 7;
  turing.minor = 5;
  CHECK(choose_ptx(read_fat_binary(bytes), turing) == "75");
}

TEST_CASE("a program without usable PTX is told what it has and how to compile it") {
  const std::string machine_code = refusal(container({entry(2, 80, "ELF"), entry(2, 90, "ELF")}));
  CHECK(contains(machine_code, "sm_80, sm_90"));
  CHECK(contains(machine_code, "-arch=compute_90"));
  const std::string later = refusal(container({entry(1, 100, text), entry(2, 75, "ELF")}));
  CHECK(contains(later, "compute_100"));
  CHECK(contains(refusal(container({})), "no kernels"));
}

TEST_CASE("containers in a row are read together") {
  Bytes bytes = container({entry(2, 90, "ELF")});
  const Bytes second = container({entry(1, 75, text)});
  bytes.insert(bytes.end(), second.begin(), second.end());
  CHECK(chosen(bytes) == text);
}

TEST_CASE("a registered wrapper leads to its container") {
  const Bytes bytes = container({entry(1, 75, text)});
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* other = nullptr;
  } wrapper;
  wrapper.data = bytes.data();
  CHECK(ptx_of(&wrapper, {}) == std::vector{text});
  wrapper.magic = 7;
  CHECK_THROWS_AS(ptx_of(&wrapper, {}), Fault);
}

TEST_CASE("a program compiled in pieces has the PTX of each beside what was linked") {
  const Bytes linked = container({entry(2, 75, "machine code")});
  const Bytes first = container({entry(1, 75, text)}),
              second = container({entry(1, 75, zstd(text + "// b"), 0x8000, text.size() + 4),
                                  entry(2, 75, "machine code")}),
              library = container({entry(2, 75, "machine code")}), nothing = container({});
  const void* const pieces[] = {first.data(), nothing.data(), second.data(), library.data(),
                                nullptr};
  struct {
    std::uint32_t magic = 0x466243b1, version = 2;
    const void* data = nullptr;
    const void* other = nullptr;
  } wrapper;
  wrapper.data = linked.data();
  wrapper.other = pieces;
  CHECK(ptx_of(&wrapper, {}) == std::vector{text, text + "// b"});
  const void* const machine_code[] = {library.data(), nullptr};
  wrapper.other = machine_code;
  CHECK_THROWS_WITH_AS(ptx_of(&wrapper, {}), doctest::Contains("no PTX"), Fault);
}

TEST_CASE("every truncation is an error and not a crash") {
  for (const Bytes& whole : {container({entry(1, 75, text), entry(2, 90, "machine code")}),
                             container({entry(1, 75, zstd(text), 0x8000, text.size())}),
                             container({entry(1, 75, lz4(text), 0x2000, text.size())})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // On the heap and exactly as long: a read past the end is seen by a sanitizer.
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_THROWS_AS(chosen(cut), Fault);
    }
  }
}

TEST_CASE("sizes that lie are errors that take no memory") {
  for (const std::uint64_t lie : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 29,
                                  std::uint64_t{text.size() - 1}}) {
    CHECK(contains(refusal(container({entry(1, 75, zstd(text), 0x8000, lie)})), "damaged"));
    CHECK(contains(refusal(container({entry(1, 75, lz4(text), 0x2000, lie)})), "damaged"));
    Bytes bytes = container({entry(1, 75, text)});
    put(bytes, 8, lie);
    CHECK(contains(refusal(bytes), "damaged"));
    bytes = container({entry(1, 75, text)});
    put(bytes, 16 + 8, lie);
    CHECK(contains(refusal(bytes), "damaged"));
    bytes = container({entry(1, 75, text)});
    put(bytes, 16 + 4, static_cast<std::uint32_t>(lie));
    CHECK(contains(refusal(bytes), "damaged"));
  }
}

TEST_CASE("random damage never crashes") {
  std::mt19937 random(20);
  for (const Bytes& whole : {container({entry(1, 75, zstd(text), 0x8000, text.size())}),
                             container({entry(1, 75, lz4(text), 0x2000, text.size())})}) {
    for (int round = 0; round < 2000; ++round) {
      Bytes bytes = whole;
      for (int change = 0; change < 3; ++change)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      const std::string outcome = refusal(bytes);
      CHECK(!outcome.empty());
    }
  }
}

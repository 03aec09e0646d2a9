#include "common/emulator/fuzz/recording.hpp"

#include <zstd.h>

#include <cstdint>
#include <stdexcept>

namespace ladder::emulator::fuzz {
namespace {

constexpr std::uint64_t kLargest = 64 << 20;

struct Head {
  std::uint64_t program, packed, bytes;
};

}  // namespace

RecordingWriter::RecordingWriter(const std::filesystem::path& file)
    : stream_(file, std::ios::binary) {
  if (!stream_) throw std::runtime_error("cannot write " + file.string());
}

void RecordingWriter::add(std::size_t program, const std::string& out) {
  std::string packed(ZSTD_compressBound(out.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), out.data(), out.size(), 9);
  const Head head{program, size, out.size()};
  stream_.write(reinterpret_cast<const char*>(&head), sizeof head);
  stream_.write(packed.data(), static_cast<std::streamsize>(size));
  if (!stream_.flush()) throw std::runtime_error("cannot write the recording: is the disk full?");
}

std::map<std::size_t, std::vector<std::byte>> read_recording(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::map<std::size_t, std::vector<std::byte>> outputs;
  for (Head head; stream.read(reinterpret_cast<char*>(&head), sizeof head);) {
    if (head.packed > kLargest || head.bytes > kLargest)
      throw std::runtime_error(file.string() + " is damaged");
    std::string packed(head.packed, '\0');
    stream.read(packed.data(), static_cast<std::streamsize>(packed.size()));
    std::vector<std::byte>& out = outputs[head.program];
    out.resize(head.bytes);
    if (ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) != head.bytes)
      throw std::runtime_error(file.string() + " is damaged");
  }
  return outputs;
}

}  // namespace ladder::emulator::fuzz

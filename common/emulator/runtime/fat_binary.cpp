#include "common/emulator/runtime/fat_binary.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <exception>

namespace ladder::emulator {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t container_magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1, kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;
constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* other;  // version 2, of separate compilation: pointers to the pieces' containers
};

// 16 bytes; `header_bytes` says where the entries start, `bytes` how long they are together.
struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
static_assert(sizeof(ContainerHeader) == 16);

// The fields common to all toolkits; `header_bytes` is 64 or more.
struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;             // of the payload, padding included
  std::uint32_t compressed_bytes;  // of the payload, padding excluded; 0: not compressed
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t decompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

[[noreturn]] void fail(const std::string& what) {
  throw Fault(FaultKind::invalid_ptx,
              "the fat binary is damaged: " + what + "; compile the program again");
}

// Bounded reads of a header at the front of `bytes`.
template <class T>
T header_of(std::span<const std::byte> bytes, const char* what) {
  if (bytes.size() < sizeof(T)) fail(std::string("it ends inside ") + what);
  T header;
  std::memcpy(&header, bytes.data(), sizeof(T));
  return header;
}

PtxImage ptx_image(const EntryHeader& entry, std::span<const std::byte> payload) {
  PtxImage image;
  image.architecture = static_cast<int>(std::min<std::uint32_t>(entry.architecture, 9999));
  image.stored = payload;
  image.text_bytes = payload.size();
  if ((entry.flags & (flag_lz4 | flag_zstd)) == 0) return image;
  image.compression = (entry.flags & flag_zstd) != 0 ? Compression::zstd : Compression::lz4;
  if (entry.compressed_bytes > std::min<std::uint64_t>(payload.size(), largest_text))
    fail("a compressed text is longer than its entry");
  image.stored = payload.first(entry.compressed_bytes);
  if (entry.decompressed_bytes > largest_text) fail("a text claims more than 1 GB");
  image.text_bytes = static_cast<std::size_t>(entry.decompressed_bytes);
  return image;
}

// Adds one container's entries; returns its size.
std::size_t read_container(std::span<const std::byte> bytes, FatBinaryContents& contents) {
  const auto container = header_of<ContainerHeader>(bytes, "its header");
  if (container.magic != container_magic) fail("its magic number is wrong");
  if (container.header_bytes < sizeof container || container.header_bytes > bytes.size() ||
      container.bytes > bytes.size() - container.header_bytes)
    fail("its size is more than there is");
  std::span<const std::byte> rest = bytes.subspan(container.header_bytes, container.bytes);
  while (!rest.empty()) {
    const auto entry = header_of<EntryHeader>(rest, "an entry's header");
    if (entry.header_bytes < sizeof entry || entry.header_bytes > rest.size() ||
        entry.bytes > rest.size() - entry.header_bytes)
      fail("an entry is longer than the binary");
    const auto payload = rest.subspan(entry.header_bytes, entry.bytes);
    if (entry.kind == kind_ptx) contents.ptx.push_back(ptx_image(entry, payload));
    if (entry.kind == kind_machine_code)
      contents.machine_code.push_back(
          static_cast<int>(std::min<std::uint32_t>(entry.architecture, 9999)));
    rest = rest.subspan(entry.header_bytes + entry.bytes);
  }
  return container.header_bytes + container.bytes;
}

std::string decompress_zstd(const PtxImage& image) {
  // Frames know their size: garbage is found before memory is taken for it.
  if (ZSTD_getFrameContentSize(image.stored.data(), image.stored.size()) != image.text_bytes)
    fail("a text's size differs from its zstd frame's");
  std::string text(image.text_bytes, '\0');
  const std::size_t written =
      ZSTD_decompress(text.data(), text.size(), image.stored.data(), image.stored.size());
  if (ZSTD_isError(written) || written != text.size()) fail("a text does not decompress (zstd)");
  return text;
}

std::string decompress_lz4(const PtxImage& image) {
  constexpr std::size_t largest_ratio = 255;
  if (image.text_bytes / largest_ratio > image.stored.size())
    fail("a text claims more bytes than LZ4 can pack");
  std::string text(image.text_bytes, '\0');
  const int written =
      LZ4_decompress_safe(reinterpret_cast<const char*>(image.stored.data()), text.data(),
                          static_cast<int>(image.stored.size()), static_cast<int>(text.size()));
  if (written < 0 || static_cast<std::size_t>(written) != text.size())
    fail("a text does not decompress (LZ4)");
  return text;
}

// "sm_80, sm_90"
std::string list_of(const char* prefix, const std::vector<int>& architectures) {
  std::string list;
  for (const int architecture : architectures) {
    if (!list.empty()) list += ", ";
    list += prefix;
    list += std::to_string(architecture);
  }
  return list;
}

}  // namespace

FatBinaryContents read_fat_binary(std::span<const std::byte> bytes) {
  FatBinaryContents contents;
  do {
    bytes = bytes.subspan(read_container(bytes, contents));
  } while (!bytes.empty());
  return contents;
}

namespace {

FatBinaryContents read_container_at(const void* data) {
  ContainerHeader header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != container_magic) fail("its magic number is wrong");
  // Beyond this the program itself would not have fitted into memory.
  if (header.bytes > std::uint64_t{1} << 40) fail("its size is more than there is");
  FatBinaryContents contents;
  read_container({static_cast<const std::byte*>(data), header.header_bytes + header.bytes},
                 contents);
  return contents;
}

}  // namespace

std::vector<FatBinaryContents> read_registered_fat_binary(const void* address) {
  Wrapper wrapper;
  std::memcpy(&wrapper, address, sizeof wrapper);
  if (wrapper.magic != wrapper_magic || wrapper.data == nullptr)
    fail("its wrapper has a wrong magic number");
  constexpr std::uint32_t linked_version = 2;
  if (wrapper.version != linked_version || wrapper.other == nullptr) {
    return {read_container_at(wrapper.data)};
  }
  // What the pieces were linked to is machine code; their PTX is in their own, listed up to a null.
  std::vector<FatBinaryContents> pieces;
  for (auto piece = static_cast<const void* const*>(wrapper.other); *piece != nullptr; ++piece) {
    FatBinaryContents contents = read_container_at(*piece);
    if (!contents.empty()) pieces.push_back(std::move(contents));
  }
  if (pieces.empty()) pieces.push_back(read_container_at(wrapper.data));
  return pieces;
}

std::string text_of(const PtxImage& image) {
  std::string text;
  switch (image.compression) {
    case Compression::zstd:
      text = decompress_zstd(image);
      break;
    case Compression::lz4:
      text = decompress_lz4(image);
      break;
    case Compression::none:
      text.assign(reinterpret_cast<const char*>(image.stored.data()), image.stored.size());
      break;
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

std::string choose_ptx(const FatBinaryContents& contents, const DeviceProperties& device) {
  const int highest = 10 * device.major + device.minor;
  const PtxImage* best = nullptr;
  std::vector<int> later;
  for (const PtxImage& image : contents.ptx) {
    if (image.architecture > highest) {
      later.push_back(image.architecture);
    } else if (best == nullptr || image.architecture > best->architecture) {
      best = &image;
    }
  }
  if (best != nullptr) return text_of(*best);
  const std::string target = "compute_" + std::to_string(highest);
  if (!later.empty())
    throw Fault(FaultKind::unsupported,
                "the program has PTX only for " + list_of("compute_", later) +
                    ", later than the emulated device (sm_" + std::to_string(highest) +
                    "); compile it with -arch=" + target);
  if (!contents.machine_code.empty())
    throw Fault(FaultKind::unsupported,
                "the program has machine code (" + list_of("sm_", contents.machine_code) +
                    ") but no PTX, and only PTX can be emulated; compile it with -arch=" + target +
                    ", or add code=compute_XX to its -gencode");
  throw Fault(FaultKind::unsupported,
              "the program's fat binary holds no kernels; if it is built with -rdc=true or -dc, is "
              "it linked by nvcc?");
}

std::vector<std::string> ptx_of(const void* wrapper, const DeviceProperties& device) {
  std::vector<std::string> texts;
  std::exception_ptr first;
  for (const FatBinaryContents& piece : read_registered_fat_binary(wrapper)) {
    try {
      texts.push_back(choose_ptx(piece, device));
    } catch (const Fault& fault) {
      // The toolkit's device runtime comes along for other devices: needed or not will be seen.
      if (fault.kind() != FaultKind::unsupported) throw;
      if (!first) first = std::current_exception();
    }
  }
  if (texts.empty()) std::rethrow_exception(first);
  return texts;
}

}  // namespace ladder::emulator

#include "common/harness/solver_object.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace ladder {
namespace {

// A view of the T at byte `offset`, copied out so that alignment does not matter.
template <class T>
bool read_at(std::string_view file, std::uint64_t offset, T& value) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return false;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return true;
}

std::string_view text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const std::string_view rest = file.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

struct Symbols {
  bool device_code = false;
  bool shared_runtime = false;  // registers its kernels with somebody else's runtime
};

void look_at_dynamic_symbols(std::string_view file, const Elf64_Shdr& symbols,
                             const Elf64_Shdr& names, Symbols& found) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!read_at(file, symbols.sh_offset + at, symbol)) return;
    if (symbol.st_shndx != SHN_UNDEF) continue;
    if (text_at(file, names.sh_offset + symbol.st_name) == "__cudaRegisterFatBinary")
      found.shared_runtime = true;
  }
}

}  // namespace

bool has_static_cuda_runtime(const std::filesystem::path& object) {
  std::ifstream stream(object, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const std::string_view file = content;
  Elf64_Ehdr header;
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  const auto section = [&](unsigned index, Elf64_Shdr& into) {
    return read_at(file, header.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr), into);
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return false;
  Symbols found;
  for (unsigned index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr entry;
    if (!section(index, entry)) return false;
    if (text_at(file, names.sh_offset + entry.sh_name) == ".nv_fatbin") found.device_code = true;
    Elf64_Shdr strings;
    if (entry.sh_type == SHT_DYNSYM && section(entry.sh_link, strings))
      look_at_dynamic_symbols(file, entry, strings, found);
  }
  return found.device_code && !found.shared_runtime;
}

}  // namespace ladder

#include "common/emulator/program.hpp"

#include <elf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

#include "common/harness/verdict.hpp"

namespace ladder::emulator {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr int this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int this_machine = EM_AARCH64;
#else
constexpr int this_machine = EM_NONE;
#endif

// A 64-bit little-endian ELF file by its section table. Every access is checked: a damaged file
// has no sections, no names, no symbols.
class Elf {
 public:
  explicit Elf(std::span<const char> bytes) : bytes_(bytes) {
    if (!read(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB) return;
    valid_ = true;
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr section;
      if (header_.e_shentsize != sizeof section ||
          !read(header_.e_shoff + std::uint64_t{i} * sizeof section, section))
        break;
      sections_.push_back(section);
    }
  }

  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }

  bool has_section(std::string_view name) const {
    if (header_.e_shstrndx >= sections_.size()) return false;
    const Elf64_Shdr& names = sections_[header_.e_shstrndx];
    for (const Elf64_Shdr& section : sections_)
      if (string(names, section.sh_name) == name) return true;
    return false;
  }

  bool has_interpreter() const {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!read(header_.e_phoff + std::uint64_t{i} * sizeof segment, segment)) return false;
      if (segment.p_type == PT_INTERP) return true;
    }
    return false;
  }

  // Calls visit(string) for each DT_NEEDED or DT_SONAME entry (`tag`).
  template <class Visit>
  void dynamic_strings(Elf64_Sxword tag, Visit visit) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_DYNAMIC || section.sh_link >= sections_.size()) continue;
      for_each<Elf64_Dyn>(section, [&](const Elf64_Dyn& entry) {
        if (entry.d_tag == tag) visit(string(sections_[section.sh_link], entry.d_un.d_val));
      });
    }
  }

  // Whether a symbol table, the stripped one or the full one, defines `name`.
  bool defines(std::string_view name) const {
    bool found = false;
    for (const Elf64_Shdr& section : sections_) {
      const bool symbols = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
      if (!symbols || section.sh_link >= sections_.size()) continue;
      for_each<Elf64_Sym>(section, [&](const Elf64_Sym& symbol) {
        if (symbol.st_shndx != SHN_UNDEF)
          found = found || string(sections_[section.sh_link], symbol.st_name) == name;
      });
    }
    return found;
  }

 private:
  template <class T>
  bool read(std::uint64_t offset, T& value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return true;
  }

  template <class T, class Visit>
  void for_each(const Elf64_Shdr& section, Visit visit) const {
    const std::uint64_t count = section.sh_size / sizeof(T);
    T entry;
    for (std::uint64_t i = 0; i < count && read(section.sh_offset + i * sizeof(T), entry); ++i)
      visit(entry);
  }

  std::string_view string(const Elf64_Shdr& table, std::uint64_t index) const {
    if (table.sh_offset > bytes_.size() || table.sh_size > bytes_.size() - table.sh_offset ||
        index >= table.sh_size)
      return {};
    const char* text = bytes_.data() + table.sh_offset + index;
    return {text, strnlen(text, table.sh_size - index)};
  }

  std::span<const char> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  bool valid_ = false;
};

std::vector<char> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Program described(const fs::path& path, ProgramKind kind, const std::string& message) {
  return {path, kind, "", path.string() + message};
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

Program inspect_elf(const fs::path& path, const Elf& elf) {
  if (elf.header().e_machine != this_machine)
    return described(path, ProgramKind::wrong_machine,
                     " is a program for another kind of processor: build it on this machine");
  if (elf.header().e_type != ET_EXEC && elf.header().e_type != ET_DYN)
    return described(path, ProgramKind::not_executable,
                     " is an object file: link it (nvcc -cudart shared) and run the program");
  if (elf.header().e_type == ET_DYN && !elf.has_interpreter())
    return described(path, ProgramKind::shared_library,
                     " is a shared library: it has no main to run");

  std::string cudart;
  bool driver = false;
  elf.dynamic_strings(DT_NEEDED, [&](std::string_view name) {
    if (starts_with(name, "libcudart.so")) cudart = name;
    if (starts_with(name, "libcuda.so")) driver = true;
  });
  if (!cudart.empty()) return {path, ProgramKind::cuda_shared, cudart, ""};
  if (elf.has_section(".nv_fatbin") || elf.defines("cudaGetLastError") ||
      elf.defines("__cudaRegisterFatBinary"))
    return described(path, ProgramKind::cuda_static,
                     " has the CUDA runtime linked statically (nvcc's default), so its calls"
                     " cannot reach the emulator\n  build it again with: nvcc -cudart shared");
  if (driver)
    return described(path, ProgramKind::driver_api,
                     " uses CUDA's driver API (libcuda.so); the emulator serves the runtime API"
                     " (cudaMalloc, kernel<<<>>>) only");
  return described(path, ProgramKind::not_cuda,
                   " is not a CUDA program: it is not linked with libcudart.so\n"
                   "  build it with: nvcc -cudart shared");
}

std::string soname_of(const fs::path& library) {
  const std::vector<char> bytes = read_file(library);
  std::string soname;
  Elf(bytes).dynamic_strings(DT_SONAME, [&](std::string_view name) { soname = name; });
  return soname;
}

}  // namespace

Program inspect_program(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return described(path, ProgramKind::missing, ": no such file");
  if (status.type() == fs::file_type::directory)
    return described(path, ProgramKind::directory, " is a directory, not a program");
  if (error || access(path.c_str(), R_OK) != 0)
    return described(path, ProgramKind::not_permitted, " cannot be read: check its permissions");
  if (status.type() != fs::file_type::regular)
    return described(path, ProgramKind::not_executable, " is not a regular file");

  const std::vector<char> bytes = read_file(path);
  const std::string_view text(bytes.data(), bytes.size());
  if (starts_with(text, "#!"))
    return described(path, ProgramKind::script,
                     " is a script: name the CUDA program that it starts instead");
  const Elf elf(bytes);
  if (!elf.valid())
    return described(path, ProgramKind::not_executable,
                     " is not a program (a .cu file is built first: nvcc -cudart shared)");
  Program program = inspect_elf(path, elf);
  if (program.runs() && access(path.c_str(), X_OK) != 0)
    return described(path, ProgramKind::not_permitted, " is not executable: chmod +x it");
  return program;
}

std::vector<std::pair<std::string, std::string>> program_environment(
    const ProgramOptions& options) {
  std::vector<std::pair<std::string, std::string>> variables;
  // LD_PRELOAD, because a program's own RPATH would win over LD_LIBRARY_PATH.
  // A blank or a colon would split the path there, so such a folder goes into LD_LIBRARY_PATH.
  const fs::path library = fs::absolute(options.cudart);
  std::string preload = library.string();
  if (preload.find_first_of(" :") != std::string::npos) {
    preload = library.filename().string();
    std::string folders = library.parent_path().string();
    if (const char* others = std::getenv("LD_LIBRARY_PATH"); others && *others)
      folders += std::string(":") + others;
    variables.emplace_back("LD_LIBRARY_PATH", folders);
  }
  if (const char* others = std::getenv("LD_PRELOAD"); others && *others)
    preload += std::string(":") + others;
  variables.emplace_back("LD_PRELOAD", preload);
  const auto add = [&](const char* name, const std::string& value) {
    variables.emplace_back(std::string("LADDER_EMULATOR_") + name, value);
  };
  if (options.threads > 0) add("THREADS", std::to_string(options.threads));
  if (options.time_limit_s > 0) add("TIME_LIMIT", std::to_string(options.time_limit_s));
  if (!options.fail.empty()) add("FAIL", options.fail);
  if (!options.report.empty()) add("REPORT", fs::absolute(options.report).string());
  if (!options.trace.empty()) {
    const TraceLimits& limits = options.trace_limits;
    add("TRACE", fs::absolute(options.trace).string());
    add("TRACE_BLOCKS", std::to_string(limits.first_block) + "-" +
                            std::to_string(limits.first_block + limits.blocks - 1));
    add("TRACE_LIMIT", std::to_string(limits.accesses));
  }
  if (!options.device.empty()) add("DEVICE", options.device);
  if (options.quiet) add("QUIET", "1");
  if (!options.observers.empty()) add("WATCH", options.observers);
  if (options.order_seed != 0) add("ORDER_SEED", std::to_string(options.order_seed));
  if (options.fault_exit != 0) add("FAULT_EXIT", std::to_string(options.fault_exit));
  return variables;
}

void require_runtime(const Program& program, const ProgramOptions& options) {
  if (!program.runs()) throw UsageError(program.message);
  if (!fs::exists(options.cudart))
    throw MachineError("no CUDA runtime at " + options.cudart.string() +
                       ": build the emulator first");
  const std::string soname = soname_of(options.cudart);
  if (soname != program.cudart)
    throw UsageError(program.path.string() + " was built for " + program.cudart + ", but " +
                     options.cudart.string() + " is " + (soname.empty() ? "no library" : soname) +
                     "\n  build the program with the toolkit that built the emulator");
}

void run_program(const Program& program, const std::vector<std::string>& arguments,
                 const ProgramOptions& options) {
  require_runtime(program, options);
  for (const auto& [name, value] : program_environment(options))
    setenv(name.c_str(), value.c_str(), 1);

  // Without a slash exec would not look in the current folder.
  std::string path = fs::absolute(program.path).string();
  std::string shown = program.path.string();
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv = {shown.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  throw MachineError("cannot start " + path + ": " + std::strerror(errno));
}

}  // namespace ladder::emulator

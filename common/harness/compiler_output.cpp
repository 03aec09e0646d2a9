#include "common/harness/compiler_output.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "common/harness/text.hpp"

namespace ladder {

namespace {

constexpr std::size_t errors_shown = 3;
constexpr std::size_t lines_shown_of_one = 12;

bool is_diagnostic(const std::string& line) {
  // "a.cu(3): error: ..." (nvcc), "a.cu:3:5: error: ..." (the host compiler), "ptxas error : ..."
  static const std::regex pattern(
      R"(^(.*\(\d+\): |.*:\d+:\d+: |At end of source: |nvcc |ptxas |cc1plus: |.*ld[.a-z]*: |collect2: |.*\.(o|cu|cpp|h):))");
  return std::regex_search(line, pattern);
}

bool is_error(const std::string& line) {
  static const std::regex pattern(R"((^|[^a-z])(error|fatal|undefined reference)([^a-z]|$))");
  static const std::regex lesser(R"(: (warning|note|remark)[ :#])");
  return std::regex_search(line, pattern) && !std::regex_search(line, lesser);
}

bool is_closing_count(const std::string& line) {
  return line.find(" detected in the compilation of ") != std::string::npos;
}

// nvcc quotes code after the preprocessor: `__attribute__((global))` for `__global__`. Writes it
// back and moves the caret below it.
void restore_qualifiers(std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const char* name : {"global", "device", "host", "shared", "constant", "managed"}) {
      const std::string expanded = std::string("__attribute__((") + name + "))";
      const std::string written = std::string("__") + name + "__";
      for (std::size_t at = lines[i].find(expanded); at != std::string::npos;
           at = lines[i].find(expanded)) {
        lines[i].replace(at, expanded.size(), written);
        if (i + 1 == lines.size() || trim(lines[i + 1]) != "^") continue;
        const std::size_t caret = lines[i + 1].find('^');
        if (caret > at) lines[i + 1].erase(0, std::min(caret, expanded.size() - written.size()));
      }
    }
  }
}

// What to do about errors that beginners meet and that nvcc words for experts.
std::string advice_for(const std::string& error) {
  struct Advice {
    const char* error;
    const char* advice;
  };
  static constexpr Advice known[] = {
      {"a host function call cannot be configured",
       "only a kernel is launched with <<<blocks, threads>>>: write __global__ before its void"},
      {"__global__ function call must be configured",
       "a kernel is called with a launch: kernel<<<blocks, threads>>>(...)"},
      {"calling a constexpr __host__ function",
       "that function is the host's; kernels have INFINITY, FLT_MAX and the like as constants"},
      {"calling a __host__ function",
       "a kernel can call only what is marked so: write __device__ before that function"},
      {"linkage specification is not allowed",
       "extern \"C\" stands outside every function: is a } missing somewhere above?"},
      {"must have a void return type",
       "a kernel hands its results over in memory, through a pointer"},
      {"type \"const float *\" is incompatible with parameter of type \"float *\"",
       "const arrays are inputs: are the arguments in the right order?"},
      {"expression must be a modifiable lvalue",
       "const memory is an input: is this the right array?"},
      {"undefined reference to 'main'",
       "this runs programs with a main; a file with solve(): ./ladder check --problem NAME FILE"},
      {"ptxas fatal   : Ptx assembly aborted", "the text in an asm() is not PTX"},
  };
  for (const Advice& one : known)
    if (error.find(one.error) != std::string::npos) return one.advice;
  return "";
}

}  // namespace

std::vector<std::string> error_blocks(std::string_view output) {
  static const std::regex place(R"(^(.*)\((\d+)\): )");
  std::vector<std::string> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(output)) {
    if (trim(line).empty() || is_closing_count(line)) {
      inside = false;
    } else if (is_diagnostic(line)) {
      inside = is_error(line);
      if (inside) blocks.push_back(std::regex_replace(line, place, "$1:$2: "));
    } else if (inside) {
      blocks.back() += "\n" + line;
    }
  }
  return blocks;
}

std::string compile_message(const std::vector<std::string>& errors, const std::string& shown_path) {
  std::string message = shown_path + " does not compile";
  message +=
      errors.size() == 1 ? " (1 error):" : " (" + std::to_string(errors.size()) + " errors):";
  for (std::size_t i = 0; i < errors.size() && i < errors_shown; ++i) {
    std::vector<std::string> lines = lines_of(with_short_paths(errors[i]));
    if (lines.size() > lines_shown_of_one) lines.resize(lines_shown_of_one);
    restore_qualifiers(lines);
    for (const std::string& line : lines) message += "\n  " + line;
    if (const std::string advice = advice_for(errors[i]); !advice.empty())
      message += "\n  help: " + advice;
  }
  if (errors.size() > errors_shown) {
    message += "\n  and " + std::to_string(errors.size() - errors_shown) + " more";
  }
  return message;
}

std::string with_short_paths(std::string text) {
  const std::string here = std::filesystem::current_path().string() + "/";
  for (std::size_t at = text.find(here); at != std::string::npos; at = text.find(here, at)) {
    text.erase(at, here.size());
  }
  return text;
}

}  // namespace ladder

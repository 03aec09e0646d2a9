// Makes a wrong `solve` a compile error that says what is wrong. The solver is compiled through a
// wrapper that includes it and then compares the declared type of `solve` with the problem's,
// const stripped; what the compiler says about the wrapper is turned into a sentence.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/problem.hpp"

namespace ladder {

// The wrapper's text. The solver keeps its own name and lines in messages and line tables.
std::string signature_wrapper(const Problem& problem, const std::filesystem::path& source);

// Diagnostics about the wrapper itself carry this in front of the name of the failed check.
inline constexpr std::string_view signature_file_prefix = "ladder-signature-";

// Where `solve` is defined in a source text, as far as reading without a compiler can tell.
struct SolveDefinition {
  int line = 0;
  std::vector<std::string> parameters;  // "const float* A"
};
std::optional<SolveDefinition> find_solve(std::string_view text);
bool defines_main(std::string_view text);

// The sentence for the failed checks named in the compiler's output; "" if there are none.
std::string signature_message(std::string_view compiler_output, const Problem& problem,
                              std::string_view source_text, const std::string& shown_path);

}  // namespace ladder

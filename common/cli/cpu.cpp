#include "common/cli/cpu.hpp"

#include <algorithm>

#include "common/harness/text.hpp"

namespace ladder::cli {

std::string lacking_vectors(std::string_view cpuinfo) {
  std::vector<std::string> known;
  for (const std::string& line : lines_of(cpuinfo)) {
    if (line.rfind("flags", 0) != 0) continue;
    known = split_words(line);
    break;
  }
  std::vector<std::string> lacking;
  for (const char* flag : {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})
    if (std::find(known.begin(), known.end(), flag) == known.end()) lacking.push_back(flag);
  return join(lacking, " ");
}

}  // namespace ladder::cli

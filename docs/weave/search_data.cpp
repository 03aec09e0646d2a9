#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/pictures/pictures.hpp"
#include "docs/weave/results.hpp"
#include "docs/weave/site.hpp"
#include "docs/weave/trace.hpp"

namespace ladder::weave {

namespace {

// Words only: Markdown's and the code's punctuation would only make the file larger.
std::string searchable(const std::string& text) {
  std::string words;
  for (const std::string& line : lines_of(text)) {
    if (is_picture_line(line) || is_trace_line(line)) continue;
    for (const std::string& word : split_words(line)) {
      if (word.find_first_not_of("*`_|-=+/<>(){};,.:&!?") == std::string::npos) continue;
      words += (words.empty() ? "" : " ") + word;
    }
  }
  return words;
}

}  // namespace

std::string search_data(const std::vector<Page>& pages) {
  std::string data = "var ladderPages = [";
  int id = 0;
  for (const Page& page : pages) {
    for (const SearchEntry& entry : page.search()) {
      data += (id == 0 ? "\n" : ",\n");
      data += "{\"id\":" + std::to_string(id++) + ",\"url\":" + json_string(entry.url) +
              ",\"title\":" + json_string(entry.title) +
              ",\"features\":" + json_string(entry.features) +
              ",\"text\":" + json_string(searchable(entry.text)) + "}";
    }
  }
  return data + "\n];\n";
}

}  // namespace ladder::weave

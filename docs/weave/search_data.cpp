#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/pictures/pictures.hpp"
#include "docs/weave/results.hpp"
#include "docs/weave/site.hpp"
#include "docs/weave/trace.hpp"

namespace ladder::weave {

namespace {

// "**Idea.**" and "`tile[x]`" as a reader sees them.
std::string without_marks(std::string word) {
  std::erase(word, '`');
  for (std::size_t at; (at = word.find("**")) != std::string::npos;) word.erase(at, 2);
  if (word.size() > 1 && word.front() == '*') word.erase(0, 1);
  const std::size_t end = word.find_last_not_of(".,;:)");
  if (end != std::string::npos && end > 0 && word[end] == '*') word.erase(end, 1);
  return word;
}

// Words only: Markdown's and the code's punctuation would only make the file larger.
std::string searchable(const std::string& text) {
  std::string words;
  for (const std::string& line : lines_of(text)) {
    if (is_picture_line(line) || is_trace_line(line)) continue;
    for (const std::string& word : split_words(line)) {
      const bool anchor = word.starts_with("{#") && word.ends_with("}");
      if (anchor || word.find_first_not_of("*`_#|-=+/<>(){};,.:&!?") == std::string::npos) continue;
      words += (words.empty() ? "" : " ") + without_marks(word);
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

// Prose in a second language, paragraph by paragraph beside the English: chapters/NN/zh/NAME.md for
// chapters/NN/NAME.cu and its sheet, docs/pages/zh/NAME.md for docs/pages/NAME.md.
//
//   <!-- 3f2a91c0 -->
//   中文的一段。
//
// The digits are the hash of the English paragraph that the text below them says in the other
// language. When the English changes, the hash is nobody's any more, and the text is stale.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/catalog.hpp"
#include "common/harness/solver_header.hpp"

namespace ladder {

// Lines of Markdown between blank ones; a fenced block is one, whatever is in it.
struct Paragraph {
  std::string file;  // relative to the source tree
  int line = 0;      // its first
  std::string text;
  std::string hash() const;  // eight digits, blind to where lines are broken
  bool is_code() const;      // or a picture: which is the same in every language
};
std::vector<Paragraph> paragraphs_of(std::string_view markdown, const std::string& file,
                                     int first_line = 1);
// The title, as "# Title {#anchor}", and the prose, also that of the solution.
std::vector<Paragraph> paragraphs_of(const SolverHeader& header, const std::string& file);
// A page by hand, with the sections that it takes from files of the repository where it asks for
// them. Those of files that are made are not there before they are.
std::vector<Paragraph> page_paragraphs(const Tree& tree, const std::filesystem::path& page);
// A sheet's statement and hints, without their headings.
std::vector<Paragraph> sheet_paragraphs(std::string_view sheet, const std::string& file);

class Translation {
 public:
  struct Entry {
    std::string hash, text;
    int line = 0;        // of the text's first line
    bool stale = false;  // said of an earlier English paragraph in the same place
  };

  Translation() = default;  // of nothing: every paragraph is missing
  // Throws UsageError "file:line: ..." for text under no hash, a hash given twice, and an anchor
  // of the English that its translation lacks.
  Translation(std::string_view text, std::string file, const std::vector<Paragraph>& english);

  // Null if there is none. A stale one is found by the paragraph that has taken its place.
  const Entry* find(std::string_view paragraph) const;
  // Without its "# " and " {#anchor}"; `title` itself if there is none.
  std::string title(const std::string& title, const std::string& anchor) const;

  const std::string& file() const { return file_; }
  bool empty() const { return by_hash_.empty(); }
  const std::vector<Paragraph>& missing() const { return missing_; }  // the English
  const std::vector<Entry>& left_over() const { return left_over_; }  // of no paragraph at all
  std::vector<Entry> stale() const;

 private:
  void match(std::vector<Entry> entries, const std::vector<Paragraph>& english);

  std::string file_;
  std::map<std::string, Entry> by_hash_;  // of the English as it is now
  std::vector<Paragraph> missing_;
  std::vector<Entry> left_over_;
};

// Everything of the course that can be translated, with what there is of it in `language` ("zh").
struct TranslatedDocument {
  std::string file;  // of the translation
  std::vector<Paragraph> english;
  Translation translation;
};
std::vector<TranslatedDocument> translated_documents(const Tree& tree, const Catalog& catalog,
                                                     const std::string& language);

// Where a file's translation is: in the folder `language` beside it ("exercises" and "solutions"
// count as their chapter).
std::filesystem::path translation_file(const std::filesystem::path& english,
                                       const std::string& language);
// Of whatever is there; an absent file translates nothing.
Translation read_translation(const Tree& tree, const std::filesystem::path& english,
                             const std::string& language, const std::vector<Paragraph>& paragraphs);

}  // namespace ladder

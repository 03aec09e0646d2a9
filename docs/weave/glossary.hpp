// The course's terms. Their explanations are docs/pages/glossary.md, and the first use of a term on
// any other page leads there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::weave {

class Glossary {
 public:
  // What a term of the glossary is called in another language.
  struct Term {
    std::string english, words;
  };
  // Each "### barrier {#glossary_barrier}" names a term, which is linked with and without an s at
  // its end; other forms stand behind commas. "#### step {#glossary_step}" is one that is not,
  // because the word has other uses. Throws UsageError for another language's word for what the
  // glossary does not explain.
  explicit Glossary(std::string_view text, const std::vector<Term>& others = {});
  Glossary() = default;

  // Markdown of a page, with the same lines. Code, headings, tables, links, tags, formulas and
  // what stands between \htmlonly and \endhtmlonly stay as they are.
  std::string linked(std::string_view markdown) const;

 private:
  struct Form {
    std::string words, anchor;
  };
  struct Found {
    const std::string* anchor = nullptr;
    std::size_t length = 0;
  };
  Found longest_at(std::string_view line, std::size_t at) const;
  friend class TermLinker;

  std::vector<Form> forms_;  // longest first, in lower case
};

// "warp = 线程束, 线程束组": what another language calls a term. Throws UsageError "file:line: …".
std::vector<Glossary::Term> parse_terms(std::string_view text, const std::string& file);

}  // namespace ladder::weave

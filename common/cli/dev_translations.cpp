// `ladder dev translations`: what of the course's prose is said in another language, what is not,
// and what was said of an English text that has changed since.
#include <cstdio>

#include "common/cli/course.hpp"
#include "common/harness/translation.hpp"

namespace ladder::cli {
namespace {

void show_missing(const TranslatedDocument& document) {
  std::printf("==== %s\n\n", document.file.c_str());
  for (const Paragraph& paragraph : document.translation.missing()) {
    std::printf("<!-- %s -->\n%s\n\n", paragraph.hash().c_str(), paragraph.text.c_str());
  }
}

void show_stale(const TranslatedDocument& document) {
  const std::string& file = document.file;
  for (const auto& entry : document.translation.stale()) {
    std::printf("%s:%d: stale: the English has changed\n", file.c_str(), entry.line);
  }
  for (const auto& entry : document.translation.left_over()) {
    std::printf("%s:%d: of no paragraph: the English is gone\n", file.c_str(), entry.line);
  }
}

}  // namespace

int dev_translations(const TranslationsRequest& request) {
  const Tree tree = Tree::find();
  int missing = 0, stale = 0, total = 0;
  for (const TranslatedDocument& document : translated_documents(tree, Catalog(tree), "zh")) {
    const int absent = static_cast<int>(document.translation.missing().size());
    missing += absent;
    stale += static_cast<int>(document.translation.stale().size());
    total += static_cast<int>(document.english.size());
    if (request.missing && absent > 0) show_missing(document);
    if (request.missing) continue;
    if (absent > 0) {
      const bool whole = document.translation.empty();
      std::printf("%s: %s%d of %d paragraphs missing\n", document.file.c_str(),
                  whole ? "no translation, " : "", absent,
                  static_cast<int>(document.english.size()));
    }
    show_stale(document);
  }
  std::printf("%d paragraphs, %d missing, %d stale\n", total, missing, stale);
  return 0;
}

}  // namespace ladder::cli

#include "docs/weave/links.hpp"

#include <set>

#include "common/harness/files.hpp"
#include "common/harness/text.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

struct Addresses {
  std::set<std::string> links, anchors;
};

// The values of an attribute, wherever it stands in a tag.
void collect(std::string_view html, std::string_view attribute, std::set<std::string>& values) {
  const std::string begin = " " + std::string(attribute) + "=\"";
  for (std::size_t at = html.find(begin); at != html.npos; at = html.find(begin, at)) {
    at += begin.size();
    const std::size_t end = html.find('"', at);
    if (end == html.npos) return;
    values.emplace(html.substr(at, end - at));
  }
}

// Of each page by its name in the site: "zh/index.html".
std::map<std::string, Addresses> read_addresses(const fs::path& html, const SiteFolders& folders) {
  std::map<std::string, Addresses> pages;
  for (const auto& [folder, written] : folders) {
    for (const auto& file : fs::directory_iterator(html / folder)) {
      if (file.path().extension() != ".html") continue;
      const std::string text = read_file(file.path());
      Addresses& page = pages[folder + file.path().filename().string()];
      collect(text, "href", page.links);
      collect(text, "id", page.anchors);
      collect(text, "name", page.anchors);
    }
  }
  return pages;
}

bool leads_somewhere(const fs::path& html, const std::map<std::string, Addresses>& pages,
                     const std::string& from, const std::string& link) {
  if (link.find(':') != link.npos) return true;
  const std::size_t hash = link.find('#');
  const std::string file = link.substr(0, hash);
  const std::string to =
      file.empty() ? from : (fs::path(from).parent_path() / file).lexically_normal().string();
  const auto page = pages.find(to);
  if (page == pages.end()) return to.rfind("..", 0) != 0 && fs::exists(html / to);
  const std::string anchor = hash == link.npos ? "" : link.substr(hash + 1);
  return anchor.empty() || page->second.anchors.count(anchor) > 0;
}

// Where the page's author wrote it.
std::string place_of(const std::string& link, const std::string& file, const SiteFolders& folders) {
  for (const auto& [folder, pages] : folders) {
    for (const Page& page : pages) {
      if (folder + page.name() + ".html" != file) continue;
      int number = 0;
      for (const std::string& line : lines_of(page.text())) {
        const Origin origin = page.author(++number);
        if (line.find(link) == line.npos || origin.line == 0) continue;
        return origin.file + ":" + std::to_string(origin.line);
      }
    }
  }
  return file;
}

}  // namespace

std::vector<std::string> broken_links(const fs::path& html, const SiteFolders& folders) {
  const std::map<std::string, Addresses> addresses = read_addresses(html, folders);
  std::vector<std::string> broken;
  for (const auto& [file, page] : addresses) {
    for (const std::string& link : page.links) {
      if (leads_somewhere(html, addresses, file, link)) continue;
      broken.push_back(place_of(link, file, folders) + ": the link " + link + " leads nowhere");
    }
  }
  return broken;
}

}  // namespace ladder::weave

#include "docs/weave/api.hpp"

#include <algorithm>

#include "common/harness/files.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/comments.hpp"
#include "docs/weave/html.hpp"

namespace ladder::weave {

namespace fs = std::filesystem;

namespace {

// The groups of the reference, in the order of who needs them first.
struct Group {
  const char* title;
  const char* anchor;
  const char* explanation;
  const char* files;  // what their names begin with
};
constexpr Group groups[] = {
    {"Checking", "api_check",
     "What every solver includes: a call of the CUDA runtime that fails stops with its place, and "
     "a "
     "size that a step does not take is refused.",
     "common/check.hpp"},
    {"Timing", "api_timer",
     "How the course times kernels, for programs of your own: events, a cold cache, the median.",
     "common/timer.hpp"},
    {"For kernels", "api_device",
     "What kernels may include once a chapter has explained what is in it.", "common/device/"},
    {"The harness", "api_harness",
     "How a solver is described, run and judged: where a new problem or another report begins.",
     "common/harness/"},
    {"The emulator", "api_emulator",
     "The device that executes PTX, and what can watch it: where a new observer or counter "
     "begins.",
     "common/emulator/"},
};

// Where the course can be extended, and what is worth knowing of its inside.
constexpr const char* seams[] = {
    "common/harness/problem.hpp",       "common/harness/cases.hpp",
    "common/harness/solver_header.hpp", "common/harness/judge.hpp",
    "common/harness/verdict.hpp",       "common/harness/report.hpp",
    "common/emulator/device.hpp",       "common/emulator/watch.hpp",
    "common/emulator/finding.hpp",      "common/emulator/counters.hpp",
    "common/emulator/occupancy.hpp",    "common/emulator/exec/observer.hpp",
};

bool is_header(const fs::path& file) {
  return file.extension() == ".hpp" || file.extension() == ".cuh";
}

// The first sentence of a header's purpose.
std::string first_sentence(const std::string& purpose) {
  const std::string text = join(split_words(purpose), " ");
  const std::size_t end = text.find(". ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

std::string list_of(const std::vector<ApiHeader>& headers, const std::string& home,
                    const std::string& begin) {
  std::string html;
  for (const ApiHeader& header : headers) {
    if (!header.file.starts_with(begin)) continue;
    html += "<li>" + link(home + header.page_file(), header.file) + ": " +
            inline_code(first_sentence(header.purpose)) + "</li>\n";
  }
  return html;
}

}  // namespace

std::string ApiHeader::page_file() const {
  std::string name;
  for (const char c : fs::path(file).filename().string()) {
    name += c == '.' ? std::string("_8") : c == '_' ? std::string("__") : std::string(1, c);
  }
  return "api/" + name + ".html";
}

std::vector<ApiHeader> api_headers(const fs::path& source) {
  std::vector<ApiHeader> headers;
  const auto add = [&](const std::string& file, bool for_learners) {
    headers.push_back({file, purpose_of(read_file(source / file)), for_learners});
  };
  add("common/check.hpp", true);
  add("common/timer.hpp", true);
  std::vector<std::string> device;
  for (const auto& file : fs::directory_iterator(source / "common" / "device")) {
    if (is_header(file.path())) {
      device.push_back("common/device/" + file.path().filename().string());
    }
  }
  std::sort(device.begin(), device.end());
  for (const std::string& file : device) add(file, true);
  for (const char* file : seams) add(file, false);
  return headers;
}

Page api_page(const std::vector<ApiHeader>& headers, const Words& say) {
  Page page("api", say("Reference: the headers in common/"), {});
  const std::string home = say.english() ? "" : "../";
  page.html("<p>" +
            say("Made from the comments in the headers themselves. Sizes are in bytes and times in "
                "microseconds unless a name says otherwise.") +
            "</p>");
  for (const Group& group : groups) {
    page.heading(say(group.title), group.anchor);
    page.html("<p>" + say(group.explanation) + "</p>\n<ul" + (say.english() ? "" : " lang=\"en\"") +
              ">\n" + list_of(headers, home, group.files) + "</ul>");
  }
  page.find("", page.title(), "", "reference API headers");
  for (const ApiHeader& header : headers) {
    page.find_elsewhere(home + header.page_file(), header.file, "", header.purpose);
  }
  return page;
}

std::string api_errors(std::string_view log, const std::vector<ApiHeader>& headers,
                       const std::string& source) {
  const auto for_learners = [&](const std::string& line) {
    return std::any_of(headers.begin(), headers.end(), [&](const ApiHeader& header) {
      return header.for_learners && line.find(header.file + ":") != line.npos;
    });
  };
  std::string errors;
  for (std::string line : lines_of(log)) {
    const bool told = line.find(": warning: ") != line.npos || line.find("error: ") != line.npos;
    const bool undocumented = line.find(" is not documented.") != line.npos;
    if (!told || (undocumented && !for_learners(line))) continue;
    if (line.rfind(source + "/", 0) == 0) line.erase(0, source.size() + 1);
    errors += line + "\n";
  }
  return errors;
}

}  // namespace ladder::weave

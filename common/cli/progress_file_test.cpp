#include "common/cli/progress_file.hpp"

#include <doctest/doctest.h>

#include "common/harness/files.hpp"

namespace fs = std::filesystem;
using ladder::cli::ProgressFile;

TEST_CASE("progress that was saved is read again") {
  const ladder::TemporaryFolder folder;
  ProgressFile progress(folder.path());
  progress.change("01.ex_01").solved = "2026-11-30";
  progress.change("01.ex_02").hints = 2;
  progress.save();
  const ProgressFile again(folder.path());
  CHECK(again.warning().empty());
  CHECK(again.of("01.ex_01").solved == "2026-11-30");
  CHECK(again.of("01.ex_02").hints == 2);
  CHECK(again.of("01.ex_03").hints == 0);
}

TEST_CASE("a damaged progress file is said, kept and started again") {
  const ladder::TemporaryFolder folder;
  for (const char* text : {"{", "[]", "{\"version\": 99, \"exercises\": {}}",
                           "{\"version\": 1, \"exercises\": {\"a\": {\"hints\": \"x\"}}}"}) {
    CAPTURE(text);
    folder.write(".ladder/progress.json", text);
    const ProgressFile progress(folder.path());
    CHECK(progress.warning().find("progress.json.bak-") != std::string::npos);
    CHECK(progress.of("a").hints == 0);
    CHECK_FALSE(fs::exists(folder.path() / ".ladder" / "progress.json"));
  }
  // Each damaged file was kept under a name of its own.
  CHECK(fs::exists(folder.path() / ".ladder" / "progress.json.bak-4"));
}

// What pictures say is computed: sectors, banks; and what they are not asked for in the right way.
#include <doctest/doctest.h>

#include "common/harness/solver_header.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/page.hpp"
#include "docs/weave/pictures/pictures.hpp"

using namespace ladder;
using namespace ladder::weave;

namespace {

bool shows(const std::string& reference, const std::string& words) {
  return picture_html("@picture " + reference).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a warp's words lie in as many sectors as their addresses say") {
  CHECK(shows("lanes_on_sectors",
              "4 sectors, 128 bytes moved for the 128 that were asked for (100 %)"));
  CHECK(shows("lanes_on_sectors offset=1", "5 sectors, 160 bytes moved for the 128"));
  CHECK(shows("lanes_on_sectors offset=8", "4 sectors, 128 bytes"));
  CHECK(shows("lanes_on_sectors stride=2", "8 sectors, 256 bytes moved for the 128"));
  CHECK(shows("lanes_on_sectors stride=32", "32 sectors, 1024 bytes moved for the 128"));
  CHECK(shows("lanes_on_sectors bytes=16", "16 sectors, 512 bytes moved for the 512"));
  CHECK(shows("lanes_on_sectors stride=0", "1 sector, 32 bytes moved for the 4"));
  CHECK(shows("lanes_on_sectors access=scattered", "21 sectors, 672 bytes moved for the 128"));
}

TEST_CASE("a column of a tile lies in one bank, unless it is padded or swizzled") {
  CHECK(shows("banks", "32 wavefronts"));
  CHECK(shows("banks access=row", ": 1 wavefront."));
  CHECK(shows("banks pad=1", ": 1 wavefront."));
  CHECK(shows("banks swizzle=xor", ": 1 wavefront."));
  CHECK(shows("banks swizzle=xor column=7", ": 1 wavefront."));
  CHECK(shows("banks tile=16 pad=1", ": 2 wavefronts."));
  CHECK(shows("banks access=stride stride=2", ": 2 wavefronts."));
  CHECK(shows("banks access=stride stride=3", ": 1 wavefront."));
}

TEST_CASE("a halo costs the loads round the tile") {
  CHECK(shows("halo tile=8 kernel=3", "100 loads for 64 outputs: 1.56 for each"));
  CHECK(shows("halo tile=4 kernel=5", "64 loads for 16 outputs: 4.00 for each"));
}

TEST_CASE("every picture is drawn without settings, says what it shows, and has a caption") {
  for (const PictureKind& kind : picture_kinds()) {
    const std::string html = picture_html("@picture " + std::string(kind.name));
    INFO(kind.name);
    CHECK(html.find("role=\"img\" aria-label=\"") != std::string::npos);
    CHECK(html.find("<desc>") != std::string::npos);
    CHECK(html.find("<figcaption>") != std::string::npos);
    CHECK(html.find("\"nan") == std::string::npos);
    CHECK(html.size() < 60000);
  }
}

TEST_CASE("a caption of one's own replaces the picture's") {
  CHECK(shows("halo | Only the `halo` <now>.",
              "<figcaption>Only the <code>halo</code> &lt;now&gt;.</figcaption>"));
}

TEST_CASE("a picture stands in prose by its name, and not in code") {
  Page page("x", "X", {"chapters/x/intro.md", 1});
  page.markdown("Text.\n@picture halo\n```\n@picture halo\n```\n", {"chapters/x/intro.md", 3});
  const std::size_t drawn = page.text().find("<svg");
  REQUIRE(drawn != std::string::npos);
  CHECK(page.text().find("<svg", drawn + 1) == std::string::npos);
  CHECK(page.text().find("```\n@picture halo\n```") != std::string::npos);
}

TEST_CASE("a solver's header takes a picture for prose, not for a key") {
  const SolverHeader header = parse_solver_header(
      "//! # Step 01: x {#x_01}\n//! Text.\n//! @picture halo\n//! @trace 01.01\n", "x.cu");
  CHECK(header.prose == "Text.\n@picture halo\n@trace 01.01");
}

TEST_CASE("a picture that there is not, or not so, stops with its place") {
  Page page("x", "X", {"chapters/x/intro.md", 1});
  const auto refused = [&](const std::string& line, const char* words) {
    CHECK_THROWS_WITH_AS(page.markdown("Text.\n" + line + "\n", {"chapters/x/intro.md", 3}),
                         doctest::Contains(words), UsageError);
  };
  refused("@picture hallo", "chapters/x/intro.md:4: no picture is named 'hallo'");
  refused("@picture hallo", "did you mean 'halo'");
  refused("@picture halo tiles=3", "has no setting 'tiles'");
  refused("@picture halo tile=1", "a number from 2 to 16, not '1'");
  refused("@picture banks access=diagonal", "column or row or stride");
  refused("@picture halo tile", "'tile' is no setting");
  refused("@picture halo tile=3 tile=4", "given twice");
  refused("@picture", "a picture has a name");
}

TEST_CASE("trees add up what they show") {
  CHECK(shows("reduction_tree", "7 additions in 3 steps, sum 25"));
  CHECK(shows("reduction_tree order=sequential elements=16", "15 additions in 4 steps, sum 74"));
  CHECK(shows("scan_tree", "17 additions for 8 elements"));
  CHECK(shows("scan_tree kind=blelloch", "14 additions for 8 elements"));
  CHECK(shows("scan_tree kind=blelloch", ">22<"));  // the last exclusive prefix: 25 - 3
  CHECK_THROWS_WITH_AS(picture_html("@picture scan_tree elements=6"),
                       doctest::Contains("4, 8 or 16"), UsageError);
}

TEST_CASE("a tile that looks back adds sums up to a prefix") {
  CHECK(shows("look_back", "tile 5 begins at 6 + 2 + 8 + 8 = 24"));
  CHECK(shows("look_back tiles=4 known=0", "tile 3 begins at 8 + 3 + 5 = 16"));
}

TEST_CASE("buffers let copies and computing overlap, as far as there are buffers") {
  CHECK(shows("double_buffer", "one buffer 20 units of time, 2 buffers 14"));
  CHECK(
      shows("double_buffer copy=1 compute=1 tiles=8", "one buffer 16 units of time, 2 buffers 9"));
}

TEST_CASE("the online softmax rescales its sum where the maximum grows") {
  CHECK(shows("online_softmax", ">0.135<"));  // e^(1 - 3)
  CHECK(shows("online_softmax", ">2.571<"));  // the sum of e^(x - 5)
}

TEST_CASE("a register tile's products grow faster than its loads") {
  CHECK(
      shows("register_tile rows=8 cols=8", "16 values loaded for 64 multiply-adds: 4.00 for each"));
}

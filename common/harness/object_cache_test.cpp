#include "common/harness/object_cache.hpp"

#include <doctest/doctest.h>

#include "common/harness/files.hpp"
#include "common/harness/fingerprint.hpp"

using namespace ladder;

TEST_CASE("a depfile's paths survive blanks, dollars and continued lines, and come back") {
  const std::vector<std::string> files = {"/a/x.cu", "/b c/y.hpp", "/d$e/z#.h"};
  CHECK(parse_depfile(write_depfile("out dir/x.so", files)) == files);
  CHECK(parse_depfile("x.o : a.cu \\\n   b.h\n\nb.h:\n") ==
        std::vector<std::string>{"a.cu", "b.h"});
  CHECK(parse_depfile("").empty());
  CHECK(parse_depfile("no rule").empty());
}

TEST_CASE("a fingerprint is FNV-1a's and tells parts apart") {
  CHECK(Fingerprint().hex() == "6c62272e07bb014262b821756295c58d");
  CHECK(Fingerprint().add("ab").add("c").hex() != Fingerprint().add("a").add("bc").hex());
  CHECK(Fingerprint().add("ab").hex() == Fingerprint().add("ab").hex());
}

TEST_CASE("a cached object is found while its dependencies are as they were, and only then") {
  const TemporaryFolder folder;
  const auto header = folder.write("h.hpp", "1");
  ObjectCache cache(folder.path(), "slot", ".so");
  CHECK_FALSE(cache.find().has_value());
  const auto stored = cache.store(folder.write("object", "machine code"), {header.string()});
  REQUIRE(cache.find().has_value());
  CHECK(cache.find()->object == stored.object);
  CHECK(read_file(stored.object) == "machine code");
  write_file(header, "2");
  CHECK_FALSE(cache.find().has_value());
  write_file(header, "1");
  CHECK(cache.find().has_value());
  std::filesystem::remove(header);
  CHECK_FALSE(cache.find().has_value());
}

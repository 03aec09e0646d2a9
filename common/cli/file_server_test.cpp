#include "common/cli/file_server.hpp"

#include <doctest/doctest.h>

#include "common/harness/files.hpp"

using namespace ladder;

TEST_CASE("the file server gives a folder's files, and nothing outside it") {
  const TemporaryFolder outer;
  outer.write("secret.html", "secret");
  outer.write("site/index.html", "hello");
  outer.write("site/a b.svg", "<svg/>");
  const auto folder = outer.path() / "site";
  std::filesystem::create_symlink(outer.path() / "secret.html", folder / "way_out.html");
  const auto get = [&](const std::string& path) {
    return cli::answer(folder, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  };
  CHECK(get("/").find("200 OK") != std::string::npos);
  CHECK(get("/?x#y").find("\r\n\r\nhello") != std::string::npos);
  CHECK(get("/a%20b.svg").find("image/svg+xml") != std::string::npos);
  for (const char* path : {"/../secret.html", "/%2e%2e/secret.html", "//../secret.html",
                           "/way_out.html", "/none.html", "/..", "/%2"}) {
    CAPTURE(path);
    CHECK(get(path).find("404 Not Found") != std::string::npos);
    CHECK(get(path).find("secret") == std::string::npos);
  }
  CHECK(cli::answer(folder, "POST / HTTP/1.1\r\n\r\n").find("405") != std::string::npos);
  CHECK(cli::answer(folder, "HEAD / HTTP/1.1\r\n\r\n").find("hello") == std::string::npos);
  CHECK(cli::answer(folder, "garbage").find("405") != std::string::npos);
}

#include <doctest/doctest.h>

#include <cstdlib>

#include "common/harness/builder.hpp"
#include "common/harness/files.hpp"

using namespace ladder;

namespace {

// Sets CUDA_PATH to a folder whose nvcc says that it is of this release.
class FakeToolkit {
 public:
  explicit FakeToolkit(const std::string& release) {
    const auto nvcc =
        folder_.write("bin/nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release " + release +
                                      ", V" + release + ".1'\n");
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    folder_.write("lib64/libcudart.so.12", "");
    if (const char* path = std::getenv("CUDA_PATH")) before_ = path;
    setenv("CUDA_PATH", folder_.path().c_str(), 1);
  }
  ~FakeToolkit() {
    if (before_) {
      setenv("CUDA_PATH", before_->c_str(), 1);
    } else {
      unsetenv("CUDA_PATH");
    }
  }
  FakeToolkit(const FakeToolkit&) = delete;
  FakeToolkit& operator=(const FakeToolkit&) = delete;
  const std::filesystem::path& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("CUDA_PATH names the toolkit, with its version and its runtime") {
  const FakeToolkit fake("12.4");
  const auto toolkit = Toolkit::find();
  REQUIRE(toolkit.has_value());
  CHECK(toolkit->root == fake.root());
  CHECK(toolkit->major == 12);
  CHECK(toolkit->minor == 4);
  CHECK(toolkit->cudart == fake.root() / "lib64/libcudart.so.12");
}

TEST_CASE("a toolkit that is too old, or is none, is passed over") {
  for (const char* release : {"11.8", "unknown"}) {
    const FakeToolkit fake(release);
    const auto toolkit = Toolkit::find();
    CHECK((!toolkit || toolkit->root != fake.root()));
  }
}

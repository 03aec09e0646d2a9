#include "common/check.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

// Here in the place of the worker's, which end the process.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};
extern "C" void ladder_fail(const char* message) {
  throw Failed(message);
}
extern "C" void ladder_refuse(const char* why) {
  throw Refused(why);
}

static std::string message_of(cudaError_t status) {
  try {
    CUDA_CHECK(status);
  } catch (const Failed& failed) {
    return failed.what();
  }
  return "";
}

TEST_CASE("CUDA_CHECK lets success pass") {
  CHECK(message_of(cudaSuccess).empty());
}

TEST_CASE("CUDA_CHECK names file, line, call and error") {
  const std::string message = message_of(cudaErrorInvalidValue);
  CHECK(message.find("check_test.cpp:") != std::string::npos);
  CHECK(message.find(": status\n") != std::string::npos);
  CHECK(message.find("cudaErrorInvalidValue: invalid argument") != std::string::npos);
}

TEST_CASE("CUDA_CHECK advises where a newcomer needs it and is brief elsewhere") {
  CHECK(message_of(cudaErrorInvalidConfiguration).find("1 to 1024 threads") != std::string::npos);
  CHECK(message_of(cudaErrorIllegalAddress).find("--on emulator") != std::string::npos);
  CHECK(message_of(cudaErrorInvalidValue).find("\n  ") ==
        message_of(cudaErrorInvalidValue).rfind("\n  "));
}

TEST_CASE("refuse hands its reason to the worker") {
  CHECK_THROWS_WITH_AS(ladder::refuse("N is above 1024"), "N is above 1024", Refused);
}

// Loads the library named by the argument, twice: its variables start afresh.
#include <dlfcn.h>

#include "expect.hpp"

int main(int, char** argv) {
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::printf("%s\n", dlerror());
    EXPECT(library != nullptr);
    const auto count_calls = reinterpret_cast<int (*)()>(dlsym(library, "count_calls"));
    EXPECT(count_calls != nullptr);
    EXPECT(count_calls() == 1);
    EXPECT(count_calls() == 2);
    EXPECT(dlclose(library) == 0);
  }
  std::printf("plugin: all as expected\n");
}

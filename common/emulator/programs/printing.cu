// printf in kernels, with every conversion: what the host's printf makes of the same arguments.
#include <cmath>
#include <string>

#include "arrays.hpp"

// Once on the host, into a text; once on the device.
#define BOTH(...)                                  \
  do {                                             \
    std::snprintf(line, sizeof line, __VA_ARGS__); \
    expected += line;                              \
  } while (0)

#define LINES(PRINT)                                                                               \
  PRINT("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i]\n", 42, 42, 42, 42, 42, 42, -7);                \
  PRINT("[%u] [%o] [%x] [%X] [%#x] [%#o] [%08x]\n", 42u, 42u, 42u, 42u, 42u, 42u, 42u);            \
  PRINT("[%.3d] [%8.3d] [%*d] [%-*d] [%.*d]\n", 7, 7, 6, 7, 6, 7, 4, 7);                           \
  PRINT("[%lld] [%llu] [%llx] [%ld] [%lu] [%20lld]\n", -1234567890123LL, 1ULL << 63,               \
        0x123456789abcdefULL, -5L, 5UL, 1LL << 40);                                                \
  PRINT("[%hd] [%hhd] [%hu]\n", 12345, 99, 65535);                                                 \
  PRINT("[%zu] [%zd] [%jd] [%td]\n", sizeof(int), static_cast<long>(-3), -4L, 5L);                 \
  PRINT("[%f] [%.2f] [%10.3f] [%-10.1f] [%+f] [%#.0f]\n", 3.14159, 3.14159, 3.14159, 3.14159, 2.5, \
        3.0);                                                                                      \
  PRINT("[%e] [%.3e] [%E] [%12.2e]\n", 12345.678, 12345.678, 0.00012, -1.5);                       \
  PRINT("[%g] [%G] [%.3g] [%g]\n", 0.0001, 1e-10, 123456.0, 100000.0);                             \
  PRINT("[%a] [%.2a] [%A]\n", 1.0, 3.14159, 0.5);                                                  \
  PRINT("[%*.*f] [%.*e]\n", 12, 3, 2.71828, 1, 2.71828);                                           \
  PRINT("[%c] [%3c] [%-3c] [%c%c]\n", 'x', 'y', 'z', 'a', 'b');                                    \
  PRINT("[%s] [%10s] [%-10s] [%.2s] [%*s]\n", "word", "right", "left", "cut", 6, "star");          \
  PRINT("100%% [%d%%]\n", 50);                                                                     \
  PRINT("%d %f %s %c %lld %d\n", 1, 2.0, "three", '4', 5LL, 6);                                    \
  PRINT("no arguments\n");                                                                         \
  PRINT("%f %f %f\n", 1.0 / 3, -0.0, 1e30 * 10)

__global__ void print_lines() {
  LINES(printf);
  printf("[%f] [%f] [%F]\n", INFINITY, -INFINITY, NAN);
}

__global__ void print_special(const char* nothing, int* counts) {
  counts[0] = printf("%s|\n", "text");
  counts[1] = printf("%d %d %d\n", 1, 2, 3);
  counts[2] = printf("%s\n", nothing);
  printf("%p\n", reinterpret_cast<void*>(0x1234));
  printf("unfinished %");
  printf("\n");
  const float single = 1.5f;
  const signed char small = -3;
  const unsigned short word = 65000;
  const bool yes = true;
  printf("%f %d %u %d\n", single, small, word, yes);
}

__global__ void print_each() {
  if (threadIdx.x % 8 == 3) printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

int main() {
  char line[256];
  std::string expected;
  LINES(BOTH);
  // The text that the test compares what the device printed with.
  std::printf("%s", expected.c_str());
  std::fflush(stdout);
  print_lines<<<1, 1>>>();
  CALL(cudaDeviceSynchronize());
  std::printf("----\n");
  DeviceArray<int> counts(3);
  print_special<<<1, 1>>>(nullptr, counts);
  const std::vector<int> got = counts.read();
  EXPECT(got[0] == 1 && got[1] == 3);  // on a GPU: how many arguments there were
  print_each<<<2, 32>>>();
  CALL(cudaDeviceSynchronize());
  std::printf("printing: all as expected\n");
}

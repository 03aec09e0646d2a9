// Kernels that wait for the host, or for each other, while they run.
#include <chrono>
#include <thread>

#include "arrays.hpp"

namespace {

// Waits until *flag is `value`.
__global__ void wait_for(volatile int* flag, int value, int* done) {
  while (*flag != value) {
  }
  __threadfence_system();
  atomicAdd_system(done, 1);
}

__global__ void set(volatile int* flag, int value) {
  __threadfence();
  *flag = value;
}

// Takes turns with the host: answers each number with its square.
__global__ void answer(volatile int* question, volatile int* reply, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    while (*question != round) {
    }
    *reply = round * round;
    __threadfence_system();
  }
}

__global__ void meet(int* counter, int expected, int* passed) {
  atomicAdd(counter, 1);
  while (atomicAdd(counter, 0) < expected) {
  }
  atomicAdd(passed, 1);
}

__global__ void add_words(int* sum, int n) {
  for (int i = 0; i < n; ++i) atomicAdd_system(sum, 1);
}

void mapped_flag() {
  int *flag, *done;
  CALL(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  CALL(cudaHostAlloc(&done, sizeof *done, cudaHostAllocMapped));
  *flag = *done = 0;
  DeviceArray<int> word(1);
  cudaStream_t stream, other;
  cudaEvent_t event;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CALL(cudaEventCreate(&event));
  wait_for<<<2, 1, 0, stream>>>(flag, 1, done);
  CALL(cudaGetLastError());
  CALL(cudaEventRecord(event, stream));
  EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  EXPECT(cudaEventQuery(event) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaErrorNotReady);
  CALL(cudaStreamQuery(other));
  EXPECT(*done == 0);
  // Other streams go on meanwhile.
  set<<<1, 1, 0, other>>>(word, 9);
  CALL(cudaStreamSynchronize(other));
  *static_cast<volatile int*>(flag) = 1;
  CALL(cudaStreamWaitEvent(other, event, 0));
  set<<<1, 1, 0, other>>>(done + 0, 7);  // after both blocks have counted
  CALL(cudaStreamSynchronize(other));
  EXPECT(*done == 7);
  CALL(cudaEventSynchronize(event));
  CALL(cudaStreamQuery(stream));
  EXPECT(word.read()[0] == 9);
  CALL(cudaEventDestroy(event));
  CALL(cudaStreamDestroy(stream));
  CALL(cudaStreamDestroy(other));
  CALL(cudaFreeHost(flag));
  CALL(cudaFreeHost(done));
}

// Streams whose kernels wait for first_flag and second_flag.
struct TwoWaiting {
  explicit TwoWaiting(unsigned flags) {
    for (int** word : {&first_flag, &second_flag, &done}) {
      CALL(cudaHostAlloc(word, sizeof **word, cudaHostAllocMapped));
      **word = 0;
    }
    CALL(cudaStreamCreateWithFlags(&first, flags));
    CALL(cudaStreamCreateWithFlags(&second, flags));
    wait_for<<<1, 1, 0, first>>>(first_flag, 1, done);
    wait_for<<<1, 1, 0, second>>>(second_flag, 1, done);
  }
  ~TwoWaiting() {
    for (int* word : {first_flag, second_flag, done}) CALL(cudaFreeHost(word));
    CALL(cudaStreamDestroy(first));
    CALL(cudaStreamDestroy(second));
  }
  static void raise(int* flag) { *static_cast<volatile int*>(flag) = 1; }

  cudaStream_t first, second;
  int *first_flag, *second_flag, *done;
};

bool not_ready(cudaError_t error) {
  return error == cudaErrorNotReady && cudaGetLastError() == cudaErrorNotReady;
}

// An event is complete when all is that its stream had to wait for, by events of other streams too.
void events_of_events() {
  TwoWaiting kernels(cudaStreamNonBlocking);
  cudaStream_t third, fourth;
  cudaEvent_t start, kernel, passed_on;
  CALL(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
  CALL(cudaStreamCreateWithFlags(&fourth, cudaStreamNonBlocking));
  for (cudaEvent_t* event : {&start, &kernel, &passed_on}) CALL(cudaEventCreate(event));
  CALL(cudaEventRecord(start, third));
  for (cudaStream_t stream : {kernels.first, kernels.second}) {
    CALL(cudaEventRecord(kernel, stream));
    CALL(cudaStreamWaitEvent(third, kernel, 0));
  }
  CALL(cudaEventRecord(passed_on, third));
  CALL(cudaStreamWaitEvent(fourth, passed_on, 0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  TwoWaiting::raise(kernels.second_flag);
  CALL(cudaStreamSynchronize(kernels.second));
  EXPECT(not_ready(cudaEventQuery(passed_on)));
  EXPECT(not_ready(cudaStreamQuery(fourth)));
  TwoWaiting::raise(kernels.first_flag);
  CALL(cudaStreamSynchronize(fourth));
  EXPECT(*kernels.done == 2);
  CALL(cudaEventQuery(passed_on));
  float milliseconds;
  CALL(cudaEventElapsedTime(&milliseconds, start, passed_on));
  EXPECT(milliseconds >= 20);
  for (cudaEvent_t event : {start, kernel, passed_on}) CALL(cudaEventDestroy(event));
  CALL(cudaStreamDestroy(third));
  CALL(cudaStreamDestroy(fourth));
}

// One in the default stream is complete when all blocking streams' earlier work is.
void event_of_the_default_stream() {
  TwoWaiting kernels(cudaStreamDefault);
  cudaEvent_t event;
  CALL(cudaEventCreate(&event));
  CALL(cudaEventRecord(event));
  TwoWaiting::raise(kernels.first_flag);
  CALL(cudaStreamSynchronize(kernels.first));
  EXPECT(not_ready(cudaEventQuery(event)));
  TwoWaiting::raise(kernels.second_flag);
  CALL(cudaEventSynchronize(event));
  EXPECT(*kernels.done == 2);
  CALL(cudaEventDestroy(event));
}

void questions() {
  volatile int *question, *reply;
  CALL(cudaMallocManaged(const_cast<int**>(&question), sizeof(int)));
  CALL(cudaMallocManaged(const_cast<int**>(&reply), sizeof(int)));
  *question = *reply = 0;
  constexpr int rounds = 20;
  answer<<<1, 1>>>(question, reply, rounds);
  for (int round = 1; round <= rounds; ++round) {
    *question = round;
    while (*reply != round * round) std::this_thread::yield();
  }
  CALL(cudaDeviceSynchronize());
  CALL(cudaFree(const_cast<int*>(question)));
  CALL(cudaFree(const_cast<int*>(reply)));
}

// A kernel in one stream waits for one in another that is launched later.
void two_streams() {
  cudaStream_t first, second;
  CALL(cudaStreamCreate(&first));
  CALL(cudaStreamCreate(&second));
  DeviceArray<int> flag(std::vector<int>{0}), done(std::vector<int>{0});
  wait_for<<<1, 1, 0, first>>>(flag, 3, done);
  set<<<1, 1, 0, second>>>(flag, 3);
  CALL(cudaDeviceSynchronize());
  EXPECT(done.read()[0] == 1);
  CALL(cudaStreamDestroy(first));
  CALL(cudaStreamDestroy(second));
}

void two_threads() {
  DeviceArray<int> counter(std::vector<int>{0}), passed(std::vector<int>{0});
  const auto launch = [&] {
    cudaStream_t stream;
    CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    meet<<<1, 1, 0, stream>>>(counter, 2, passed);
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaStreamDestroy(stream));
  };
  std::thread other(launch);
  launch();
  other.join();
  EXPECT(passed.read()[0] == 2);
}

// What host and kernel add to one word at the same time is all there.
void shared_counter() {
  int* sum;
  CALL(cudaMallocManaged(&sum, sizeof *sum));
  *sum = 0;

  std::thread host([&] {
    for (int i = 0; i < 20000; ++i) __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
  });
  add_words<<<4, 32>>>(sum, 200);
  CALL(cudaDeviceSynchronize());
  host.join();
  EXPECT(*sum == 20000 + 4 * 32 * 200);
  CALL(cudaFree(sum));
}

}  // namespace

int main() {
  mapped_flag();
  events_of_events();
  event_of_the_default_stream();
  questions();
  two_streams();
  two_threads();
  shared_counter();
  std::printf("waiting: all as expected\n");
}

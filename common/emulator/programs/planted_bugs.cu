// One mistake for each argument. The line that is to be named carries the comment "planted: NAME".
// Many of them give right results on a GPU, most of the time.
#include <cuda_pipeline.h>

#include <cstring>

#include "expect.hpp"

constexpr int threads = 128;

__global__ void neighbour(float* first, int n) {
  first[n] = 1.0f;  // planted: neighbour
}

__global__ void far_neighbour(float* first, int n) {
  first[n + n / 2] += 1.0f;  // planted: far_neighbour
}

__global__ void shared_end(const float* in, float* out) {
  __shared__ float tile[threads];
  __shared__ float weights[threads];
  const int t = threadIdx.x;
  weights[t] = 0.5f;
  tile[t] = in[t];
  __syncthreads();
  out[t] = weights[t] * (tile[t] + tile[t + 1]);  // planted: shared_end
}

__global__ void unwritten_shared(const float* in, float* out) {
  __shared__ float tile[threads];
  const int t = threadIdx.x;
  if (t < threads - 1) tile[t] = in[t];
  __syncthreads();
  out[t] = tile[threads - 1 - t] + 1.0f;  // planted: unwritten_shared
}

__global__ void unwritten_global(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1.0f;  // planted: unwritten_global
}

__global__ void uncleared_counter(int* counter) {
  if (threadIdx.x % 2 == 0) atomicAdd(counter, 1);  // planted: uncleared_counter
}

__global__ void missing_wait(const float4* in, float4* out) {
  __shared__ float4 tile[threads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(float4));
  __pipeline_commit();
  out[t] = tile[t];  // planted: missing_wait
}

__global__ void missing_barrier(const float* in, float* out) {
  __shared__ float tile[threads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[threads - 1 - t] + 1.0f;  // planted: missing_barrier
}

__global__ void lock_step(float* data) {
  __shared__ float tile[32];
  const int lane = threadIdx.x % 32;
  tile[lane] = data[lane];
  data[lane] = tile[31 - lane] + 1.0f;  // planted: lock_step
}

__global__ void shared_result(const float* in, float* out) {
  out[0] += in[blockIdx.x];  // planted: shared_result
}

__global__ void branch_shuffle(float* data) {
  float value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    value += __shfl_down_sync(0xffffffffu, value, 8);  // planted: branch_shuffle
  }
  data[threadIdx.x] = value;
}

__global__ void absent_lane(float* data, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float value = data[i];
  value += __shfl_down_sync(0xffffffffu, value, 16);  // planted: absent_lane
  data[i] = value;
}

__global__ void wrong_mask(int* data) {
  const bool odd = data[threadIdx.x] % 2 != 0;
  data[threadIdx.x] = __popc(__ballot_sync(0x0000ffffu, odd));  // planted: wrong_mask
}

__global__ void branch_barrier(const float* in, float* out) {
  __shared__ float tile[threads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  float sum = tile[t];
  if (t < 64) {
    __syncthreads();  // planted: branch_barrier
    sum += tile[63 - t];
  }
  out[t] = sum;
}

__global__ void uneven_loop(const float* in, float* out, int n) {
  __shared__ float tile[threads];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += threads) {
    tile[threadIdx.x] = in[i];
    __syncthreads();  // planted: uneven_loop
    sum += tile[0];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void endless_wait(int* flags) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 128;");  // planted: endless_wait
  }
  __syncthreads();
  flags[threadIdx.x] = 1;
}

__global__ void spin_lock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;
  __syncwarp();  // planted: spin_lock
  atomicExch(lock, 0);
}

__global__ void lost_lock(int* sum) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 1;
  __syncthreads();
  while (atomicCAS(&lock, 0, 1) != 0) {  // planted: lost_lock
  }
  *sum += 1;
  atomicExch(&lock, 0);
}

__global__ void host_pointer(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // planted: host_pointer
}

__global__ void after_free(float* data) {
  data[threadIdx.x] = 1.0f;  // planted: after_free
}

__global__ void large_shared(float* out) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic[0];
}

__global__ void __launch_bounds__(64) bounded(float* out) {
  out[threadIdx.x] = 1.0f;
}

template <class T>
static T* filled(int count) {
  T* data;
  CALL(cudaMalloc(&data, count * sizeof(T)));
  CALL(cudaMemset(data, 0, count * sizeof(T)));
  return data;
}

// What the host did wrong is told by the call itself.
static int host_mistake(const char* bug, float* device) {
  const auto is = [&](const char* name) { return std::strcmp(bug, name) == 0; };
  if (is("host_reads")) return device[3] > 0;
  if (is("double_free")) {
    CALL(cudaFree(device));
    EXPECT(cudaFree(device) != cudaSuccess);
    return 0;
  }
  if (is("interior_free")) {
    EXPECT(cudaFree(device + 4) != cudaSuccess);
  } else if (is("too_many_threads")) {
    bounded<<<1, 2048>>>(device);
    EXPECT(cudaGetLastError() != cudaSuccess);
  } else if (is("launch_bounds")) {
    bounded<<<1, 128>>>(device);
    EXPECT(cudaGetLastError() != cudaSuccess);
  } else if (is("large_shared")) {
    large_shared<<<1, threads, 64 << 10>>>(device);
    EXPECT(cudaGetLastError() != cudaSuccess);
  } else if (is("wrong_arch")) {
    bounded<<<1, 64>>>(device);
    EXPECT(cudaGetLastError() != cudaSuccess);
  } else if (is("leak")) {
    return 0;
  } else {
    return 2;
  }
  cudaFree(device);
  return 0;
}

int main(int argc, char** argv) {
  const char* bug = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(bug, name) == 0; };
  float* in = filled<float>(4 * threads);
  if (const int code = host_mistake(bug, in); code != 2) return code;
  float* out = filled<float>(4 * threads);
  int* counters = filled<int>(threads);
  float *unwritten, host[threads] = {};
  CALL(cudaMalloc(&unwritten, threads * sizeof(float)));
  if (is("lost_tail")) {
    CALL(cudaMemcpy(unwritten, in, (threads - 3) * sizeof(float), cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(host, unwritten, sizeof host, cudaMemcpyDeviceToHost));
  }
  if (is("neighbour")) neighbour<<<1, 1>>>(in, 4 * threads);
  if (is("far_neighbour")) far_neighbour<<<1, 1>>>(in, 4 * threads);
  if (is("shared_end")) shared_end<<<1, threads>>>(in, out);
  if (is("unwritten_shared")) unwritten_shared<<<2, threads>>>(in, out);
  if (is("unwritten_global")) unwritten_global<<<1, threads>>>(unwritten, out);
  if (is("uncleared_counter")) uncleared_counter<<<1, threads>>>(reinterpret_cast<int*>(unwritten));
  if (is("missing_wait"))
    missing_wait<<<1, threads>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  if (is("missing_barrier")) missing_barrier<<<1, threads>>>(in, out);
  if (is("lock_step")) lock_step<<<1, 32>>>(in);
  if (is("shared_result")) shared_result<<<4, 1>>>(in, out);
  if (is("branch_shuffle")) branch_shuffle<<<1, threads>>>(in);
  if (is("absent_lane")) absent_lane<<<1, threads>>>(in, 100);
  if (is("wrong_mask")) wrong_mask<<<1, threads>>>(counters);
  if (is("branch_barrier")) branch_barrier<<<1, threads>>>(in, out);
  if (is("uneven_loop")) uneven_loop<<<1, threads>>>(in, out, 3 * threads + 40);
  if (is("endless_wait")) endless_wait<<<1, threads>>>(counters);
  if (is("spin_lock")) spin_lock<<<1, 32>>>(counters, counters + 1);
  if (is("lost_lock")) lost_lock<<<2, threads>>>(counters);
  if (is("host_pointer")) host_pointer<<<1, threads>>>(host, out);
  if (is("after_free")) {
    CALL(cudaFree(unwritten));
    after_free<<<1, threads>>>(unwritten);
  }
  cudaDeviceSynchronize();
  if (!is("after_free")) cudaFree(unwritten);
  cudaFree(in);
  cudaFree(out);
  cudaFree(counters);
  return 0;
}

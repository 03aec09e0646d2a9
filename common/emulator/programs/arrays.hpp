// Arrays of these programs: random contents, device memory, what came back.
#pragma once

#include <cstdint>
#include <vector>

#include "expect.hpp"

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    CALL(cudaMalloc(&data_, count * sizeof(T)));
    CALL(cudaMemset(data_, 0x5a, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CALL(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;

  T* data() { return data_; }
  operator T*() { return data_; }
  // Waits for the kernels before it.
  std::vector<T> read() const {
    std::vector<T> values(count_);
    CALL(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Numbers that look random and are the same every time.
class Random {
 public:
  explicit Random(std::uint32_t seed = 1) : state_(seed) {}
  std::uint32_t operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8 ^ state_ << 13;
  }

 private:
  std::uint32_t state_;
};

inline std::vector<int> random_words(std::size_t count, std::uint32_t below = 1000) {
  Random random;
  std::vector<int> words(count);
  for (int& word : words) word = static_cast<int>(random() % below);
  return words;
}

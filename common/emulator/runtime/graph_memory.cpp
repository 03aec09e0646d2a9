#include "common/emulator/runtime/graph_memory.hpp"

#include <map>

#include "common/emulator/runtime/runtime.hpp"

namespace ladder::emulator {
namespace {

class GraphMemory;
std::map<const void*, GraphMemory*> live;  // by address; guarded by Runtime::mutex

// Owned by the work of the node that allocates, and by that work's copies.
class GraphMemory {
 public:
  GraphMemory(Runtime& runtime, std::size_t bytes, const char* function)
      : runtime_(runtime), pointer_(pointer_to(runtime.device().allocate(bytes, function))) {
    live[pointer_] = this;
  }
  ~GraphMemory() {
    live.erase(pointer_);
    runtime_.device().free(address_of(pointer_));
  }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void* pointer() const { return pointer_; }
  void allocate() { allocated_ = true; }
  void release(const char* function) {
    if (!allocated_) {
      throw Fault(FaultKind::invalid_address,
                  std::string(function) + " of " + hexadecimal(address_of(pointer_)) +
                      ", which a graph allocates: it is free already, or was not launched yet");
    }
    allocated_ = false;
  }

 private:
  Runtime& runtime_;
  void* pointer_;
  bool allocated_ = false;
};

}  // namespace

Work work_of_allocation(Runtime& runtime, std::size_t bytes, const char* function, void*& pointer) {
  require(bytes > 0);
  auto memory = std::make_shared<GraphMemory>(runtime, bytes, function);
  pointer = memory->pointer();
  return [memory](Runtime&) { memory->allocate(); };
}

Work work_of_release(void* pointer) {
  if (!live.contains(pointer)) {
    throw ApiError(cudaErrorInvalidValue, "a graph frees only what a graph allocates, not " +
                                              hexadecimal(address_of(pointer)));
  }
  return [pointer](Runtime&) { release_graph_memory(pointer, "a graph's node that frees"); };
}

bool release_graph_memory(void* pointer, const char* function) {
  const auto found = live.find(pointer);
  if (found == live.end()) return false;
  found->second->release(function);
  return true;
}

}  // namespace ladder::emulator

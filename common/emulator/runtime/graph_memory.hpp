// Memory that a graph allocates: by nodes, or by cudaMallocAsync in a stream that captures.
#pragma once

#include <cuda_runtime_api.h>

#include "common/emulator/runtime/graph.hpp"

namespace ladder::emulator {

// As on a GPU, the address is the same from when the node is made, at each launch. The memory stays
// while the graph, or what was cloned or instantiated from it, can still allocate it: to free it is
// only a mark until then. So a use between free and the next launch is not seen.

// What a node that allocates does; `pointer` gets the address.
Work work_of_allocation(Runtime& runtime, std::size_t bytes, const char* function, void*& pointer);
// What a node that frees does. Throws ApiError unless a graph allocated `pointer`.
Work work_of_release(void* pointer);
// Frees it now, if a graph allocated it; throws Fault if it is free already.
bool release_graph_memory(void* pointer, const char* function);

}  // namespace ladder::emulator

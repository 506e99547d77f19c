#pragma once

#include <memory>
#include <vector>

#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/graphs.hpp"
#include "common/simt/runtime/streams.hpp"

namespace tilewise::simt {

/// A capture, during which the work of streams becomes a graph.
struct Capture {
  cudaGraph_t graph;    ///< null once the capture has ended
  cudaStream_t origin;  ///< the stream with which it began
  unsigned long long id;
};

cudaGraphNode_t add_node(CUgraph_st& graph, cudaGraphNodeType type, Work work,
                         std::vector<cudaGraphNode_t> dependencies);

}  // namespace tilewise::simt

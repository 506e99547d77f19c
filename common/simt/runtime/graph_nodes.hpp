#pragma once

#include <memory>
#include <vector>

#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/graphs.hpp"
#include "common/simt/runtime/streams.hpp"

/// A node of a graph.
struct CUgraphNode_st {
  cudaGraphNodeType type;
  tilewise::simt::Work work;  ///< empty for a node that only orders others
  std::vector<cudaGraphNode_t> dependencies;
  cudaKernelNodeParams kernel{};
  cudaGraphNode_t cloned_from = nullptr;
};

/// A graph, as it is described.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

/// A graph that can be launched.
struct CUgraphExec_st {
  struct Step {
    cudaGraphNode_t node;
    cudaGraphNodeType type;
    tilewise::simt::Work work;
    bool enabled = true;
  };
  std::vector<Step> steps;  ///< in an order in which they may run
};

namespace tilewise::simt {

// These return the work of a node with such parameters.
Work fill(const cudaMemsetParams& of);
Work copy(const cudaMemcpy3DParms& of);
Work call(const cudaHostNodeParams& of);

/// Gives a node, or its step in an executable graph, other work of the same kind.
cudaError_t change(cudaGraphNode_t node, cudaGraphNodeType type, Work work);
cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeType type,
                   Work work);

/// Does the work of all steps that are enabled, up to the first that fails.
cudaError_t run(CUgraphExec_st& executable);

}  // namespace tilewise::simt

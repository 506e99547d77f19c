#include "common/simt/runtime/graphs.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/textures.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graph_nodes.hpp"

using namespace tilewise::simt;

namespace {

/// Where the launch from which a node is to be made is stored.
thread_local Work* wanted_launch = nullptr;

std::vector<cudaGraphNode_t> listed(const cudaGraphNode_t* nodes, std::size_t count) {
  return {nodes, nodes + count};
}

cudaError_t add_to_graph(cudaGraphNode_t* node, cudaGraph_t graph,
                         const cudaGraphNode_t* dependencies, std::size_t count,
                         cudaGraphNodeType type, Work work) {
  if (node == nullptr || graph == nullptr || (dependencies == nullptr && count > 0)) {
    return device::fail(cudaErrorInvalidValue);
  }
  *node = add_node(*graph, type, std::move(work), listed(dependencies, count));
  return cudaSuccess;
}

/// Does what CUDA's listing functions do: returns how many nodes there are, or hands out as many as
/// there is room for.
cudaError_t hand_out(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* room,
                     std::size_t* count) {
  if (count == nullptr) return device::fail(cudaErrorInvalidValue);
  for (std::size_t i = 0; room != nullptr && i < *count; ++i) {
    room[i] = i < nodes.size() ? nodes[i] : nullptr;
  }
  *count = room == nullptr ? nodes.size() : std::min(*count, nodes.size());
  return cudaSuccess;
}

std::vector<cudaGraphNode_t> nodes_of(const CUgraph_st& graph, bool roots_alone) {
  std::vector<cudaGraphNode_t> nodes;
  for (const auto& node : graph.nodes) {
    if (!roots_alone || node->dependencies.empty()) nodes.push_back(node.get());
  }
  return nodes;
}

}  // namespace

namespace tilewise::simt {

Work fill(const cudaMemsetParams& of) {
  return [of] {
    const std::size_t width_bytes = of.width * of.elementSize;
    std::vector<unsigned char> row(width_bytes);
    for (std::size_t i = 0; i < width_bytes; ++i) {
      row[i] = static_cast<unsigned char>(of.value >> 8 * (i % of.elementSize));
    }
    for (std::size_t y = 0; y < std::max<std::size_t>(of.height, 1); ++y) {
      auto* const to = static_cast<std::byte*>(of.dst) + y * of.pitch;
      const cudaError_t error = of.elementSize == 1
                                    ? fill_now(to, row.empty() ? 0 : row[0], width_bytes)
                                    : copy_now(to, row.data(), width_bytes, cudaMemcpyHostToDevice);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

Work copy(const cudaMemcpy3DParms& of) {
  return [of] { return cudaMemcpy3D(&of); };
}

Work call(const cudaHostNodeParams& of) {
  return [of] {
    of.fn(of.userData);
    return cudaSuccess;
  };
}

cudaError_t change(cudaGraphNode_t node, cudaGraphNodeType type, Work work) {
  if (node == nullptr || node->type != type) return device::fail(cudaErrorInvalidValue);
  node->work = std::move(work);
  return cudaSuccess;
}

cudaGraphNode_t add_node(CUgraph_st& graph, cudaGraphNodeType type, Work work,
                         std::vector<cudaGraphNode_t> dependencies) {
  graph.nodes.push_back(std::make_unique<CUgraphNode_st>(
      CUgraphNode_st{type, std::move(work), std::move(dependencies)}));
  return graph.nodes.back().get();
}

Work kept_launch(const LaunchConfiguration& configuration, const LaunchBody& body) {
  constexpr std::align_val_t alignment{128};  // larger than the alignment of any parameter
  const auto free = [](void* bytes) { ::operator delete(bytes, alignment); };
  const std::shared_ptr<void> context(::operator new(body.context_bytes, alignment), free);
  std::memcpy(context.get(), body.context, body.context_bytes);
  return [=, stored = configuration] {
    LaunchConfiguration launch = stored;
    launch.stream = nullptr;
    run_grid(launch, {body.run, context.get(), body.context_bytes});
    return device::lasting_error();
  };
}

bool captures_launch(const LaunchConfiguration& configuration, const LaunchBody& body) {
  if (wanted_launch != nullptr) {
    *wanted_launch = kept_launch(configuration, body);
    return true;
  }
  if (!is_captured(configuration.stream)) return false;
  capture(configuration.stream, cudaGraphNodeTypeKernel, kept_launch(configuration, body));
  return true;
}

/// Takes the launch that `launch` would have run as work.
static cudaError_t take_launch(const cudaKernelNodeParams& parameters, LaunchNode launch,
                               Work& work) {
  wanted_launch = &work;
  const cudaError_t error = launch(parameters);
  wanted_launch = nullptr;
  return work ? cudaSuccess : error;
}

cudaError_t add_kernel_node(cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* dependencies, std::size_t count,
                            const cudaKernelNodeParams* parameters, LaunchNode launch) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  Work work;
  if (const cudaError_t error = take_launch(*parameters, launch, work); error != cudaSuccess) {
    return device::fail(error);
  }
  const cudaError_t error =
      add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeKernel, std::move(work));
  if (error == cudaSuccess) (*node)->kernel = *parameters;
  return error;
}

cudaError_t change_kernel_node(cudaGraphExec_t executable, cudaGraphNode_t node,
                               const cudaKernelNodeParams* parameters, LaunchNode launch) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  Work work;
  if (const cudaError_t error = take_launch(*parameters, launch, work); error != cudaSuccess) {
    return device::fail(error);
  }
  if (executable != nullptr) return change(executable, node, cudaGraphNodeTypeKernel, work);
  const cudaError_t error = change(node, cudaGraphNodeTypeKernel, work);
  if (error == cudaSuccess) node->kernel = *parameters;
  return error;
}

}  // namespace tilewise::simt

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  if (graph == nullptr) return device::fail(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  if (clone == nullptr || graph == nullptr) return device::fail(cudaErrorInvalidValue);
  *clone = new CUgraph_st;
  std::map<cudaGraphNode_t, cudaGraphNode_t> clones;
  for (const auto& node : graph->nodes) {
    cudaGraphNode_t copy = add_node(**clone, node->type, node->work, {});
    copy->kernel = node->kernel;
    copy->cloned_from = node.get();
    clones[node.get()] = copy;
  }
  for (const auto& node : graph->nodes) {
    for (cudaGraphNode_t other : node->dependencies) {
      clones[node.get()]->dependencies.push_back(clones[other]);
    }
  }
  return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  if (node == nullptr || clone == nullptr) return device::fail(cudaErrorInvalidValue);
  for (const auto& candidate : clone->nodes) {
    if (candidate->cloned_from != original) continue;
    *node = candidate.get();
    return cudaSuccess;
  }
  return device::fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeEmpty, {});
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy, copy(*parameters));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
                      [=] { return copy_now(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeMemset, fill(*parameters));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeHost, call(*parameters));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaGraph_t child) {
  cudaGraphExec_t made = nullptr;
  const cudaError_t error = cudaGraphInstantiate(&made, child);
  if (error != cudaSuccess) return error;
  const std::shared_ptr<CUgraphExec_st> executable(made);
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeGraph,
                      [executable] { return run(*executable); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeEventRecord,
                      [event] { return cudaEventRecord(event, nullptr); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count,
                                      cudaEvent_t event) {
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeWaitEvent,
                      [event] { return cudaStreamWaitEvent(nullptr, event, 0); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  const cudaError_t error = cudaMalloc(&parameters->dptr, parameters->bytesize);
  if (error != cudaSuccess) return error;
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeMemAlloc, {});
}

// The address stays with the node, for the next launch.
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count,
                                    void* pointer) {
  if (pointer == nullptr) return device::fail(cudaErrorInvalidValue);
  return add_to_graph(node, graph, dependencies, count, cudaGraphNodeTypeMemFree, {});
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  if (graph == nullptr) return device::fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) to[i]->dependencies.push_back(from[i]);
  return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (graph == nullptr) return device::fail(cudaErrorInvalidValue);
  return hand_out(nodes_of(*graph, false), nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (graph == nullptr) return device::fail(cudaErrorInvalidValue);
  return hand_out(nodes_of(*graph, true), nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (node == nullptr || type == nullptr) return device::fail(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData*, size_t* count) {
  if (node == nullptr) return device::fail(cudaErrorInvalidValue);
  return hand_out(node->dependencies, dependencies, count);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  if (node == nullptr || parameters == nullptr || node->type != cudaGraphNodeTypeKernel) {
    return device::fail(cudaErrorInvalidValue);
  }
  *parameters = node->kernel;
  return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* of) {
  return change(node, cudaGraphNodeTypeMemset, fill(*of));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* of) {
  return change(node, cudaGraphNodeTypeHost, call(*of));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* of) {
  return change(node, cudaGraphNodeTypeMemcpy, copy(*of));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return change(node, cudaGraphNodeTypeMemcpy, [=] { return copy_now(to, from, bytes, kind); });
}

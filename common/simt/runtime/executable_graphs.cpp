#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/graphs.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graph_nodes.hpp"
#include "common/simt/runtime/streams.hpp"

using namespace tilewise::simt;

namespace {

/// Returns the graph's nodes, each after those that it depends on; fewer nodes if there is a cycle.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
  std::vector<cudaGraphNode_t> order;
  std::set<const CUgraphNode_st*> done;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& node : graph.nodes) {
      const auto is_done = [&](cudaGraphNode_t other) { return done.contains(other); };
      if (is_done(node.get()) || !std::ranges::all_of(node->dependencies, is_done)) continue;
      done.insert(node.get());
      order.push_back(node.get());
      moved = true;
    }
  }
  return order;
}

CUgraphExec_st::Step* step_of(cudaGraphExec_t executable, cudaGraphNode_t node) {
  if (executable == nullptr || node == nullptr) return nullptr;
  const auto found = std::ranges::find(executable->steps, node, &CUgraphExec_st::Step::node);
  return found == executable->steps.end() ? nullptr : &*found;
}

}  // namespace

namespace tilewise::simt {

cudaError_t change(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeType type,
                   Work work) {
  CUgraphExec_st::Step* const step = step_of(executable, node);
  if (step == nullptr || step->type != type) return device::fail(cudaErrorInvalidValue);
  step->work = std::move(work);
  return cudaSuccess;
}

cudaError_t run(CUgraphExec_st& executable) {
  for (const CUgraphExec_st::Step& step : executable.steps) {
    if (!step.enabled || !step.work) continue;
    const cudaError_t error = step.work();
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace tilewise::simt

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (executable == nullptr || graph == nullptr) return device::fail(cudaErrorInvalidValue);
  const std::vector<cudaGraphNode_t> order = in_order(*graph);
  if (order.size() != graph->nodes.size()) return device::fail(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st;
  for (cudaGraphNode_t node : order) {
    (*executable)->steps.push_back({node, node->type, node->work});
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  const cudaError_t error = cudaGraphInstantiate(executable, graph);
  if (parameters != nullptr) {
    parameters->errNode_out = nullptr;
    parameters->result_out =
        error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  }
  return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr) return device::fail(cudaErrorInvalidValue);
  return issue(stream, cudaGraphNodeTypeGraph, [executable] { return run(*executable); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return executable == nullptr ? device::fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  if (executable == nullptr || graph == nullptr || result == nullptr) {
    return device::fail(cudaErrorInvalidValue);
  }
  *result = {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  const std::vector<cudaGraphNode_t> order = in_order(*graph);
  const auto same_type = [](const CUgraphExec_st::Step& step, cudaGraphNode_t node) {
    return step.type == node->type;
  };
  if (!std::ranges::equal(executable->steps, order, same_type)) {
    return device::fail(cudaErrorGraphExecUpdateFailure);
  }
  for (std::size_t i = 0; i < order.size(); ++i) executable->steps[i].work = order[i]->work;
  result->result = cudaGraphExecUpdateSuccess;
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* at_fault, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
  if (at_fault != nullptr) *at_fault = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* of) {
  return change(executable, node, cudaGraphNodeTypeMemset, fill(*of));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* of) {
  return change(executable, node, cudaGraphNodeTypeHost, call(*of));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* of) {
  return change(executable, node, cudaGraphNodeTypeMemcpy, copy(*of));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change(executable, node, cudaGraphNodeTypeMemcpy,
                [=] { return copy_now(to, from, bytes, kind); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned enabled) {
  CUgraphExec_st::Step* const step = step_of(executable, node);
  if (step == nullptr) return device::fail(cudaErrorInvalidValue);
  step->enabled = enabled != 0;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned* enabled) {
  const CUgraphExec_st::Step* const step = step_of(executable, node);
  if (step == nullptr || enabled == nullptr) return device::fail(cudaErrorInvalidValue);
  *enabled = step->enabled;
  return cudaSuccess;
}

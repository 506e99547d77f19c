#pragma once

#include "host_api.hpp"
#include "launch.hpp"

// Graphs: work that is described once and given to the device as often as wanted. It runs in an
// order that its dependencies allow.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, size_t count,
                                          cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                     const cudaGraphNode_t** dependencies = nullptr,
                                     const cudaGraphEdgeData** edges = nullptr,
                                     size_t* count = nullptr);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned flags = 0);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaGraph_t child);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count,
                                      cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* parameters);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count,
                                    void* pointer);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     size_t count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, size_t* count);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind);

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                        cudaGraphNode_t* /*at fault*/, char* /*log*/,
                                        size_t /*log_bytes*/) {
  return cudaGraphInstantiate(executable, graph);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                 unsigned long long flags = 0) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphNode_t* at_fault, cudaGraphExecUpdateResult* result);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned* enabled);

namespace tilewise::simt {

/// Launches a kernel as a node describes it.
using LaunchNode = cudaError_t (*)(const cudaKernelNodeParams& parameters);

cudaError_t add_kernel_node(cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* dependencies, size_t count,
                            const cudaKernelNodeParams* parameters, LaunchNode launch);
/// @param executable null to change the graph that the node belongs to
cudaError_t change_kernel_node(cudaGraphExec_t executable, cudaGraphNode_t node,
                               const cudaKernelNodeParams* parameters, LaunchNode launch);

inline cudaError_t launch_node(const cudaKernelNodeParams& node) {
  return cudaLaunchKernel(node.func, node.gridDim, node.blockDim, node.kernelParams,
                          node.sharedMemBytes, nullptr);
}

}  // namespace tilewise::simt

inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, size_t count,
                                          const cudaKernelNodeParams* parameters) {
  return tilewise::simt::add_kernel_node(node, graph, dependencies, count, parameters,
                                         tilewise::simt::launch_node);
}

inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const cudaKernelNodeParams* parameters) {
  return tilewise::simt::change_kernel_node(nullptr, node, parameters, tilewise::simt::launch_node);
}

inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                                    cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* parameters) {
  return tilewise::simt::change_kernel_node(executable, node, parameters,
                                            tilewise::simt::launch_node);
}

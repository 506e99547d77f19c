// The run-time API: memory of both sides, streams and events, graphs, textures, what is refused.

#include <cooperative_groups.h>

#include <cstring>
#include <string>
#include <tuple>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HostApi : public SimtTest {};

__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

TEST_F(HostApi, ManagedMemoryBelongsToBothSides) {
  float* x = nullptr;
  ASSERT_EQ(cudaMallocManaged(&x, 100 * sizeof(float)), cudaSuccess);
  for (int i = 0; i < 100; ++i) x[i] = static_cast<float>(i);
  add_one<<<1, 128>>>(x, 100);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(x[0], 1.0f);
  EXPECT_EQ(x[99], 100.0f);
  cudaPointerAttributes of{};
  ASSERT_EQ(cudaPointerGetAttributes(&of, x + 5), cudaSuccess);
  EXPECT_EQ(of.type, cudaMemoryTypeManaged);
  float copy[100];
  for (const cudaMemcpyKind kind :
       {cudaMemcpyDefault, cudaMemcpyDeviceToHost, cudaMemcpyHostToHost}) {
    EXPECT_EQ(cudaMemcpy(copy, x, sizeof copy, kind), cudaSuccess);
    EXPECT_EQ(copy[99], 100.0f);
  }
  EXPECT_EQ(cudaMemcpy(copy, x + 1, sizeof copy, cudaMemcpyDefault), cudaErrorInvalidValue)
      << "beyond its end";
  EXPECT_EQ(cudaFree(x), cudaSuccess);
}

TEST_F(HostApi, KernelsSeePinnedMemory) {
  float *host = nullptr, *device = nullptr;
  ASSERT_EQ(cudaHostAlloc(&host, 32 * sizeof(float), cudaHostAllocMapped), cudaSuccess);
  for (int i = 0; i < 32; ++i) host[i] = 1.0f;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
  add_one<<<1, 32>>>(device, 32);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(host[31], 2.0f);
  cudaPointerAttributes of{};
  ASSERT_EQ(cudaPointerGetAttributes(&of, host), cudaSuccess);
  EXPECT_EQ(of.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);

  std::vector<float> own(32, 3.0f);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, own.data(), 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaHostRegister(own.data(), 32 * sizeof(float), cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own.data(), 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  ASSERT_EQ(cudaHostGetDevicePointer(&device, own.data(), 0), cudaSuccess);
  add_one<<<1, 32>>>(device, 32);
  EXPECT_EQ(own[31], 4.0f);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(HostApi, CopiesAndFillsBoxes) {
  constexpr size_t width = 3, height = 4, depth = 2;
  cudaPitchedPtr box{};
  const cudaExtent extent = make_cudaExtent(width, height, depth);
  ASSERT_EQ(cudaMalloc3D(&box, extent), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(box, 7, extent), cudaSuccess);
  unsigned char from[depth][height][width], to[depth][height][width] = {};
  for (int i = 0; i < 24; ++i) (&from[0][0][0])[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(from, width, width, height);
  copy.dstPtr = box;
  copy.extent = make_cudaExtent(width - 1, height - 1, depth);
  copy.dstPos = make_cudaPos(1, 1, 0);
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  cudaMemcpy3DParms back{};
  back.srcPtr = box;
  back.dstPtr = make_cudaPitchedPtr(to, width, width, height);
  back.extent = extent;
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  for (size_t z = 0; z < depth; ++z) {
    for (size_t y = 0; y < height; ++y) {
      for (size_t x = 0; x < width; ++x) {
        EXPECT_EQ(to[z][y][x], x > 0 && y > 0 ? from[z][y - 1][x - 1] : 7) << z << y << x;
      }
    }
  }
  EXPECT_EQ(cudaMemcpy3D(&(copy = {})), cudaErrorInvalidValue) << "neither end is given";
  cudaFree(box.ptr);
}

TEST_F(HostApi, KnowsEveryErrorByNameAndMeaning) {
  const std::tuple<cudaError_t, const char*, const char*> cases[] = {
      {cudaSuccess, "cudaSuccess", "no error"},
      {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
       "too many blocks in cooperative launch"},
      {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
       "operation not permitted when stream is capturing"},
      {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
      {static_cast<cudaError_t>(4711), "unrecognized error code", "unrecognized error code"}};
  for (const auto& [error, name, meaning] : cases) {
    EXPECT_STREQ(cudaGetErrorName(error), name);
    EXPECT_STREQ(cudaGetErrorString(error), meaning);
  }
}

TEST_F(HostApi, TellsAttributesAsProperties) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  const std::pair<cudaDeviceAttr, size_t> cases[] = {
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrMaxSharedMemoryPerBlock, properties.sharedMemPerBlock},
      {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
      {cudaDevAttrTotalConstantMemory, 65536},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrComputeMode, cudaComputeModeDefault},
      {cudaDevAttrMpsEnabled, 0}};
  for (const auto& [attribute, expected] : cases) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, attribute, 0), cudaSuccess);
    EXPECT_EQ(static_cast<size_t>(value), expected) << attribute;
  }
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
            cudaErrorInvalidValue);
}

TEST_F(HostApi, RunsHostFunctionsInTheOrderOfTheStream) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1), cudaSuccess);
  unsigned flags = 0;
  int priority = 0;
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  EXPECT_EQ(priority, -1);
  static std::string order;
  order.clear();
  EXPECT_EQ(
      cudaLaunchHostFunc(
          stream, [](void* text) { order += static_cast<char*>(text); }, const_cast<char*>("a")),
      cudaSuccess);
  EXPECT_EQ(cudaStreamAddCallback(
                stream, [](cudaStream_t, cudaError_t, void*) { order += "b"; }, nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// Graphs.

TEST_F(HostApi, ACapturedStreamRunsWhenItsGraphIsLaunched) {
  DeviceVector<float> x(std::vector<float>(64, 1.0f));
  std::vector<float> result(64);
  cudaStream_t first, second;
  cudaEvent_t forked, joined;
  ASSERT_EQ(cudaStreamCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&second), cudaSuccess);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  ASSERT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaSuccess);
  add_one<<<1, 64, 0, first>>>(x.data(), 64);
  cudaEventRecord(forked, first);
  cudaStreamWaitEvent(second, forked, 0);
  add_one<<<1, 64, 0, second>>>(x.data(), 32);
  cudaEventRecord(joined, second);
  cudaStreamWaitEvent(first, joined, 0);
  cudaMemcpyAsync(result.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost, first);
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
  ASSERT_EQ(cudaStreamEndCapture(first, &graph), cudaSuccess);
  EXPECT_THAT(x.values(), Each(1.0f)) << "nothing has run";
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 3u);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  for (int launch = 1; launch <= 3; ++launch) {
    ASSERT_EQ(cudaGraphLaunch(executable, first), cudaSuccess);
    EXPECT_EQ(result[0], 1.0f + 2.0f * static_cast<float>(launch));
    EXPECT_EQ(result[63], 1.0f + static_cast<float>(launch));
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(HostApi, ExplicitNodesRunInTheOrderOfTheirDependencies) {
  DeviceVector<float> x(32);
  float result[32];
  float* data = x.data();
  int count = 32;
  void* arguments[] = {&data, &count};
  cudaGraph_t graph;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t copy, kernel, fill, host;
  // The last one first: their order in the graph is not that of their dependencies.
  static int called = 0;
  called = 0;
  cudaHostNodeParams call = {[](void*) { ++called; }, nullptr};
  ASSERT_EQ(cudaGraphAddHostNode(&host, graph, nullptr, 0, &call), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph, &host, 1, result, data, sizeof result,
                                     cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add_one);
  launch.gridDim = 1;
  launch.blockDim = 32;
  launch.kernelParams = arguments;
  ASSERT_EQ(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch), cudaSuccess);
  data = nullptr;  // the node has its own
  cudaMemsetParams zeros{};
  zeros.dst = x.data();
  zeros.elementSize = 4;
  zeros.value = 0x40000000;  // 2.0f
  zeros.width = 32;
  zeros.height = 1;
  ASSERT_EQ(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros), cudaSuccess);
  const cudaGraphNode_t before[] = {fill, kernel}, after[] = {kernel, host};
  ASSERT_EQ(cudaGraphAddDependencies(graph, before, after, nullptr, 2), cudaSuccess);
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_THAT(result, Each(3.0f));
  EXPECT_EQ(called, 1);
  zeros.value = 0;
  ASSERT_EQ(cudaGraphExecMemsetNodeSetParams(executable, fill, &zeros), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_THAT(result, Each(1.0f));
  const cudaGraphNode_t circle_from[] = {host}, circle_to[] = {fill};
  cudaGraphAddDependencies(graph, circle_from, circle_to, 1);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);
}

// Textures: coordinates and values as the Programming Guide's "Texture Fetching" has them.

__global__ void read_line(cudaTextureObject_t texture, const float* at, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = tex2D<float>(texture, at[i], 0.5f);
}

struct TextureCase {
  cudaTextureAddressMode address;
  cudaTextureFilterMode filter;
  bool normalised;
  std::vector<float> at, expected;
};

TEST_F(HostApi, TexturesAreReadAsTheGuideSays) {
  const float texels[4] = {10, 20, 30, 40};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 1), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1,
                                cudaMemcpyHostToDevice),
            cudaSuccess);
  const TextureCase cases[] = {
      {cudaAddressModeClamp,
       cudaFilterModePoint,
       false,
       {-1, 0, 0.99f, 1, 3.5f, 9},
       {10, 10, 10, 20, 40, 40}},
      {cudaAddressModeBorder, cudaFilterModePoint, false, {-0.1f, 0, 4}, {0, 10, 0}},
      {cudaAddressModeWrap, cudaFilterModePoint, true, {-0.25f, 0, 0.99f, 1.25f}, {40, 10, 40, 20}},
      {cudaAddressModeMirror, cudaFilterModePoint, true, {-0.01f, 1.01f, 1.26f}, {10, 40, 30}},
      {cudaAddressModeWrap, cudaFilterModePoint, false, {-1, 9}, {10, 40}},
      {cudaAddressModeClamp,
       cudaFilterModeLinear,
       false,
       {0, 0.5f, 1, 1.25f, 4},
       {10, 10, 15, 17.5f, 40}},
      {cudaAddressModeClamp, cudaFilterModeLinear, false, {1.0f + 1.0f / 1024}, {15}},
      {cudaAddressModeBorder, cudaFilterModeLinear, false, {0}, {5}},
      {cudaAddressModeWrap, cudaFilterModeLinear, true, {0}, {25}},
  };
  for (const TextureCase& of : cases) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = of.address;
    description.filterMode = of.filter;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = of.normalised;
    cudaTextureObject_t texture = 0;
    ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
    DeviceVector<float> at(of.at), out(of.at.size());
    read_line<<<1, 1>>>(texture, at.data(), out.data(), static_cast<int>(of.at.size()));
    EXPECT_EQ(out.values(), of.expected)
        << "address mode " << of.address << ", filter mode " << of.filter;
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  }
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(HostApi, ASingleRowNeedsNoPitch) {
  DeviceVector<float> row({1, 2, 3});
  float copy[3] = {};
  EXPECT_EQ(cudaMemcpy2D(copy, 0, row.data(), 0, sizeof copy, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(copy, ElementsAre(1, 2, 3));
  EXPECT_EQ(cudaMemcpy2D(copy, 0, row.data(), 0, 4, 2, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
}

__global__ void look_around(cudaTextureObject_t texture, const float3* at, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = texCubemap<float>(texture, at[i].x, at[i].y, at[i].z);
}

// Faces +x, -x, +y, -y, +z, -z, each of two rows of two texels: 10 * face + 2 * row + column.
TEST_F(HostApi, CubeMapsAreReadByDirection) {
  std::vector<float> texels;
  for (int face = 0; face < 6; ++face) {
    for (int i = 0; i < 4; ++i) texels.push_back(static_cast<float>(10 * face + i));
  }
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, {2, 2, 5}, cudaArrayCubemap), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMalloc3DArray(&array, &format, {2, 2, 6}, cudaArrayCubemap), cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {texels.data(), 2 * sizeof(float), 2, 2};
  copy.dstArray = array;
  copy.extent = {2, 2, 6};
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  const std::vector<std::pair<float3, float>> cases = {
      {{1, 0.5f, 0.5f}, 0},    {{1, -0.5f, -0.5f}, 3},   {{-2, 1, -1}, 10},
      {{-2, -1, 1}, 13},       {{0.5f, 1, 0.5f}, 23},    {{-0.5f, 1, -0.5f}, 20},
      {{0.5f, -1, 0.5f}, 31},  {{-0.5f, -1, -0.5f}, 32}, {{-0.5f, 0.5f, 1}, 40},
      {{0.5f, -0.5f, -1}, 52}, {{-0.5f, 0.5f, -1}, 51}};
  std::vector<float3> at;
  std::vector<float> expected;
  for (const auto& [direction, texel] : cases) {
    at.push_back(direction);
    expected.push_back(texel);
  }
  DeviceVector<float3> directions(at);
  DeviceVector<float> out(at.size());
  look_around<<<1, 1>>>(texture, directions.data(), out.data(), static_cast<int>(at.size()));
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

__global__ void read_bytes(cudaTextureObject_t texture, float4* out, uchar4* raw) {
  *out = tex1Dfetch<float4>(texture, 1);
  *raw = tex1Dfetch<uchar4>(texture, 7);
}

TEST_F(HostApi, LinearTexturesNormaliseAndEndWithZeros) {
  DeviceVector<unsigned char> bytes({0, 0, 0, 0, 255, 0, 51, 255});
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {bytes.data(), cudaCreateChannelDesc<uchar4>(), 8};
  cudaTextureDesc description{};
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  DeviceVector<float4> out(1);
  DeviceVector<uchar4> raw(std::vector<uchar4>{{9, 9, 9, 9}});
  read_bytes<<<1, 1>>>(texture, out.data(), raw.data());
  const float4 read = out.values()[0];
  EXPECT_EQ(read.x, 1.0f);
  EXPECT_FLOAT_EQ(read.z, 0.2f);
  EXPECT_EQ(raw.values()[0].x, 0) << "beyond the end";
}

__global__ void shift_surface(cudaSurfaceObject_t surface, int width) {
  const int x = threadIdx.x;
  const float value = surf2Dread<float>(surface, x * 4, 0);
  surf2Dwrite(value + 1, surface, x * 4, 1);
  surf2Dwrite(99.0f, surface, width * 4 + 4, 1, cudaBoundaryModeZero);
}

TEST_F(HostApi, SurfacesAreReadAndWrittenByBytes) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore), cudaSuccess);
  const float row[4] = {1, 2, 3, 4};
  float out[8];
  cudaMemcpy2DToArray(array, 0, 0, row, 16, 16, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  shift_surface<<<1, 4>>>(surface, 4);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaMemcpy2DFromArray(out, 16, array, 0, 0, 16, 2, cudaMemcpyDeviceToHost);
  EXPECT_THAT(out, ElementsAre(1, 2, 3, 4, 2, 3, 4, 5));
}

// Launches by other ways than <<< >>>.

__global__ void sum_of_grid(int* partial, int* total) {
  const auto grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) partial[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  grid.sync();
  if (grid.thread_rank() == 0) {
    *total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
  }
  grid.sync();
  if (threadIdx.x == 0) partial[blockIdx.x] = *total;
}

TEST_F(HostApi, BlocksOfACooperativeLaunchWaitForEachOther) {
  DeviceVector<int> partial(20), total(1);
  int *a = partial.data(), *b = total.data();
  void* arguments[] = {&a, &b};
  ASSERT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum_of_grid), 20, 64, arguments),
            cudaSuccess);
  EXPECT_THAT(partial.values(), Each(210));
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum_of_grid), 100000, 64, arguments),
      cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(HostApi, AGridThatIsNoCooperativeOneCannotWait) {
  DeviceVector<int> partial(20), total(1);
  sum_of_grid<<<20, 64>>>(partial.data(), total.data());
  EXPECT_THAT(the_fatal_finding("launch").message, HasSubstr("cudaLaunchCooperativeKernel"));
}

TEST_F(HostApi, LaunchesByAStructure) {
  DeviceVector<float> x(std::vector<float>(64, 1.0f));
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 1;
  configuration.blockDim = 64;
  EXPECT_EQ(cudaLaunchKernelEx(&configuration, add_one, x.data(), 64), cudaSuccess);
  EXPECT_THAT(x.values(), Each(2.0f));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaLaunchKernelEx(&configuration, add_one, x.data(), 64), cudaErrorNotSupported);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("in clusters of blocks"));
}

TEST_F(HostApi, SaysOnceWhatCannotBeSimulated) {
  cudaIpcMemHandle_t handle;
  ::testing::internal::CaptureStderr();
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("cudaIpcGetMemHandle"), said.rfind("cudaIpcGetMemHandle"));
  EXPECT_THAT(said, HasSubstr("cannot be simulated"));
}

}  // namespace
}  // namespace tilewise::simt

// These tests run `lab check` on small programs, and check its output and exit status.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Returns a program whose kernel has `body`. It runs on 64 threads with 64 numbers to read and 64
/// to write.
std::string program(const std::string& body, const std::string& copy = "") {
  return fmt::format(R"(#include <cstdio>
#include <vector>
__global__ void work(const float* x, float* y) {{
  __shared__ float s[64];
  const int i = threadIdx.x;
  s[i] = 0;
  __syncthreads();
  {}
}}
int main() {{
  std::vector<float> host(64, 1.0f);
  float *d_x, *d_y;
  cudaMalloc(&d_x, 64 * sizeof(float));
  cudaMalloc((void**)&d_y, 64 * sizeof(float));
  {}
  work<<<1, 64>>>(d_x, d_y);
  cudaMemcpy(host.data(), d_y, 64 * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[3]);
}}
)",
                     body,
                     copy.empty() ? "cudaMemcpy(d_x, host.data(), 64 * sizeof(float), "
                                    "cudaMemcpyHostToDevice);"
                                  : copy);
}

class Check : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name) << text;
  }

  CommandResult run(std::vector<std::string> arguments, const fs::path& input = "/dev/null") {
    Command command;
    command.arguments = {"sh", "-c", R"(input=$1; shift; exec "$@" <"$input")", "sh", input};
    arguments.insert(arguments.begin(), {tool("tilewise"), "check"});
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.working_directory = folder();
    command.time_limit_s = 200;
    return run_command(std::move(command));
  }

  fs::path folder() const { return scratch_.path(); }

 private:
  ScratchDirectory scratch_;
};

/// A program with a fault, and its report.
struct Fault {
  const char* what;
  std::string text;
  std::string says;
  std::string tool;
};

class CheckFinds : public Check, public testing::WithParamInterface<Fault> {};

TEST_P(CheckFinds, TheFaultByItsLine) {
  put("work.cu", GetParam().text);
  const CommandResult all = run({"work.cu"});
  EXPECT_EQ(all.status, 1) << all.output;
  EXPECT_THAT(all.output, HasSubstr(GetParam().says));
  EXPECT_THAT(all.output, HasSubstr("tilewise: 1 finding\n"));
  const CommandResult own = run({"--tool", GetParam().tool, "--error-exitcode", "5", "work.cu"});
  EXPECT_EQ(own.status, 5) << own.output;
  const std::string other = GetParam().tool == "racecheck" ? "initcheck" : "racecheck";
  const CommandResult none = run({"--tool", other, "work.cu"});
  EXPECT_EQ(none.status, 0) << none.output;
  EXPECT_THAT(none.output, Not(HasSubstr("tilewise:")));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, CheckFinds,
    testing::Values(
        Fault{"ARace", program("s[i] = x[i]; y[i] = s[63 - i];"), "work.cu:8: race: race on shared",
              "racecheck"},
        Fault{"AMissingSyncwarp", program("if (i < 32) { s[i] = x[i]; y[i] = s[31 - i]; }"),
              "work.cu:8: warp-race: race on shared", "racecheck"},
        Fault{"AnIndexPastTheEnd", program("y[i + 1] = x[i];"),
              "work.cu:8: out-of-bounds: thread (63, 0, 0) of block (0, 0, 0) writes byte 256 of "
              "d_y, past the end of d_y (256 bytes)",
              "memcheck"},
        Fault{"AnIndexOfATypedArray", program("y[i] = x[i + 1];"),
              "reads d_x[64], past the end of d_x (64 elements)", "memcheck"},
        Fault{"AReadOfNothing", program("y[i] = x[i];", "cudaMemset(d_y, 0, 4);"),
              "work.cu:8: uninitialised: thread (0, 0, 0) of block (0, 0, 0) reads d_x[0], which "
              "nothing has written",
              "initcheck"},
        Fault{"ASumThatStartsFromNothing",
              program("float sum; for (int k = 0; k < 3; ++k) sum += x[k]; y[i] = sum;"),
              "work.cu:8: uninitialised: thread (0, 0, 0) of block (0, 0, 0) reads sum, a variable "
              "of its own that has no value yet (declared on line 8)",
              "initcheck"},
        Fault{"AValueThatSomeThreadsHave", program("float v; if (i > 3) v = x[i]; y[i] = v;"),
              "thread (0, 0, 0) of block (0, 0, 0) reads v, a variable of its own", "initcheck"},
        Fault{"AnArrayThatIsNotFull",
              program("float v[4]; for (int k = 0; k < 3; ++k) v[k] = x[k]; y[i] = v[i % 4];"),
              "thread (3, 0, 0) of block (0, 0, 0) reads an element of v, a variable of its own",
              "initcheck"},
        Fault{"APointerPastAnArray",
              program("float v[4] = {}; float* p = v; for (int k = 0; k <= 4; ++k) p[k] = x[i]; "
                      "y[i] = v[i % 4];"),
              "work.cu:8: out-of-bounds: v[4] is outside v, an array of the thread's own with 4 "
              "elements, declared on line 8 (thread (0, 0, 0) of block (0, 0, 0) writes it)",
              "memcheck"},
        Fault{"APointerBeforeAnArray",
              program("float v[4]; for (float* p = v + 3; p >= v - 1; --p) *p = x[i]; "
                      "y[i] = v[i % 4];"),
              "v[-1] is outside v", "memcheck"},
        Fault{"ABarrierThatHalfReach", program("if (i < 40) __syncthreads(); y[i] = x[i];"),
              "work.cu:8: barrier: ", "synccheck"},
        Fault{"AShiftBeyondTheWord", program("y[i] = 1 << i;"),
              "work.cu:8: arithmetic: thread (32, 0, 0) of block (0, 0, 0) shifts a number of type "
              "int by 32, and it has 32 bits",
              "memcheck"},
        Fault{"AConversionWithoutANumber", program("y[i] = static_cast<int>(x[i] * 1e10f);"),
              "work.cu:8: arithmetic: thread (0, 0, 0) of block (0, 0, 0) converts 1e+10 to int",
              "memcheck"},
        Fault{"TwoStreamsWithoutAnEvent",
              program("y[i] = x[i] + 1;",
                      "cudaMemset(d_x, 0, 256); cudaMemset(d_y, 0, 256); cudaDeviceSynchronize(); "
                      "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); "
                      "work<<<1, 64, 0, s>>>(d_y, d_x);"),
              "work.cu:8: race: race on", "racecheck"},
        Fault{"AHostThatDoesNotWait",
              program("y[i] = x[i];",
                      "cudaMemset(d_x, 0, 256); float* both; cudaMallocManaged(&both, 256); "
                      "work<<<1, 64>>>(d_x, both); d_x += both[5] > 1000;"),
              "work.cu:15: race: race on both[5]: work in the default stream writes it on line 8, "
              "and the host reads it on line 15 without having waited: call "
              "cudaDeviceSynchronize() before",
              "racecheck"},
        Fault{"AHostThatDoesNotWaitForAVariable",
              "__managed__ int sum;\n__global__ void adds() { atomicAdd(&sum, 1); }\n"
              "int main() {\n  adds<<<1, 32>>>();\n  return sum > 40;\n}\n",
              "work.cu:5: race: race on sum: adds in the default stream updates it on line 2, and "
              "the host reads it on line 5",
              "racecheck"},
        Fault{"ACallThatFails", program("y[i] = i;", "cudaMemset(d_x, 0, 1000);"),
              "work.cu:15: refused: cudaMemset returned cudaErrorInvalidValue", "memcheck"}),
    [](const auto& info) { return std::string(info.param.what); });

/// A correct program, its arguments, and its expected status and output.
struct RightProgram {
  const char* what;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> arguments;
  int status;
  std::string output;
};

class CheckRuns : public Check, public testing::WithParamInterface<RightProgram> {};

TEST_P(CheckRuns, AProgramThatIsRight) {
  for (const auto& [name, text] : GetParam().files) put(name, text);
  for (const std::vector<std::string>& flavour : {std::vector<std::string>{}, {"--fast"}}) {
    std::vector<std::string> arguments = flavour;
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    const CommandResult result = run(arguments, folder() / GetParam().files.front().first);
    EXPECT_EQ(result.status, GetParam().status) << result.output;
    // Before the program runs, messages say how its kernels are run.
    static const std::regex about_kernels("^(tilewise: .* (are split|is not)[: ].*\n)+");
    EXPECT_EQ(
        flavour.empty() ? result.output : std::regex_replace(result.output, about_kernels, ""),
        GetParam().output);
  }
}

const std::string header_of_two = R"(#pragma once
__device__ inline int twice(int x) { return 2 * x; }
static __device__ int base[2] = {40, 1};
template <class T>
__global__ void from_header(T* out) {
  __shared__ T tile[32];
  tile[threadIdx.x] = twice(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x] + base[0];
}
void launch(int* out);
)";

INSTANTIATE_TEST_SUITE_P(
    Programs, CheckRuns,
    testing::Values(
        RightProgram{
            "Usual", {{"work.cu", program("s[i] = x[i]; y[i] = s[i];")}}, {"work.cu"}, 0, "1\n"},
        RightProgram{"OfBlocksThatWaitForEachOther",
                     {{"spin.cu", R"(#include <cstdio>
__device__ unsigned arrived;
__global__ void sums(int* parts, int* sums) {
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
  sums[blockIdx.x] = sum;
}
int main() {
  constexpr int blocks = 40;
  int *parts, *all, host[blocks];
  cudaMalloc(&parts, sizeof host);
  cudaMalloc(&all, sizeof host);
  sums<<<blocks, 64>>>(parts, all);
  cudaMemcpy(host, all, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[blocks - 1]);
})"}},
                     {"spin.cu"},
                     0,
                     "820 820\n"},
        RightProgram{"ThatWaitsForItsKernels",
                     {{"waits.cu", R"(#include <cstdio>
__managed__ int sum = 4;
__managed__ volatile int done;
__global__ void adds(int* x) {
  atomicAdd(&sum, threadIdx.x);
  x[threadIdx.x] += 1;
  done = 1;
}
int main() {
  int* x;
  cudaMallocManaged(&x, 128);
  for (int i = 0; i < 32; ++i) x[i] = i;
  sum += 1;
  adds<<<1, 32>>>(x);
  while (done == 0) {}
  cudaDeviceSynchronize();
  std::printf("%d %d\n", sum, x[5]);
  adds<<<1, 32>>>(x);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  while (cudaEventQuery(event) == cudaErrorNotReady) {}
  std::printf("%d %d\n", sum, x[5]);
})"}},
                     {"waits.cu"},
                     0,
                     "501 6\n997 7\n"},
        RightProgram{"WithArgumentsAndAStatus",
                     {{"echo.cu", R"(#include <cstdio>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
  return 7;
})"}},
                     {"echo.cu", "1000", "-n", "--", "a b"},
                     7,
                     "[1000][-n][--][a b]"},
        RightProgram{"WithItsInputAndFiles",
                     {{"read.cu", R"(// first line
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
int main() {
  std::string line, first;
  std::getline(std::cin, line);
  std::ifstream own("read.cu");
  std::getline(own, first);
  std::thread([] { std::cerr << "beside\n"; }).join();
  std::cout << (line == first) << std::endl;
})"}},
                     {"read.cu"},
                     0,
                     "beside\n1\n"},
        RightProgram{
            "OfTwoFilesAndAHeader",
            {{"src/main.cu", R"(#include <cstdio>
#include "parts/two.cuh"
int main() {
  int *out, host[32];
  cudaMalloc(&out, sizeof host);
  from_header<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d ", host[0]);
  launch(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d", host[0], VALUE);
})"},
             {"src/other.cu", R"(#include <parts/two.cuh>
void launch(int* out) { from_header<int><<<1, 32>>>(out + 0); }
)"},
             {"src/plain.cpp", "#include <cuda_runtime.h>\nint unused() { return 0; }\n"},
             {"include/parts/two.cuh", header_of_two}},
            {"-Iinclude", "-DVALUE=3", "-std=c++20", "-O2", "-arch=sm_90", "-lineinfo",
             "-Xcompiler", "-Wall,-Wextra", "src/main.cu", "src/other.cu", "src/plain.cpp"},
            0,
            "102 102 3"},
        RightProgram{"WithVariablesOfAHeaderAndOfAnotherFile",
                     {{"main.cu", R"(#include <cstdio>
#include "shared.cuh"
__device__ int counter = 5;
void other(int* out);
__global__ void mine(int* out) { *out += twice(factor[0]); }
int main() {
  int *out, host = 0;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  mine<<<1, 1>>>(out);
  other(out);
  cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%d", host);
})"},
                      {"other.cu", R"(#include "shared.cuh"
extern __device__ int counter;
__global__ void theirs(int* out) { *out += twice(counter); }
void other(int* out) { theirs<<<1, 1>>>(out); }
)"},
                      {"shared.cuh", R"(#pragma once
__constant__ int factor[1] = {4};
__device__ int twice(int x) { return 2 * x; }
)"}},
                     {"main.cu", "other.cu"},
                     0,
                     "18"},
        RightProgram{"WithAClockOfTheDevice",
                     {{"ticks.cu", R"(#include <cstdio>
#include <ctime>
__global__ void asks(int* out) {
  const long long before = clock64();
  const clock_t now = clock();
  *out = before <= now && now <= clock64();
}
int main() {
  int *out, host;
  cudaMalloc(&out, 4);
  asks<<<1, 1>>>(out);
  cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%d %d", host, clock() < clock64());
})"}},
                     {"ticks.cu"},
                     0,
                     "1 1"},
        RightProgram{"WithMemoryFromTheHeapOfKernels",
                     {{"heap.cu", R"(#include <cstdio>
#include <vector>
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int sides() const = 0;
};
struct Square : Shape {
  __device__ int sides() const override { return 4; }
};
__global__ void makes(Shape** shape) { *shape = new Square; }
__global__ void counts(Shape** shape, int* out) { out[threadIdx.x] = (*shape)->sides(); }
__global__ void drops(Shape** shape) { delete *shape; }
int main() {
  std::vector<int> host(64);
  Shape** shape;
  int* out;
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
  cudaMalloc(&shape, sizeof *shape);
  cudaMalloc(&out, 64 * sizeof(int));
  makes<<<1, 1>>>(shape);
  counts<<<1, 64>>>(shape, out);
  drops<<<1, 1>>>(shape);
  cudaMemcpy(host.data(), out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d", host[63]);
})"}},
                     {"heap.cu"},
                     0,
                     "4"},
        RightProgram{"CudaInACppFile",
                     {{"work.cpp", program("y[i] = x[i];")}},
                     {"-x", "cu", "work.cpp"},
                     0,
                     "1\n"}),
    [](const auto& info) { return std::string(info.param.what); });

/// A program or command that cannot be checked, with the expected status and message.
struct Refusal {
  const char* what;
  std::string text;
  std::vector<std::string> arguments;
  int status;
  std::string says;
};

class CheckRefuses : public Check, public testing::WithParamInterface<Refusal> {};

TEST_P(CheckRefuses, AndSaysWhy) {
  put("a.cu", GetParam().text);
  put("folder.cu/inside", "");
  const CommandResult result = run(GetParam().arguments);
  EXPECT_EQ(result.status, GetParam().status) << result.output;
  EXPECT_THAT(result.output, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, CheckRefuses,
    testing::Values(
        Refusal{"NoFile", "", {}, 2, "no file is named"},
        Refusal{"AMissingFile", "", {"b.cu"}, 2, "there is no b.cu"},
        Refusal{"AFolder", "", {"../"}, 2, "no file is named"},
        Refusal{"AFolderCalledSo", "", {"folder.cu"}, 2, "folder.cu is no file"},
        Refusal{"AnUnknownOption", "", {"--nonsense", "a.cu"}, 2, "there is no option --nonsense"},
        Refusal{"AnUnknownTool", "", {"--tool", "x", "a.cu"}, 2, "--tool"},
        Refusal{"AnUnknownGpu", "int main() {}", {"--gpu", "x1", "a.cu"}, 2, "x1"},
        Refusal{
            "NoMain", "__global__ void k() {}\n", {"a.cu"}, 1, "a.cu: error: there is no main()"},
        Refusal{"AnEmptyFile", "", {"a.cu"}, 1, "there is no main()"},
        Refusal{"NoCuda", "int main() {\n  int x = ;\n}\n", {"a.cu"}, 1, "a.cu:2:11: error: "},
        Refusal{"WhatNvccRefuses",
                "__global__ int k() { return 1; }\nint main() {}\n",
                {"a.cu"},
                1,
                "a.cu:1: error: a __global__ function returns nothing"},
        Refusal{"AMissingHeader",
                "\n#include \"none.h\"\nint main() {}\n",
                {"a.cu"},
                1,
                "a.cu:2:10: fatal error: none.h"},
        Refusal{"AnUndefinedFunction",
                "void f();\nint main() { f(); }\n",
                {"a.cu"},
                1,
                "undefined reference to `f()'"}),
    [](const auto& info) { return std::string(info.param.what); });

/// Returns a program in which a kernel doubles the 60 numbers of a Thrust vector, and Thrust sums
/// them up.
std::string with_thrust(int threads) {
  return fmt::format(R"(#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cstdio>
__global__ void twice(float* x) {{
  x[threadIdx.x] *= 2;
}}
int main() {{
  thrust::device_vector<float> numbers(60);
  thrust::sequence(numbers.begin(), numbers.end());
  twice<<<1, {}>>>(thrust::raw_pointer_cast(numbers.data()));
  cudaDeviceSynchronize();
  thrust::sort(numbers.begin(), numbers.end(), thrust::greater<float>());
  const thrust::host_vector<float> host = numbers;
  std::printf("%g %g\n", host[0], thrust::reduce(numbers.begin(), numbers.end()));
}}
)",
                     threads);
}

TEST_F(Check, VectorsOfThrustAreWatched) {
  if (!fs::exists(cuda_toolkit() / "include/cccl/thrust") && !fs::exists("/usr/include/thrust")) {
    GTEST_SKIP() << "Thrust is not installed: libthrust-dev, or the CUDA Toolkit";
  }
  put("right.cu", with_thrust(60));
  EXPECT_EQ(run({"right.cu"}).output, "118 3540\n");
  put("past.cu", with_thrust(64));
  const CommandResult past = run({"past.cu"});
  EXPECT_EQ(past.status, 1) << past.output;
  EXPECT_THAT(past.output, HasSubstr("past.cu:9: out-of-bounds: thread (60, 0, 0) of block "
                                     "(0, 0, 0) reads byte 240 of device_vector"));
}

TEST_F(Check, KernelsDrawRandomNumbers) {
  if (!fs::exists(cuda_toolkit() / "include/curand_kernel.h")) {
    GTEST_SKIP() << "cuRAND is not installed: it comes with the CUDA Toolkit";
  }
  put("pi.cu", R"(#include <curand_kernel.h>
#include <cstdio>
__global__ void seed(curandState* states) {
  curand_init(42, threadIdx.x, 0, &states[threadIdx.x]);
}
__global__ void count(curandState* states, unsigned* hits) {
  curandState own = states[threadIdx.x];
  for (int i = 0; i < 100; ++i) {
    const float x = curand_uniform(&own), y = curand_uniform(&own);
    if (x * x + y * y <= 1) atomicAdd(hits, 1);
  }
  states[threadIdx.x] = own;
}
__global__ void draw(float* out) {
  curandStatePhilox4_32_10_t philox;
  curand_init(1, 2, 3, &philox);
  curandStateMRG32k3a mrg;
  curand_init(1, 2, 3, &mrg);
  *out = curand_normal(&philox) + curand_poisson(&philox, 3.0) + curand_uniform(&mrg);
}
int main() {
  curandState* states;
  unsigned *hits, counted;
  float* drawn;
  cudaMalloc(&states, 128 * sizeof(curandState));
  cudaMalloc(&hits, sizeof(unsigned));
  cudaMalloc(&drawn, sizeof(float));
  cudaMemset(hits, 0, sizeof(unsigned));
  seed<<<1, 128>>>(states);
  count<<<1, 128>>>(states, hits);
  draw<<<1, 1>>>(drawn);
  cudaMemcpy(&counted, hits, sizeof counted, cudaMemcpyDeviceToHost);
  std::printf("%d\n", int(4 * counted / 12800.0 * 10));
}
)");
  EXPECT_EQ(run({"pi.cu"}).output, "31\n");
}

TEST_F(Check, HostsDrawRandomNumbers) {
  if (!fs::exists(cuda_toolkit() / "include/curand.h")) {
    GTEST_SKIP() << "cuRAND is not installed: it comes with the CUDA Toolkit";
  }
  put("drawn.cu", R"(#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
#include <vector>
__global__ void twice(float* x) {
  x[blockIdx.x * 128 + threadIdx.x] *= 2;
}
int main() {
  const int n = 12800;
  float* numbers;
  cudaMalloc(&numbers, n * sizeof(float));
  std::vector<float> host(n), again(n);
  curandGenerator_t generator;
  if (curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW)) return 2;
  for (auto* to : {&host, &again}) {
    curandSetPseudoRandomGeneratorSeed(generator, 7);
    if (curandGenerateUniform(generator, numbers, n)) return 3;
    twice<<<n / 128, 128>>>(numbers);
    cudaMemcpy(to->data(), numbers, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
  double sum = 0, squares = 0;
  for (float x : host) sum += x;
  std::printf("%.1f %d ", sum / n, host == again);
  const curandStatus_t odd = curandGenerateNormal(generator, numbers, 3, 0, 1);
  curandDestroyGenerator(generator);
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MTGP32);
  curandGenerateNormal(generator, host.data(), n, 0, 2);
  for (float x : host) squares += x * x / n;
  std::printf("%d %.0f\n", odd == CURAND_STATUS_LENGTH_NOT_MULTIPLE, squares);
  curandDestroyGenerator(generator);
  curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32);
  curandSetQuasiRandomGeneratorDimensions(generator, 2);
  unsigned points[8];
  curandGenerate(generator, points, 8);
  for (unsigned x : points) std::printf("%u ", x >> 30);
  std::printf("%d\n", curandSetQuasiRandomGeneratorDimensions(generator, 11) == CURAND_STATUS_OUT_OF_RANGE);
}
)");
  // These are the first Sobol points in the unit square, times 4: (0, 0), (2, 2), (3, 1), (1, 3).
  EXPECT_THAT(run({"drawn.cu"}).output,
              AllOf(HasSubstr("1.0 1 1 4\n"), HasSubstr("0 2 3 1 0 2 1 3 "), HasSubstr("1\n")));
}

TEST_F(Check, InlinePtxOfKnownInstructionsRuns) {
  put("ptx.cu", R"(#include <nvtx3/nvToolsExt.h>
#include <cstdio>
__device__ unsigned found(unsigned x) {
  unsigned bit;
  asm volatile("bfind.u32 %0, %1;" : "=r"(bit) : "r"(x));
  return bit;
}
__global__ void work(unsigned* out) {
  __shared__ unsigned from[64];
  unsigned lane, below, sum, mixed;
  int field;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(0x01020304u), "r"(0x04030201u), "r"(lane));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(mixed) : "r"(5u), "r"(3u), "r"(1u));
  asm("bfe.s32 %0, %1, 4, 4;" : "=r"(field) : "r"(0xf0));
  from[threadIdx.x] = lane;
  asm volatile("bar.sync 0;");
  if (threadIdx.x == 33) {
    out[0] = lane, out[1] = below, out[2] = sum, out[3] = found(0x500), out[4] = found(0);
    out[5] = from[63], out[6] = mixed, out[7] = unsigned(field);
  }
}
int main() {
  nvtxRangePushA("all");
  unsigned *out, host[8];
  cudaMalloc(&out, sizeof host);
  work<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  nvtxRangePop();
  for (unsigned x : host) std::printf("%d ", int(x));
}
)");
  EXPECT_EQ(run({"ptx.cu"}).output, "1 1 9 10 -1 31 7 -1 ");
}

TEST_F(Check, MemoryOfThrustIsOfTheDevice) {
  if (!fs::exists(cuda_toolkit() / "include/cccl/thrust")) {
    GTEST_SKIP() << "the CUDA Toolkit is not installed";
  }
  put("pool.cu", R"(#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <cstdio>
__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
int main(int words, char**) {
  try {
    thrust::device_ptr<int> x = thrust::device_malloc<int>(32);
    fill<<<1, 31 + words>>>(x.get());
    cudaDeviceSynchronize();
    std::printf("%d\n", int(x[31]));
    thrust::device_free(x);
  } catch (thrust::system_error& error) {
    std::puts(error.what());
  }
}
)");
  EXPECT_EQ(run({"pool.cu"}).output, "31\n");
  EXPECT_THAT(run({"pool.cu", "1"}).output, HasSubstr("pool.cu:5: out-of-bounds"));
}

/// Thrust's algorithms wait for kernels launched before them, and so do later calls.
TEST_F(Check, AlgorithmsOfThrustWaitForKernels) {
  if (!fs::exists(cuda_toolkit() / "include/cccl/thrust") && !fs::exists("/usr/include/thrust")) {
    GTEST_SKIP() << "Thrust is not installed: libthrust-dev, or the CUDA Toolkit";
  }
  put("sum.cu", R"(#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <cstdio>
__global__ void ones(int* x) { x[threadIdx.x] = 1; }
int main() {
  int* x;
  cudaMallocManaged(&x, 128);
  ones<<<1, 32>>>(x);
  const int sum = thrust::reduce(thrust::device, x, x + 32);
  std::printf("%d %d\n", sum, x[31]);
}
)");
  EXPECT_EQ(run({"sum.cu"}).output, "32 1\n");
}

/// Thrust's algorithms run on the host, and can access memory from cudaMalloc() that a program
/// passes to them.
TEST_F(Check, AlgorithmsOfThrustReachMemoryOfCudaMalloc) {
  if (!fs::exists(cuda_toolkit() / "include/cccl/thrust")) {
    GTEST_SKIP() << "the CUDA Toolkit is not installed";
  }
  put("scan.cu", R"(#include <thrust/device_ptr.h>
#include <thrust/scan.h>
#include <cstdio>
__global__ void ones(int* x) { x[threadIdx.x] = 1; }
__global__ void show(const int* x, int n) { printf("%d\n", x[n]); }
int main() {
  int *d_x, *d_sums;
  cudaMalloc(&d_x, 128);
  cudaMalloc(&d_sums, 128);
  ones<<<1, 32>>>(d_x);
  thrust::inclusive_scan(thrust::device_ptr<int>(d_x), thrust::device_ptr<int>(d_x + 32),
                         thrust::device_ptr<int>(d_sums));
  show<<<1, 1>>>(d_sums, 31);
  show<<<1, 1>>>(d_sums, 32);
  cudaDeviceSynchronize();
}
)");
  EXPECT_THAT(run({"scan.cu"}).output,
              testing::AllOf(HasSubstr("32\n"), HasSubstr("scan.cu:5: out-of-bounds")));
}

TEST_F(Check, ToldOnceAndCounted) {
  put("work.cu", program("s[i] = x[i]; y[i] = s[63 - i];",
                         "cudaMemset(d_x, 0, 256); for (int k = "
                         "0; k < 3; ++k) work<<<1, 64>>>(d_x, d_y);"));
  const CommandResult result = run({"--json", "report.json", "--output", "found", "work.cu", "9"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "0\n");
  const std::string found = core::text_of(folder() / "found");
  EXPECT_THAT(found, HasSubstr("work.cu:8: race: 4 times in all"));
  const auto report = nlohmann::json::parse(core::text_of(folder() / "report.json"));
  EXPECT_EQ(report["schema"], "tilewise/check/v1");
  EXPECT_EQ(report["arguments"], nlohmann::json({"9"}));
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["kind"], "race");
  EXPECT_EQ(report["findings"][0]["tool"], "racecheck");
  EXPECT_EQ(report["findings"][0]["line"], 8);
  EXPECT_EQ(report["findings"][0]["times"], 4);
  ASSERT_EQ(report["launches"].size(), 2u);
  EXPECT_EQ(report["launches"][0]["kernel"], "work");
  EXPECT_EQ(report["launches"][0]["times"], 3);
}

TEST_F(Check, ProgramsGoOnAfterAFault) {
  const std::string text = program("y[i * 100000] = x[i];");
  put("work.cu", text);
  const CommandResult stopped = run({"work.cu"});
  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(stopped.output, HasSubstr("work.cu:8: out-of-bounds"));
  EXPECT_THAT(stopped.output, HasSubstr("1\n"));  // the copy failed, so host[3] is unchanged
  put("twice.cu",
      text.substr(0, text.rfind('}')) +
          "  cudaGetLastError(); work<<<1, 64>>>(d_x, d_y); std::puts(cudaGetErrorName("
          "cudaGetLastError()));\n  std::puts(cudaGetErrorName(cudaMemset(d_x, 0, 4)));\n}");
  const CommandResult goes_on = run({"--destroy-on-device-error", "kernel", "twice.cu"});
  EXPECT_EQ(goes_on.status, 1);
  EXPECT_THAT(goes_on.output, HasSubstr("cudaErrorIllegalAddress\ncudaSuccess\n"));
  EXPECT_THAT(goes_on.output, HasSubstr("out-of-bounds: 2 times in all"));
}

TEST_F(Check, ShowsWhatEachKernelDoesInMemory) {
  put("work.cu", program("s[i] = x[2 * i % 64]; y[i] = s[i];"));
  const CommandResult result = run({"--profile", "work.cu"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("work  grid 1x1, block 64x1"));
  EXPECT_THAT(result.output, HasSubstr("work.cu:8"));
  EXPECT_THAT(result.output, HasSubstr("s[i] = x[2 * i % 64]; y[i] = s[i];"));
}

TEST_F(Check, EndsAProgramInTime) {
  put("loop.cu",
      "__global__ void k(volatile int* x) { while (*x == 0) {} }\nint main() {\n  int* x;\n"
      "  cudaMalloc(&x, 4); cudaMemset(x, 0, 4);\n  k<<<1, 1>>>(x);\n}\n");
  const CommandResult result = run({"--time-limit", "1", "loop.cu"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("the program was ended after 1 s, its time limit"));
}

TEST_F(Check, NotesOptionsThatStandBehindTheFiles) {
  put("main.cu", "int main(int argc, char**) { return argc; }\n");
  EXPECT_THAT(run({"main.cu", "--fast"}).output, HasSubstr("--fast stands behind the files"));
  const CommandResult meant = run({"main.cu", "--", "--fast"});
  EXPECT_EQ(meant.status, 2);
  EXPECT_THAT(meant.output, IsEmpty());
}

TEST_F(Check, SaysWhatACrashOfHostCodeWas) {
  put("host.cu", "int main() { int* x; cudaMalloc(&x, 4); return *x; }\n");
  const CommandResult result = run({"host.cu"});
  EXPECT_EQ(result.status, 128 + 11) << result.output;
  EXPECT_THAT(result.output, HasSubstr("tilewise: crash: Segmentation fault in host code: "));
}

TEST_F(Check, ACrashOfAKernelIsAFinding) {
  put("jump.cu", "__global__ void k(void (*f)()) { f(); }\nint main() { k<<<1, 1>>>(nullptr); }\n");
  const CommandResult result = run({"--error-exitcode", "6", "--json", "r.json", "jump.cu"});
  EXPECT_EQ(result.status, 6) << result.output;
  EXPECT_THAT(result.output, HasSubstr("tilewise: crash: Segmentation fault in k"));
  const auto report = nlohmann::json::parse(core::text_of(folder() / "r.json"));
  EXPECT_EQ(report["findings"].at(0)["kind"], "crash");
}

TEST_F(Check, AnAssertionThatFailsEndsTheLaunchAndNotTheProgram) {
  put("assert.cu", R"(#include <cassert>
__global__ void k(int n) { assert(int(threadIdx.x) < n); }
int main() {
  k<<<1, 8>>>(5);
  return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 3;
}
)");
  for (const std::vector<std::string>& flavour : {std::vector<std::string>{}, {"--fast"}}) {
    std::vector<std::string> arguments = flavour;
    arguments.insert(arguments.end(), {"--report-api-errors", "no", "assert.cu"});
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("assert.cu:2: assert: "));
    EXPECT_THAT(result.output,
                HasSubstr("thread (5, 0, 0): assertion int(threadIdx.x) < n failed"));
  }
}

TEST_F(Check, FindsMemoryThatIsNotGivenBack) {
  put("leak.cu", R"(int main(int words, char**) {
  float *d_x, *d_y;
  cudaMalloc(&d_x, 256);
  cudaMalloc(&d_y, 512);
  cudaFree(d_y);
  if (words > 1) cudaFree(d_x);
  if (words > 2) cudaDeviceReset();
}
)");
  const CommandResult found = run({"--leak-check", "full", "leak.cu"});
  EXPECT_EQ(found.status, 1) << found.output;
  EXPECT_EQ(found.output,
            "tilewise: leak.cu:3: leak: d_x is never freed, 256 bytes of device memory. cudaFree() "
            "gives it back\ntilewise: 1 finding\n");
  for (const auto& right : {std::vector<std::string>{"leak.cu"},
                            {"--leak-check", "full", "leak.cu", "freed"},
                            {"--leak-check", "full", "leak.cu", "freed", "reset"}}) {
    EXPECT_THAT(run(right).output, IsEmpty());
  }
}

TEST_F(Check, DeviceCodeKnowsItsTarget) {
  put("target.cu", R"(#include <cstdio>
__global__ void k(int* x) {
#if __CUDA_ARCH__ >= 700
  *x = 9;
#endif
}
int main() {
  int* x;
  cudaMallocManaged(&x, 4);
  k<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  return *x == 9 ? 0 : 3;
}
)");
  const CommandResult result = run({"target.cu"});
  EXPECT_EQ(result.status, 0) << result.output;
}

/// The program uses the toolkit's declarations. Functions that have a counterpart work, and all
/// others report their names.
TEST_F(Check, CallsTheDriversInterface) {
  if (!fs::exists(cuda_toolkit() / "include/cuda.h")) {
    GTEST_SKIP() << "the CUDA Toolkit is not here";
  }
  put("driver.cpp", R"(#include <cuda.h>
int main() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr x;
  CUmodule module;
  int values[4] = {};
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  cuMemAlloc(&x, sizeof values);
  cuMemsetD32(x, 7, 4);
  cuMemcpyDtoH(values, x, sizeof values);
  if (values[3] != 7) return 3;
  if (cuModuleLoad(&module, "k.fatbin") != CUDA_ERROR_FILE_NOT_FOUND) return 4;
  CUlinkState link;
  return cuLinkCreate(0, nullptr, nullptr, &link) == CUDA_ERROR_NOT_SUPPORTED ? 0 : 5;
}
)");
  const CommandResult result = run({"driver.cpp"});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("refused: cuLinkCreate_v2 returned cudaErrorNotSupported"));
}

/// The programs load kernels from a file, or have NVRTC compile them. A race in such a kernel is
/// reported with its line.
class CheckLoads : public Check {
 protected:
  void SetUp() override {
    if (!fs::exists(cuda_toolkit() / "include/nvrtc.h")) {
      GTEST_SKIP() << "the CUDA Toolkit is not here";
    }
    put("kernels.cu", R"(__device__ int added = 1;
extern "C" __global__ void adds(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + added;
}
extern "C" __global__ void shifts(int* y) {
  y[threadIdx.x] = y[threadIdx.x + 1];
}
)");
    put("program.cpp", R"(#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
CUmodule compiled(const char* text) {
  nvrtcProgram program;
  const char* options[] = {"--gpu-architecture=sm_90", "-std=c++17"};
  nvrtcCreateProgram(&program, text, "kernels.cu", 0, nullptr, nullptr);
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
    size_t bytes;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, ' ');
    nvrtcGetProgramLog(program, log.data());
    std::printf("%s", log.c_str());
    return nullptr;
  }
  size_t bytes;
  nvrtcGetPTXSize(program, &bytes);
  std::string image(bytes, ' ');
  nvrtcGetPTX(program, image.data());
  nvrtcDestroyProgram(&program);
  CUmodule module;
  return cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr) == CUDA_SUCCESS ? module : nullptr;
}
int main(int argc, char** argv) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  CUmodule module = nullptr;
  std::ifstream file("kernels.cu");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (argc > 1) cuModuleLoad(&module, argv[1]);
  if (argc == 1) module = compiled(text.c_str());
  if (compiled("not CUDA") != nullptr) return 7;
  CUfunction adds, shifts, none;
  if (cuModuleGetFunction(&adds, module, "adds") != CUDA_SUCCESS) return 3;
  if (cuModuleGetFunction(&none, module, "none") != CUDA_ERROR_NOT_FOUND) return 4;
  cuModuleGetFunction(&shifts, module, "shifts");
  CUdeviceptr x, y, added;
  size_t bytes = 0;
  int n = 100, ten = 10, host[100];
  cuMemAlloc(&x, sizeof host);
  cuMemAlloc(&y, sizeof host);
  cuMemsetD32(x, 4, n);
  if (cuModuleGetGlobal(&added, &bytes, module, "added") != CUDA_SUCCESS || bytes != 4) return 5;
  cuMemcpyHtoD(added, &ten, 4);
  void* of_adds[] = {&x, &y, &n};
  if (cuLaunchKernel(adds, 2, 1, 1, 64, 1, 1, 0, nullptr, of_adds, nullptr) != CUDA_SUCCESS) return 6;
  cuMemcpyDtoH(host, y, sizeof host);
  std::printf("%d\n", host[99]);
  void* of_shifts[] = {&y};
  cuLaunchKernel(shifts, 1, 1, 1, 64, 1, 1, 0, nullptr, of_shifts, nullptr);
  cuModuleUnload(module);
}
)");
  }

  static void expect_race(const CommandResult& result) {
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("not CUDA"));
    EXPECT_THAT(result.output, HasSubstr("\n14\n"));
    EXPECT_THAT(result.output, HasSubstr("kernels.cu:7: race: race on "));
    EXPECT_THAT(result.output, HasSubstr("tilewise: 1 finding\n"));
  }
};

TEST_F(CheckLoads, AModuleOfAFile) {
  const CommandResult module = run({"-fatbin", "kernels.cu"});
  EXPECT_EQ(module.status, 0) << module.output;
  expect_race(run({"program.cpp", "kernels.fatbin"}));
}

TEST_F(CheckLoads, WhatIsCompiledAtRunTime) { expect_race(run({"program.cpp"})); }

/// A user's CMake project.
class Project : public Check {
 protected:
  void SetUp() override {
    put("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.20)
project(sums LANGUAGES CXX)
find_package(Tilewise 0.1 REQUIRED)
enable_testing()
tilewise_add_executable(sums sums.cu main.cpp)
target_include_directories(sums PRIVATE include)
target_compile_definitions(sums PRIVATE BARRIER=${BARRIER})
tilewise_add_executable(fast FAST sums.cu main.cpp)
target_include_directories(fast PRIVATE include)
target_compile_definitions(fast PRIVATE BARRIER=)
add_test(NAME sums COMMAND sums 2)
add_test(NAME fast COMMAND fast 2)
)");
    put("include/sums.hpp", "void reverse(const float* x, float* y);\n");
    put("sums.cu", R"(#include "sums.hpp"
__global__ void reversed(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  BARRIER;
  y[threadIdx.x] = s[63 - threadIdx.x];
}
void reverse(const float* x, float* y) { reversed<<<1, 64>>>(x, y); }
)");
    put("main.cpp", R"(#include <cuda_runtime.h>
#include <sums.hpp>
int main(int argc, char**) {
  float *x, *y;
  cudaMalloc(&x, 256); cudaMalloc(&y, 256); cudaMemset(x, 0, 256);
  reverse(x, y);
  return cudaDeviceSynchronize() == cudaSuccess && argc == 2 ? 0 : 3;
}
)");
  }

  CommandResult command(std::vector<std::string> arguments) const {
    Command command;
    command.arguments = std::move(arguments);
    command.working_directory = folder();
    command.time_limit_s = 200;
    return run_command(std::move(command));
  }

  /// Configures and builds the project, and runs its tests.
  CommandResult tested(const std::string& package, const std::string& barrier) const {
    const CommandResult configured =
        command({"cmake", "-S", ".", "-B", "build", package, "-DBARRIER=" + barrier});
    EXPECT_EQ(configured.status, 0) << configured.output;
    const CommandResult built = command({"cmake", "--build", "build"});
    EXPECT_EQ(built.status, 0) << built.output;
    return command({"ctest", "--test-dir", "build", "--output-on-failure"});
  }
};

/// The project's test fails because of a race, and passes once that is fixed.
TEST_F(Project, FindsThePackageOfABuild) {
  const std::string package = "-DTilewise_DIR=" + (layout().build / "lib/cmake/Tilewise").string();
  for (const bool mended : {false, true}) {
    const CommandResult result = tested(package, mended ? "__syncthreads()" : "");
    EXPECT_EQ(result.status == 0, mended) << result.output;
    EXPECT_THAT(result.output,
                HasSubstr(mended ? "100% tests passed" : "sums.cu:4: race: race on shared s["));
    EXPECT_THAT(result.output, HasSubstr(mended ? "0 tests failed out of 2" : "1 tests failed"));
  }
  // A change in a header causes a rebuild.
  put("include/sums.hpp", "#error changed\n");
  EXPECT_THAT(command({"cmake", "--build", "build"}).output, HasSubstr("sums.hpp:1"));
}

TEST_F(Project, FindsWhatCMakeInstalls) {
  const CommandResult installed =
      command({"cmake", "--install", layout().build, "--prefix", folder() / "prefix"});
  ASSERT_EQ(installed.status, 0) << installed.output;
  const CommandResult result = tested("-DCMAKE_PREFIX_PATH=" + (folder() / "prefix").string(), "");
  EXPECT_THAT(result.output, HasSubstr("sums.cu:4: race: race on shared s["));
  EXPECT_THAT(command({"prefix/bin/lab", "--version"}).output, HasSubstr("0.1.0"));
}

}  // namespace
}  // namespace tilewise::grading

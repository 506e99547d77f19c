#include "grading/trace/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "common/base/language.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/causes.hpp"

namespace tilewise::grading {
namespace {

constexpr std::uint32_t one = 0x3F80'0000;
constexpr std::uint64_t one_double = 0x3FF0'0000'0000'0000;
constexpr unsigned spare_bits = 16;  // of the 52 bits of a double's fraction

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Returns the size of the band around a matrix. It is several of the matrix's rows, so that a
/// kernel that strays by a tile stays inside.
std::size_t band_bytes(const BufferArgument& matrix) {
  constexpr std::size_t rows = 32;
  return whole_pages(rows * matrix.row_elements * matrix.element_bytes);
}

template <class Bits>
void write_codes(const TraceMatrix& matrix, Bits (*code)(ElementNumber), std::byte* to) {
  for (std::int64_t i = 0; i < matrix.elements(); ++i) {
    const Bits bits = code(matrix.first + static_cast<ElementNumber>(i));
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof bits, &bits, sizeof bits);
  }
}

/// The limit on the trace text of all launches of a call. Pages that are never written cost
/// nothing.
constexpr std::size_t most_trace_bytes = std::size_t{128} << 20;

/// Returns the bytes from and to each partition, if each block of the launch was counted
/// separately.
std::vector<simt::PartitionBytes> partitions_of(const std::vector<KernelProfile>& profiles,
                                                std::size_t launch) {
  if (launch >= profiles.size() || profiles[launch].blocks_a_run != 1) return {};
  return profiles[launch].partitions_by_run;
}

}  // namespace

std::uint32_t code_of(ElementNumber element) {
  return one + static_cast<std::uint32_t>(element) + 1;
}

std::uint64_t code_of_double(ElementNumber element) {
  return one_double + (static_cast<std::uint64_t>(element) + 1) * (1u << spare_bits);
}

ElementNumber element_with(std::uint32_t code) {
  const std::uint32_t number = code - one - 1;
  return number < static_cast<std::uint32_t>(most_coded_elements) ? ElementNumber(number)
                                                                  : no_element;
}

ElementNumber element_with(std::uint64_t code) {
  const std::uint64_t distance = code - one_double - (1u << spare_bits);
  const std::uint64_t number = distance >> spare_bits;
  const bool whole = number << spare_bits == distance;
  return whole && number < static_cast<std::uint64_t>(most_coded_elements) ? ElementNumber(number)
                                                                           : no_element;
}

std::vector<TraceMatrix> matrices_of(const NamedCall& call) {
  constexpr std::int64_t most_elements = 512 * 512;
  std::vector<TraceMatrix> matrices;
  ElementNumber first = 0;
  for (const Argument& argument : call.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer == nullptr) continue;
    const MatrixShape& shape = call.matrices.at(matrices.size());
    if (shape.rows * shape.leading_dimension > most_elements) {
      throw CannotTrace(
          tr("{}: {} would have {} x {} elements, too many to draw: at most {} x {}. A few "
             "tiles tell it all; choose smaller matrices.",
             call.text, buffer->name, shape.rows, shape.leading_dimension, 512, 512));
    }
    TraceMatrix& matrix = matrices.emplace_back();
    matrix.name = buffer->name;
    matrix.rows = static_cast<int>(shape.rows);
    matrix.cols = static_cast<int>(std::min(shape.cols, shape.leading_dimension));
    matrix.leading_dimension = static_cast<int>(shape.leading_dimension);
    matrix.element_bytes = static_cast<int>(buffer->element_bytes);
    matrix.read_only = buffer->read_only;
    matrix.first = first;
    first += static_cast<ElementNumber>(matrix.elements());
  }
  return matrices;
}

CodedCall place_matrices(const NamedCall& call) {
  CodedCall coded;
  coded.arguments = call.arguments;
  for (Argument& argument : coded.arguments) {
    auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer == nullptr) continue;
    const std::size_t band = band_bytes(*buffer);
    buffer->device_only = false;
    buffer->offset = coded.bytes;
    buffer->payload_offset = band;
    buffer->image_bytes = 2 * band + whole_pages(buffer->payload_bytes);
    coded.bytes += buffer->image_bytes;
  }
  return coded;
}

void write_matrices(const CodedCall& call, const std::vector<TraceMatrix>& matrices,
                    std::span<std::byte> memory) {
  auto matrix = matrices.begin();
  for (const Argument& argument : call.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer == nullptr) continue;
    std::byte* const payload = memory.data() + buffer->offset + buffer->payload_offset;
    if (buffer->element_bytes == sizeof(double)) {
      write_codes<std::uint64_t>(*matrix, code_of_double, payload);
    } else {
      write_codes<std::uint32_t>(*matrix, code_of, payload);
    }
    ++matrix;
  }
}

Capture capture_trace(const NamedCall& call, WorkerOptions worker_options) {
  Capture captured;
  Trace& trace = captured.trace;
  trace.call = call.text;
  trace.gpu = worker_options.profile;
  trace.matrices = matrices_of(call);
  const CodedCall coded = place_matrices(call);
  worker_options.shared_bytes = coded.bytes + most_trace_bytes;
  Worker worker(std::move(worker_options));
  write_matrices(coded, trace.matrices, worker.memory());
  CallReply& reply = captured.reply;
  reply = worker.call(call.function, coded.arguments, std::nullopt,
                      simt::Watch{.checks = true, .counters = true, .trace = true});
  trace.launches = reply.launches;
  trace.findings = reply.findings;
  sort_by_cause(trace.findings);
  if (!reply.trace.empty()) {
    trace.kernels = interpret_trace(reply.trace, trace.matrices, trace.findings);
  }
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    trace.kernels[i].partitions = partitions_of(reply.profiles, i);
  }
  // Students know a file only by its name.
  for (Finding& finding : trace.findings) {
    finding.file = std::filesystem::path(finding.file).filename();
    finding.other_file = std::filesystem::path(finding.other_file).filename();
  }
  return captured;
}

std::string telling_call(const std::filesystem::path& root, const std::string& stage_id) {
  const nlohmann::json file = read_stage_file(root, stage_id);
  const auto call = file.find("trace");
  if (call == file.end()) {
    throw CannotTrace(
        tr("{} has no call of its own to trace; name one: --call 'NAME(...)'", stage_id));
  }
  return call->get<std::string>();
}

}  // namespace tilewise::grading

#include "grading/debug/debug_job.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* job_file = "job.json";
constexpr const char* matrices_file = "matrices.bin";
constexpr const char* writer_file = "writer.json";

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const char* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(count)) << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

void write_text(const fs::path& path, const std::string& text) {
  write_bytes(path, text.data(), text.size());
}

Json to_value(const ThreadOfCall& of_call) {
  return {
      {"block", of_call.place.block}, {"thread", of_call.place.thread}, {"launch", of_call.launch}};
}

ThreadOfCall read_thread(const Json& json) {
  return {{json.at("block").get<Index3>(), json.at("thread").get<Index3>()}, json.at("launch")};
}

}  // namespace

void write_job(const fs::path& folder, const DebugJob& job,
               const std::vector<std::byte>& matrices) {
  Json json = {{"hello", encode(job.hello)}, {"call", encode(job.call)}, {"text", job.text}};
  if (job.stop) json["stop"] = to_value(*job.stop);
  if (job.element) {
    json["element"] = {{"matrix", job.element->matrix},
                       {"offset", job.element->offset},
                       {"bytes", job.element->bytes}};
  }
  write_text(folder / job_file, json.dump());
  write_bytes(folder / matrices_file, reinterpret_cast<const char*>(matrices.data()),
              matrices.size());
}

DebugJob read_job(const fs::path& folder) {
  const Json json = Json::parse(read_bytes(folder / job_file));
  DebugJob job;
  job.hello = decode_hello(json.at("hello").get<std::string>());
  job.call = decode_call(json.at("call").get<std::string>());
  job.text = json.at("text");
  if (json.contains("stop")) job.stop = read_thread(json["stop"]);
  if (json.contains("element")) {
    const Json& element = json["element"];
    job.element = WatchedElement{element.at("matrix"), element.at("offset"), element.at("bytes")};
  }
  return job;
}

std::vector<std::byte> read_matrices(const fs::path& folder) {
  const std::string bytes = read_bytes(folder / matrices_file);
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

void write_writer(const fs::path& folder, const ThreadOfCall& writer) {
  write_text(folder / writer_file, to_value(writer).dump());
}

std::optional<ThreadOfCall> read_writer(const fs::path& folder) {
  if (!fs::exists(folder / writer_file)) return std::nullopt;
  return read_thread(Json::parse(read_bytes(folder / writer_file)));
}

}  // namespace tilewise::grading

#include "common/simt/program/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "common/base/language.hpp"

namespace tilewise::program {
namespace {

using Json = nlohmann::ordered_json;

std::FILE* open(const std::string& path) {
  if (path.empty()) return nullptr;
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) {
    fmt::print(stderr, "tilewise: {}\n", tr("cannot write {}: {}", path, std::strerror(errno)));
  }
  return file;
}

bool is_the_same(const simt::Finding& a, const simt::Finding& b) {
  const auto place = [](const simt::Finding& f) {
    return std::tie(f.kind, f.file, f.line, f.other_file, f.other_line);
  };
  return place(a) == place(b) && (a.line != 0 || a.message == b.message);
}

Json launch_json(const simt::LaunchRecord& launch) {
  return {{"kernel", launch.kernel}, {"grid", launch.grid},
          {"block", launch.block},   {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"file", launch.file},     {"line", launch.line}};
}

Json counters_json(const simt::Counters& counters) {
  Json json = Json::object();
  for (const simt::NamedCounter& counter : simt::all_counters) {
    json[counter.name] = counters.*counter.value;
  }
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string in_words(const simt::Finding& found) {
  std::string text;
  if (!found.file.empty()) text += found.file + ":";
  if (found.line != 0) text += fmt::format("{}:", found.line);
  if (!text.empty()) text += " ";
  text += found.kind + ": " + found.message;
  if (!found.hint.empty()) text += ". " + found.hint;
  return text;
}

Report::Report(const Options& options)
    : options_(options), output_(open(options.output)), events_(open(options.events)) {}

int Report::descriptor() const { return fileno(output_ == nullptr ? stderr : output_); }

int Report::event_descriptor() const { return events_ == nullptr ? -1 : fileno(events_); }

void Report::tell(const simt::Finding& found) {
  if (!options_.tool.empty() && !belongs_to(options_.tool, found.kind)) return;
  const auto known = std::ranges::find_if(
      told_, [&](const Told& told) { return is_the_same(told.finding, found); });
  if (known != told_.end()) {
    ++known->times;
    write_event(text_of({{"again", known - told_.begin()}}));
    return;
  }
  told_.push_back({found});
  Json json;
  json["finding"] = nlohmann::json(found);
  write_event(text_of(json));
  print(in_words(found));
}

void Report::tell(const simt::LaunchRecord& launch) {
  write_event(text_of({{"launch", launch_json(launch)}}));
}

void Report::tell(const simt::KernelProfile& profile) {
  Json lines = Json::array();
  for (const simt::LineCounters& line : profile.lines) {
    lines.push_back(
        {{"file", line.file}, {"line", line.line}, {"counters", counters_json(line.counters)}});
  }
  Json json = launch_json(profile.launch);
  json["static_shared_bytes"] = profile.static_shared_bytes;
  json["blocks"] = profile.blocks;
  json["simulated_blocks"] = profile.simulated_blocks;
  json["counters"] = counters_json(profile.counters);
  json["lines"] = lines;
  write_event(text_of({{"profile", json}}));
}

void Report::end() {
  for (const Told& told : told_) {
    if (told.times == 1) continue;
    const simt::Finding& found = told.finding;
    print(tr("{}:{}: {}: {} times in all", found.file, found.line, found.kind, told.times));
  }
  if (!told_.empty()) {
    print(told_.size() == 1 ? tr("1 finding") : tr("{} findings", told_.size()));
  }
  write_event(text_of({{"end", true}}));
  if (output_ != nullptr) std::fclose(output_);
  if (events_ != nullptr) std::fclose(events_);
  output_ = events_ = nullptr;
}

void Report::print(std::string_view line) const {
  std::fflush(stdout);  // so that the program's earlier output comes first
  fmt::print(output_ == nullptr ? stderr : output_, "tilewise: {}\n", line);
  if (output_ != nullptr) std::fflush(output_);
}

void Report::write_event(const std::string& json) const {
  if (events_ == nullptr) return;
  fmt::print(events_, "{}\n", json);
  std::fflush(events_);
}

}  // namespace tilewise::program

#include "grading/builder/module_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// Enough for a class's resubmissions to every stage, in both flavours, modules and objects; each
// takes some hundred kilobytes.
constexpr ModuleCache::Limits cache_limits{1024, std::uintmax_t{1} << 30};

constexpr const char* key_file = "key";
constexpr const char* module_file = "module.so";

bool holds_exactly(const fs::path& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  return file && std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

/// Returns the size of an entry's files.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const char* name : {key_file, module_file}) {
    const std::uintmax_t size = fs::file_size(folder / name, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

ModuleCache::ModuleCache(fs::path folder, Limits limits)
    : folder_(std::move(folder)), limits_(limits) {}

bool ModuleCache::fetch(const std::string& key, const fs::path& destination) const {
  if (!holds_exactly(entry(key) / key_file, key)) return false;
  std::error_code error;
  // A copy, because the entry may be dropped while the module is in use.
  return fs::copy_file(entry(key) / module_file, destination, fs::copy_options::overwrite_existing,
                       error);
}

void ModuleCache::store(const std::string& key, const fs::path& module) const {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(module, error);
  if (error || key.size() + bytes > limits_.bytes / 4) return;
  // The entry is written under a temporary name and then renamed, so that nobody ever sees half of
  // it.
  const fs::path fresh = folder_ / fmt::format("new-{}", ::getpid());
  fs::remove_all(fresh, error);
  fs::create_directories(fresh, error);
  if (error) return;
  std::ofstream key_stream(fresh / key_file, std::ios::binary);
  key_stream << key << std::flush;
  if (key_stream && fs::copy_file(module, fresh / module_file, error)) {
    fs::remove_all(entry(key), error);
    fs::rename(fresh, entry(key), error);
  }
  fs::remove_all(fresh, error);
  drop_oldest();
}

fs::path ModuleCache::entry(const std::string& key) const {
  return folder_ / fmt::format("{:016x}", std::hash<std::string>{}(key));
}

void ModuleCache::drop_oldest() const {
  struct Entry {
    fs::file_time_type time;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& item : fs::directory_iterator(folder_, error)) {
    const auto time = fs::last_write_time(item.path(), error);
    if (!error) entries.push_back({time, item.path(), bytes_in(item.path())});
  }
  std::ranges::sort(entries, std::ranges::greater(), &Entry::time);
  std::uintmax_t bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    bytes += entries[i].bytes;
    if (i >= limits_.modules || bytes > limits_.bytes) fs::remove_all(entries[i].path, error);
  }
}

ModuleCache course_cache() {
  const auto [root, build] = layout();
  // A build that came with a container image may belong to another user.
  const bool is_ours = ::access(build.c_str(), W_OK) == 0;
  return {(is_ours ? build : root / "build") / "cache", cache_limits};
}

std::string stamp(const fs::path& file) {
  std::error_code ignored;
  const auto time = fs::last_write_time(file, ignored).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.string(), fs::file_size(file, ignored), time);
}

}  // namespace tilewise::grading

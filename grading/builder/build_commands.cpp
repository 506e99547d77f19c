#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/base/files.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/module_cache.hpp"
#include "grading/builder/object_judge.hpp"
#include "grading/builder/stage_build.hpp"

// The commands of a build, the files that they read and write, and the keys under which a cache
// keeps these.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// The beginning of the names that replace host functions in calls; a number follows.
constexpr std::string_view host_call = "tilewise_simt_host_call_";

/// Returns what "native" in a compiler's options stands for. It is part of the key, because a build
/// folder may be carried to, or shared with, a machine of another kind.
std::string this_machine() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string cpus = core::text_of("/proc/cpuinfo");  // empty where there is no /proc
  const std::size_t flags = std::min(cpus.find("\nflags"), cpus.find("\nFeatures"));
  if (flags == cpus.npos) return name;
  return name + cpus.substr(flags, cpus.find('\n', flags + 1) - flags);
}

}  // namespace

std::vector<std::string> Build::preprocess_command(std::size_t i) const {
  std::vector<std::string> command = tools_.compile;
  std::ranges::copy(tools_.preprocess, std::back_inserter(command));
  // The contract is included first, so that a function that differs from it is an error in the
  // place where it stands.
  command.insert(command.end(), {"-include", contract(stage_.sources[i])});
  command.insert(command.end(), {"-E", source_path(i), "-o", preprocessed_path(i)});
  return command;
}

std::vector<std::string> Build::compile_command(std::size_t i) const {
  std::vector<std::string> command = tools_.compile;
  if (!tools_.compile_through.empty()) command.insert(command.begin(), tools_.compile_through);
  if (!preprocesses()) {
    command.insert(command.end(), {"-include", contract(stage_.sources[i])});
  }
  const fs::path source = preprocesses() ? preprocessed_path(i) : source_path(i);
  if (tools_.dumps_statements) {
    command.push_back("-fdump-tree-optimized-lineno=" + dump_path(i).string());
    command.push_back("-fdump-tree-tsan-lineno=" + accesses_path(i).string());
    // Writes debug information on all types, because the dumps give only their names, and none
    // that would add statements to the dumps.
    command.insert(command.end(), {"-g", "-fno-eliminate-unused-debug-types",
                                   "-fno-var-tracking-assignments", "-gno-statement-frontiers"});
  }
  command.insert(command.end(), {"-c", source, "-o", object_path(i)});
  return command;
}

std::vector<std::string> Build::gather_command(std::size_t i,
                                               const std::vector<std::string>& sections) const {
  // The options go into a file, because there may be more of them than a command may have
  // arguments.
  const fs::path list = linked_path(i).replace_extension(".sections");
  std::ofstream file(list);
  for (const std::string& section : sections) {
    file << fmt::format("--rename-section '{}={}'\n", section, device_code_section);
  }
  for (std::size_t host = 0; host < host_functions_.size(); ++host) {
    file << fmt::format("--redefine-sym '{}={}{}'\n", host_functions_[host], host_call, host);
  }
  return {"objcopy", "@" + list.string(), object_path(i), linked_path(i)};
}

void Build::write_host_calls() const {
  std::ofstream file(host_calls_path());
  file << ".section .note.GNU-stack, \"\", @progbits\n.text\n";
  for (std::size_t host = 0; host < host_functions_.size(); ++host) {
    file << fmt::format(
        ".globl {0}{1}\n.hidden {0}{1}\n.type {0}{1}, @function\n{0}{1}: endbr64\n"
        "movq {2}@GOTPCREL(%rip), %r11\njmp __x86_indirect_thunk_r11\n",
        host_call, host, host_functions_[host]);
  }
}

std::vector<std::string> Build::link_command() const {
  std::vector<std::string> command = tools_.link;
  for (std::size_t i = 0; i < sources_.size(); ++i) command.push_back(linked_path(i));
  if (!host_functions_.empty()) command.push_back(host_calls_path());
  command.push_back(binding_);
  command.insert(command.end(), tools_.libraries.begin(), tools_.libraries.end());
  command.insert(command.end(), {"-o", module_});
  return command;
}

std::string Build::without_scratch(std::string text) const {
  const std::string prefix = scratch_.string() + "/";
  for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
  return text;
}

std::string Build::object_key(std::size_t i) const {
  // The executable is part of the key, because another version may judge by other rules. So is
  // the sandbox, in which a source finds less to include.
  std::error_code unknown;
  std::string key = stamp(fs::read_symlink("/proc/self/exe", unknown)) + this_machine() +
                    (sandbox_ ? "\nin a sandbox\n" : "\n");
  for (const std::string& word : compile_command(i)) key += without_scratch(word) + "\n";
  if (preprocesses()) {
    for (const std::string& word : preprocess_command(i)) key += without_scratch(word) + "\n";
  }
  for (const std::string& source : stage_.sources) key += stamp(contract(source));
  for (const fs::path& input : tools_.inputs) key += stamp(input);
  key += stamp(find_program(tools_.compile.front()));
  return key + fmt::format("{}\n{}", sources_[i].size(), sources_[i]);
}

std::string Build::module_key() const {
  std::string key = stamp(binding_);
  for (const std::string& word : link_command()) key += without_scratch(word) + "\n";
  for (std::size_t i = 0; i < sources_.size(); ++i) key += object_key(i);
  return key;
}

fs::path Build::contract(const std::string& source) const {
  return layout().root / "labs" / stage_.id / fs::path(source).replace_extension(".hpp");
}

fs::path Build::source_path(std::size_t i) const {
  return scratch_ / fs::path(stage_.sources[i]).replace_extension(tools_.source_extension);
}

fs::path Build::preprocessed_path(std::size_t i) const {
  return scratch_ / fs::path(stage_.sources[i]).replace_extension(".ii");
}

fs::path Build::object_path(std::size_t i) const {
  return scratch_ / fs::path(stage_.sources[i]).replace_extension(".o");
}

fs::path Build::dump_path(std::size_t i) const { return object_path(i).replace_extension(".dump"); }

fs::path Build::accesses_path(std::size_t i) const {
  return object_path(i).replace_extension(".accesses");
}

fs::path Build::calls_path(std::size_t i) const {
  return object_path(i).replace_extension(".calls");
}

fs::path Build::linked_path(std::size_t i) const {
  const bool is_gathered = is_judged_ && !tools_.simulator.empty();
  return is_gathered ? object_path(i).replace_extension(".device.o") : object_path(i);
}

}  // namespace tilewise::grading

#include "grading/progress/progress_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/process/command.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/progress/progress_json.hpp"
#include "grading/report/file_text.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void unusable(const fs::path& file, const std::string& why) {
  const std::string name = printable(file.string());
  throw CannotGrade(
      fmt::format("{} {}.\nMove it away (mv {} {}.old) or delete it, and a new one is begun; "
                  "your kernels are not in it",
                  name, why, name, name));
}

/// Holds the lock of a course until the end of its scope. A file of its own: the one it guards is
/// replaced each time.
class Lock {
 public:
  explicit Lock(const fs::path& root) : Lock() {
    const fs::path file = root / ".progress.lock";
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(file);
    while (::flock(descriptor_, LOCK_EX) != 0) {
      if (errno != EINTR) fail(file);
      throw_if_interrupted();
    }
  }
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Lock() = default;  // so that the destructor runs where the other constructor throws

  [[noreturn]] static void fail(const fs::path& file) {
    throw CannotGrade(
        fmt::format("cannot lock {}: {}", printable(file.string()), std::strerror(errno)));
  }

  int descriptor_ = -1;
};

}  // namespace

fs::path progress_file(const fs::path& root) { return root / "progress.json"; }

Progress read_progress(const fs::path& root) {
  const fs::path file = progress_file(root);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() != fs::file_type::regular) unusable(file, "is no file that can be read");
  if (!std::ifstream(file)) unusable(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string schema;
  try {
    const Json document = Json::parse(text_of(file));
    schema = document.at("schema").get<std::string>();
    if (schema == progress_schema) return document.get<Progress>();
  } catch (const std::exception& problem) {
    unusable(file, fmt::format("is damaged ({})", printable(problem.what())));
  }
  unusable(file, fmt::format("has the schema '{}', and this Tilewise knows '{}': a newer one may "
                             "have written it",
                             printable(schema), progress_schema));
}

void change_progress(const fs::path& root, const std::function<void(Progress& progress)>& change) {
  const Lock lock(root);
  Progress progress = read_progress(root);
  change(progress);
  write_whole(progress_file(root), to_file(progress));
}

}  // namespace tilewise::grading

#include "grading/cohort/pseudonyms.hpp"

#include <fmt/format.h>

#include <random>
#include <system_error>

#include "grading/cohort/tables.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

Pseudonyms::Pseudonyms(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  if (!fs::exists(file_, error)) return;
  for (const TableRow& row : read_table(file_).rows) {
    const std::string pseudonym = row["pseudonym"], name = row["name"];
    const bool is_new = !pseudonym.empty() && taken_.insert(pseudonym).second;
    if (!is_new || name.empty() || !of_name_.emplace(name, pseudonym).second) {
      throw CannotGrade(
          fmt::format("{}:{}: a row has a pseudonym and a name, each of which stands there once",
                      printable(file_.string()), row.line));
    }
  }
}

std::string Pseudonyms::of(const std::string& name) {
  // As the file has it, where nothing is a formula.
  const bool is_like_a_formula = name.find_first_of("=+-@") == 0;
  const std::string key = (is_like_a_formula ? "'" : "") + first_line(name);
  if (const auto known = of_name_.find(key); known != of_name_.end()) return known->second;
  std::random_device random;
  std::string pseudonym;
  do {
    pseudonym = fmt::format("s{:07x}", random() & 0xFFFFFFF);
  } while (!taken_.insert(pseudonym).second);
  of_name_.emplace(key, pseudonym);
  return pseudonym;
}

void Pseudonyms::write() const {
  std::string text = byte_order_mark + csv_row({"pseudonym", "name"});
  for (const auto& [name, pseudonym] : of_name_) text += csv_row({pseudonym, name});
  write_whole(file_, text);
  std::error_code ignored;  // some file systems have no permissions
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

}  // namespace tilewise::grading

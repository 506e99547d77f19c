#include <fmt/format.h>

#include "grading/doctor/checkup.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_doctor(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("doctor", "Say what is installed, which backend will run, what to install")
      ->callback([&status] {
        const Checkup checkup = examine_machine();
        fmt::print("{}", to_text(checkup));
        status = checkup.can_run ? ExitStatus::passed : ExitStatus::could_not_grade;
      });
}

}  // namespace tilewise::grading

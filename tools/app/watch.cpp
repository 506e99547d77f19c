#include "grading/watch/watch.hpp"

#include <memory>
#include <string>

#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_watch(CLI::App& app, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "watch", "Grade a stage each time you save it, with keys for hints and the next stage");
  command->add_option("STAGE", *word,
                      "03_shared_memory, 03 or 3; the current one if none is named");
  command->callback([word, &status] {
    watch(*word);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading

#include "grading/cohort/slurm.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/files.hpp"

// Tests what is sent to Slurm and read from it; slurm_engine_test.cpp uses Slurm itself.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST(Slurm, TellsItsTasks) {
  EXPECT_THAT(parse_tasks("tilewise-1|12|0|RUNNING|None\n"
                          "tilewise-1|12|17|PENDING|Resources\n"
                          "tilewise-1|12|2|CANCELLED by 0|a|b\n"
                          "other|13|N/A|PENDING|Priority\n"
                          "slurm_load_jobs error: no\n"
                          "\n"),
              ElementsAre(SlurmTask{"tilewise-1", "12", 0, "RUNNING", "None"},
                          SlurmTask{"tilewise-1", "12", 17, "PENDING", "Resources"},
                          SlurmTask{"tilewise-1", "12", 2, "CANCELLED", "a"}));
}

TEST(Slurm, TellsOfATaskWithoutANumber) {
  for (const char* list : {"0,2,4,...", "0-3", "", "7x"}) {
    const std::string line = std::string("tilewise-1|12|") + list + "|PENDING|None\n";
    EXPECT_THAT([&] { parse_tasks(line); }, ThrowsMessage<CannotGrade>(HasSubstr("Slurm lists")))
        << list;
  }
}

SlurmTask task_in(const std::string& state) { return {"tilewise-1", "12", 0, state, "None"}; }

TEST(Slurm, TellsWhichTasksAreOver) {
  for (const char* state : {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING",
                            "REQUEUED", "SPECIAL_EXIT", "STOPPED"}) {
    EXPECT_FALSE(task_in(state).is_over()) << state;
  }
  for (const char* state : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL",
                            "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL", "DEADLINE"}) {
    EXPECT_TRUE(task_in(state).is_over()) << state;
  }
}

/// Replaces Slurm's commands by shell scripts.
class SlurmCommandsTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("PATH", (scratch_.path().string() + ":" + path_).c_str(), 1); }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void put(const std::string& command, const std::string& body) const {
    const fs::path file = scratch_.path() / command;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }

  std::string arguments() const { return text_of(scratch_.path() / "arguments"); }

  const SlurmArray array_{.job_name = "tilewise-1",
                          .script = "/out/1.sh",
                          .folder = "/out",
                          .output = "1-%a.log",
                          .tasks = 10,
                          .at_a_time = 3,
                          .after = {"7", "8"}};
  const std::string path_ = std::getenv("PATH");
  ScratchDirectory scratch_;
};

TEST_F(SlurmCommandsTest, AreToldAllOfAnArray) {
  put("sbatch", "printf '%s\\n' \"$@\" >'" + (scratch_.path() / "arguments").string() +
                    "'\necho 'Be kind to the cluster.' >&2; echo '12;main'");
  EXPECT_EQ(submit(array_).id, "12");
  EXPECT_EQ(arguments(),
            "--parsable\n--array=0-9%3\n--job-name=tilewise-1\n--chdir=/out\n--output=1-%a.log\n"
            "--dependency=afterany:7:8\n/out/1.sh\n");
  SlurmArray unlimited = array_;
  unlimited.at_a_time = 0;
  unlimited.after.clear();
  submit(unlimited);
  EXPECT_THAT(arguments(), HasSubstr("--array=0-9\n"));
  EXPECT_THAT(arguments(), Not(HasSubstr("--dependency")));
}

TEST_F(SlurmCommandsTest, SayWhatTheyDoNotLike) {
  put("sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1");
  EXPECT_THAT(
      [&] { submit(array_); },
      ThrowsMessage<CannotGrade>(HasSubstr("does not take the jobs: sbatch: error: no such")));
  put("sbatch", "echo 'welcome'");
  EXPECT_THAT([&] { submit(array_); }, ThrowsMessage<CannotGrade>(HasSubstr("welcome")));
  put("squeue", "echo 'squeue: error: no answer' >&2; exit 1");
  EXPECT_THAT([&] { tasks_of({"tilewise-1"}); },
              ThrowsMessage<CannotGrade>(HasSubstr("squeue: error: no answer")));
  EXPECT_TRUE(tasks_of({}).empty()) << "nobody to ask for";
}

TEST_F(SlurmCommandsTest, SayWhenTheClusterTakesNoMore) {
  const struct {
    const char* words;
    bool goes_on, will_pass;
  } cases[] = {
      {"Slurm temporarily unable to accept job, sleeping and retrying", true, true},
      {"Batch job submission failed: Resource temporarily unavailable", false, true},
      {"Batch job submission failed: Unable to contact slurm controller (connect failure)", false,
       true},
      {"Batch job submission failed: Job violates accounting/QOS policy (job submit limit)", false,
       false},
      {"AssocMaxSubmitJobLimit", false, false},
      {"Batch job submission failed: Invalid job array specification", false, false},
  };
  for (const auto& [words, goes_on, will_pass] : cases) {
    put("sbatch",
        fmt::format("echo 'sbatch: error: {}' >&2; {}exit 1", words, goes_on ? "sleep 100; " : ""));
    const SlurmAnswer answer = submit(array_);
    EXPECT_EQ(answer.id, "") << words;
    EXPECT_THAT(answer.words, HasSubstr(words));
    EXPECT_EQ(answer.will_pass, will_pass) << words;
  }
}

TEST_F(SlurmCommandsTest, AreReadToTheEnd) {
  // Like squeue, prints one line per task of each array that is asked for, so many that the output
  // is cut.
  put("squeue",
      R"(for argument; do case $argument in --name=*) names=${argument#--name=};; esac; done
    for name in $(echo "$names" | tr , ' '); do
      awk -v name="$name" 'BEGIN { for (i = 0; i < 2000; ++i)
        print name "|12|" i "|PENDING|Held by the user who has submitted it" }'
    done)");
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back(fmt::format("tilewise-{}", i));
  EXPECT_EQ(tasks_of(names).size(), 20'000u);
  EXPECT_EQ(tasks_of(names).back(), (SlurmTask{"tilewise-9", "12", 1999, "PENDING",
                                               "Held by the user who has submitted it"}));

  put("squeue", "head -c 1000000 /dev/zero | tr '\\0' x");
  EXPECT_THAT([&] { tasks_of({"tilewise-1"}); },
              ThrowsMessage<CannotGrade>(HasSubstr("longer than what is read of it")));
}

class SlurmBatchTest : public testing::Test {
 protected:
  ScratchDirectory scratch_;
  Ledger ledger_{scratch_.path() / "it's out"};
};

TEST_F(SlurmBatchTest, IsFoundUntilItIsRemoved) {
  EXPECT_THAT(find_batches(ledger_), testing::IsEmpty());
  const std::vector<std::string> names = {"anna", "two\nlines", "\xff"};
  const SlurmBatch batch = begin_batch(names, ledger_);
  EXPECT_NE(begin_batch({"fay"}, ledger_).id, batch.id);
  EXPECT_EQ(find_batches(ledger_).size(), 2);
  EXPECT_EQ(read_batch(batch.id, ledger_.folder()).names, names);
  remove_batch(batch, ledger_);
  EXPECT_EQ(find_batches(ledger_).size(), 1);
  EXPECT_THAT([&] { read_batch(batch.id, ledger_.folder()); },
              ThrowsMessage<CannotGrade>(HasSubstr("was given up")));
}

TEST_F(SlurmBatchTest, IsRunByAScriptWithoutSecrets) {
  const SlurmBatch batch{"0123", {"anna"}};
  const std::string out = scratch_.path().string() + "/it'\\''s out";
  EXPECT_EQ(job_script(batch, ledger_, false, "--time=0:30:00 --comment='a b'"),
            "#!/bin/sh\n"
            "#SBATCH --time=0:30:00 --comment='a b'\n"
            "export TILEWISE_ROOT='" +
                layout().root.string() +
                "'\n"
                "exec '" +
                tool("tilewise").string() + "' cohort grade-one --out '" + out +
                "' --batch 0123 --task \"$SLURM_ARRAY_TASK_ID\"\n");
}

TEST_F(SlurmBatchTest, AsksForAGpuWhereOneIsWanted) {
  const struct {
    bool with_gpu;
    const char* arguments;
    bool asks;
  } cases[] = {{true, "", true},
               {true, "--partition=gpu", true},
               {true, "--gres=gpu:a100:1", false},
               {true, "-p gpu --gpus=1", false},
               {false, "", false}};
  for (const auto& [with_gpu, arguments, asks] : cases) {
    const std::string script = job_script({"0123", {}}, ledger_, with_gpu, arguments);
    EXPECT_EQ(script.find("\n#SBATCH --gres=gpu:1\n") != script.npos, asks) << arguments;
  }
  EXPECT_THAT(
      [&] {
        job_script({"0123", {}}, ledger_, false, "--time=1\nreboot");
      },
      ThrowsMessage<CannotGrade>(HasSubstr("line break")));
}

}  // namespace
}  // namespace tilewise::grading

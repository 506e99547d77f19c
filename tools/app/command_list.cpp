#include "common/base/language.hpp"
#include "grading/builder/built_parts.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* course = "tilewise";

constexpr ListedCommand commands[] = {
    {"list", course, marked("List the stages")},
    {"status", course, marked("Your points, stages and best rates so far")},
    {"worklog", course, marked("What you tried and what it gave, a line each grading"),
     "./lab worklog 3 --html worklog.html"},
    {"watch", course,
     marked("Grade a stage each time you save it, with keys for hints and the next stage")},
    {"grade", course, marked("Compile, run and grade kernels"), "./lab grade 03_shared_memory"},
    {"hint", course, marked("Help with what failed last; each time it is asked, a little more")},
    {"mend", course, marked("Try small changes of a kernel that fails, and tell one that mends it"),
     "./lab mend 03_shared_memory"},
    {"next", course, marked("Go on to the next stage")},
    {"reset", course, marked("Begin a stage anew; what you wrote is kept beside it"),
     "./lab reset 03_shared_memory"},
    {"predict", measuring_program,
     marked("Ask what a stage's kernels will do, then count it: prediction beside count"),
     "./lab predict 3"},
    {"trace", measuring_program,
     marked("Show what each thread of a small call loads, uses and writes, as a page to look at"),
     "./lab trace 03_shared_memory"},
    {"debug", measuring_program,
     marked("Stop in a kernel in gdb, on the simulator, at the block and thread that fail"),
     "./lab debug 03_shared_memory"},
    {"coverage", measuring_program,
     marked("Show which lines of your kernel files the tests reach on the simulator"),
     "./lab coverage 03_shared_memory"},
    {"bench", measuring_program,
     marked("Compare kernels with the solution, the stage before and a library, over sizes"),
     "./lab bench 03_shared_memory --n 256,1000"},
    {"report", measuring_program,
     marked("Write a laboratory report on your kernels, one HTML file to fill in and print"),
     "./lab report 03_shared_memory"},
    {"profile", measuring_program,
     marked("Run one call on the simulator and show what its kernels do in memory, by line"),
     "./lab profile 03_shared_memory --call 'matmul_shared(n=1024, tile=32)'"},
    {"check", checking_program,
     marked("Run any CUDA program on the simulator and say what is wrong in it, by line"),
     "./lab check -I include sum.cu 1000"},
    {"ptx", measuring_program,
     marked("Show beside each line of your kernels what nvcc makes of it: PTX and SASS"),
     "./lab ptx 03_shared_memory"},
    {"occupancy", measuring_program,
     marked("Work out how the blocks of a launch fill the multiprocessors of a GPU"),
     "./lab occupancy --gpu gtx1080 --block 16x16 --registers 40 --shared 4096"},
    {"cohort", cohort_program, marked("For instructors: many submissions at once"),
     "./lab cohort grade submissions/ --out graded/"},
    {"autograder", cohort_program,
     marked("For instructors: write an autograder for Gradescope, a zip archive"),
     "./lab autograder 03_shared_memory --out autograder.zip"},
    {"pack", cohort_program,
     marked("Take the course along as it is built here, for machines that cannot build it"),
     "./lab pack --out tilewise.tar.gz"},
    {"skeletons", course, marked("For maintainers: write labs/ from what is marked in solutions/")},
    {"completion", course,
     marked("Write what lets a shell complete lab's commands, options, stages and GPUs")},
    {"doctor", course, marked("Say what is installed, which backend will run, what to install")},
    {"update", course, marked("Bring a newer course; your kernels are kept")},
    {"test", course, marked("Test Tilewise itself: units, every solution and skeleton")},
    {"help", course, marked("Show this")},
};

}  // namespace

std::span<const ListedCommand> listed_commands() { return commands; }

}  // namespace tilewise::grading

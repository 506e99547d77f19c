#!/usr/bin/env bash
#
# Gradescope runs this once, as root, when it makes the image in which submissions are graded. The
# script installs and builds Tilewise, so that grading has to build only the submission.
# AUTOGRADER_ROOT: where Gradescope's folders are.

set -euo pipefail

source=${AUTOGRADER_ROOT:-/autograder}/source

export CI=true
if ! "$source/course/lab" list || ! "$source/course/lab" __build tilewise-cohort tilewise_all_stages; then
  echo "setup.sh: Tilewise could not be built, see above." >&2
  echo "setup.sh: where a compiler or CMake is too old, choose a base image of Ubuntu 24.04." >&2
  exit 1
fi
# Grading does not run as root, so all users must be able to read these files.
chmod -R a+rX "$source"

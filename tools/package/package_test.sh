#!/usr/bin/env bash
#
# package_test.sh FOLDER_OF_CMAKE_FILES: makes releases of a very small course by the real rules. It
# tests what a release contains, that it has notes, and that users of the Debian package get their
# own copy of the course. It exits with 77 if cpack, git or dpkg-deb is missing.

set -euo pipefail

cmake_files=$(cd -P -- "$1" && pwd)
package=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
for tool in cpack git dpkg-deb; do
  command -v "$tool" >/dev/null || {
    echo "skipped: $tool is not installed"
    exit 77
  }
done

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}
# expect WHAT TEXT PATTERN
expect() { [[ $2 == *$3* ]] || fail "$1: no '$3' in: $2"; }
lacks() { [[ $2 != *$3* ]] || fail "$1: '$3' in: $2"; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Makes the course, and a build whose `tilewise pack` packs the same files as the real one.
mkdir -p course/{cmake,grading,labs/01_one,tools/package} build/bin
cp "$cmake_files"/{TilewiseRelease,fill_package}.cmake course/cmake
cp "$package/lab" course/tools/package
printf '#!/bin/sh\necho "$0 runs: $*"\n' >course/lab
chmod +x course/lab
echo kernel >course/labs/01_one/one.cu
echo rule >course/grading/rule
cat >course/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(tilewise VERSION 1.2.3 DESCRIPTION "A course" LANGUAGES NONE)
include(cmake/TilewiseRelease.cmake)
END
cat >build/bin/tilewise <<'END'
#!/bin/sh
set -e
[ "$1 $2" = "pack --out" ]
mkdir -p pack/tilewise/build/pack/bin
cp -R ../course/lab ../course/labs ../course/grading pack/tilewise
echo built >pack/tilewise/build/pack/bin/tilewise
tar czf "$3" -C pack tilewise
END
chmod +x build/bin/tilewise
printf '# Changelog\n\n## Unreleased\n\n- later\n' >course/CHANGELOG.md
commit() {
  git -C course add -A
  git -C course -c user.name=a -c user.email=a@example.org commit --quiet --message "$1"
}
git init --quiet course
commit one
cmake -S course -B build >log

cpack --config build/CPackSourceConfig.cmake >log 2>&1 && fail "a release without notes"
expect "no notes" "$(tr '\n' ' ' <log)" "has no section '## 1.2.3,"

printf '\n## 1.2.3, 2026-11-23\n\n- what is new; and more\n\n## 1.2.2, 2026-01-01\n\n- old\n' >>course/CHANGELOG.md
commit two
echo mine >course/labs/01_one/notes
cpack --config build/CPackSourceConfig.cmake >log 2>&1 || fail "sources: $(cat log)"
notes=$(cat build/packages/tilewise-1.2.3.md)
expect notes "$notes" $'## 1.2.3, 2026-11-23\n\n- what is new; and more'
lacks notes "$notes" later
lacks notes "$notes" old
sources=$(tar tzf build/packages/tilewise-1.2.3.tar.gz)
expect sources "$sources" tilewise-1.2.3/labs/01_one/one.cu
lacks sources "$sources" notes
lacks sources "$sources" .git/

(cd build && cpack --config CPackConfig.cmake) >log 2>&1 || fail "package: $(cat log)"
deb=$(echo build/packages/tilewise_1.2.3_*.deb)
expect package "$(dpkg-deb --field "$deb" Depends)" g++
dpkg-deb --extract "$deb" root
export TILEWISE_INSTALLED=$scratch/root/opt/tilewise
lab=$scratch/root/usr/bin/lab
expect version "$($lab --version)" "$TILEWISE_INSTALLED/lab runs: --version"
expect "no copy" "$($lab grade 1 2>&1)" "lab start tilewise"
mkdir home
cd home
expect start "$($lab start "my course")" 'cd my course'
[[ -x "my course/lab" && -f "my course/labs/01_one/one.cu" && ! -e "my course/build" ]] || fail "the copy: $(find .)"
expect again "$($lab start "my course" 2>&1)" "is there already"
cd "my course/labs"
expect "in the copy" "$($lab grade 1)" "my course/lab runs: grade 1"

#!/usr/bin/env bash
#
# update.sh COURSE: brings a newer course into a clone of it; the student's kernels are kept. What
# `./lab update` runs; it needs nothing built, so that it can mend a course that does not build.
#
# git finds out what changed and merges. Nothing in the course's folder changes before it is clear
# that everything can be done; what was there before is kept as refs/tilewise/backup/TIME.
# Exit status: 0 up to date now, 2 not, and nothing was changed.
#
# Replaces itself and the `lab` that started it: all of it is in functions, which bash has read by
# then, and its last line leaves. Keeps to what bash 3.2 knows.

set -Eeuo pipefail
trap 'exit 2' ERR
unset CDPATH GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

note() { printf 'lab: %s\n' "$*"; }

fail() {
  local line
  for line in "$@"; do printf 'lab: %s\n' "$line" >&2; done
  exit 2
}

in_course() { git -C "$course" "$@"; }

# --- What stands in the way ------------------------------------------------------------------

check_clone() {
  command -v git >/dev/null || fail "git is not installed; install it with: sudo apt-get install git"
  if [[ ! -e $course/.git ]]; then
    fail "$course is not a clone of the course's repository, so there is nothing to update it from." \
      "A copy from an archive is updated by hand: get the new archive, unpack it beside this" \
      "folder, and copy your labs/*/*.cu over. A clone (git clone) makes this one command."
  fi
  in_course rev-parse --git-dir >/dev/null || fail "git cannot read $course; its reason is above"
}

check_nothing_is_under_way() {
  local folder state
  folder=$(in_course rev-parse --absolute-git-dir)
  for state in MERGE_HEAD:merge CHERRY_PICK_HEAD:cherry-pick REVERT_HEAD:revert \
    rebase-merge:rebase rebase-apply:rebase BISECT_LOG:bisect; do
    if [[ -e $folder/${state%%:*} ]]; then
      fail "a git ${state##*:} is under way here; finish it, or give it up, then run ./lab update again" \
        "(git status says how)"
    fi
  done
  if [[ -n $(in_course ls-files --unmerged) ]]; then
    fail "some files have conflicts that nobody has settled yet (git status shows them); settle" \
      "them, then run ./lab update again"
  fi
}

# Sets branch, upstream and remote.
find_upstream() {
  if ! branch=$(in_course symbolic-ref --quiet --short HEAD); then
    fail "no branch is checked out here (a detached HEAD); go back to one, say with: git switch main"
  fi
  in_course rev-parse --quiet --verify HEAD >/dev/null || fail "the branch $branch has no commit yet"
  remote=$(in_course config "branch.$branch.remote") || remote=
  if [[ -z $remote ]] ||
    ! upstream=$(in_course rev-parse --symbolic-full-name "$branch@{upstream}" 2>/dev/null); then
    fail "the branch $branch follows no branch of the course's repository; name it once, say with:" \
      "git fetch origin && git branch --set-upstream-to=origin/main $branch"
  fi
}

fetch() {
  local url
  url=$(in_course config "remote.$remote.url") || url=$remote
  note "looking for a newer course at $url"
  in_course fetch --quiet "$remote" ||
    fail "git could not fetch from there (its reason is above): is there a network?" \
      "Nothing was changed."
}

# --- What is to be done ----------------------------------------------------------------------

# Whether a path names a file that a student writes.
is_kernel() { [[ $1 =~ ^labs/[^/]+/[^/]+\.cu$ ]]; }

# at COMMIT PATH: the object there; nothing where there is none.
at() { in_course rev-parse --quiet --verify "$1:$2" 2>/dev/null || true; }

# The object that the file in the folder would be; nothing where there is no file.
here() { if [[ -f $course/$1 ]]; then in_course hash-object -w -- "$course/$1"; fi; }

# merge_file MINE BASE THEIRS: all are objects. Sets merged; fails where they contradict each other.
merge_file() {
  local mine=$scratch/mine base=$scratch/base theirs=$scratch/theirs
  in_course cat-file blob "$1" >"$mine"
  in_course cat-file blob "$2" >"$base"
  in_course cat-file blob "$3" >"$theirs"
  git merge-file --quiet "$mine" "$base" "$theirs" 2>/dev/null || return 1
  merged=$(in_course hash-object -w -- "$mine")
}

# Sorts the kernels that the student has changed into
#   mine[i] theirs[i]  the objects; empty: there is none
#   result[i]          what is to stand in the folder in the end
#   fate[i]            untouched (by the new course), kept, merged, beside (kept, and the new skeleton
#                      beside it) or back
# in the order of kernels[i].
sort_kernels() {
  local path mine_now base_then theirs_now i=0
  kernels=() mine=() theirs=() result=() fate=()
  {
    in_course diff --name-only --no-renames -z "$base" -- labs
    in_course ls-files --others -z -- labs
    in_course diff --name-only --no-renames -z "$base" "$new" -- labs
  } | LC_ALL=C sort -zu >"$scratch/paths"
  while IFS= read -r -d '' path; do
    is_kernel "$path" || continue
    mine_now=$(here "$path") base_then=$(at "$base" "$path") theirs_now=$(at "$new" "$path")
    if [[ $mine_now == "$base_then" ]]; then continue; fi
    kernels[i]=$path mine[i]=$mine_now theirs[i]=$theirs_now result[i]=$mine_now fate[i]=kept
    if [[ $theirs_now == "$base_then" && -n $mine_now ]]; then
      fate[i]=untouched
    elif [[ -z $mine_now ]]; then
      result[i]=$theirs_now fate[i]=back
    elif [[ -n $theirs_now && $theirs_now != "$mine_now" ]]; then
      if [[ -n $base_then ]] && merge_file "$mine_now" "$base_then" "$theirs_now"; then
        result[i]=$merged fate[i]=merged
      else
        fate[i]=beside
      fi
    fi
    i=$((i + 1))
  done <"$scratch/paths"
}

# Whether a file is in the folder and in the last commit as it is in COMMIT.
is_as_in() {
  local wanted
  wanted=$(at "$1" "$2")
  [[ $(here "$2") == "$wanted" && $(at "$old" "$2") == "$wanted" && ! -L $course/$2 &&
    ! -d $course/$2 ]]
}

# Files other than kernels that both have changed, each in its own way; also those that the course
# adds where the student has one.
list_contradictions() {
  local path
  in_course diff --name-only --no-renames -z "$base" "$new" >"$scratch/paths"
  while IFS= read -r -d '' path; do
    is_kernel "$path" || is_as_in "$base" "$path" || is_as_in "$new" "$path" || printf '%s\n' "$path"
  done <"$scratch/paths"
}

refuse_contradictions() {
  local paths
  paths=$(list_contradictions)
  [[ -z $paths ]] || fail "the new course changes files that you have changed, too:" \
    "$(printf '%s' "$paths" | sed 's/^/  /')" \
    "Kernels (labs/*/*.cu) are merged or kept, but these belong to the course. Put aside what you" \
    "want to keep, take back the course's with: git restore --source=$(in_course rev-parse --short "$base") --staged --worktree FILE" \
    "(a file that you added: move it away), commit that if the change was committed, and run" \
    "./lab update again. Nothing was changed."
}

# Sets target: the commit that the branch is to be at. Where the student has committed it is a merge;
# a kernel stands in it as in the last commit, or merged where that goes.
make_target() {
  local tree path ours base_then theirs_now
  target=$new
  if [[ $base == "$old" ]]; then return; fi
  in_index read-tree "$new"
  # Other files differ from the new course only where the course has not changed them.
  in_course diff --name-only --no-renames -z "$base" "$old" >"$scratch/paths"
  while IFS= read -r -d '' path; do
    ours=$(at "$old" "$path") base_then=$(at "$base" "$path") theirs_now=$(at "$new" "$path")
    if [[ -n $ours ]]; then
      if is_kernel "$path" && [[ -n $base_then && -n $theirs_now && $theirs_now != "$ours" ]] &&
        merge_file "$ours" "$base_then" "$theirs_now"; then
        ours=$merged
      fi
      put_into_index "$ours" "$path" "$(in_course ls-tree "$old" -- "$path" | cut -d ' ' -f 1)"
    elif ! is_kernel "$path"; then
      in_index update-index --force-remove -- "$path"
    fi
  done <"$scratch/paths"
  tree=$(in_index write-tree)
  target=$(in_course commit-tree -p "$old" -p "$new" -m "Merge the newer course" "$tree")
}

# An index of our own; the student's stays as it is.
in_index() { GIT_INDEX_FILE=$scratch/index in_course "$@"; }

# put_into_index OBJECT PATH [MODE]
put_into_index() { in_index update-index --add --cacheinfo "${3:-100644},$1,$2"; }

# For commits of one who has told git no name.
choose_identity() {
  if in_course var GIT_COMMITTER_IDENT >/dev/null 2>&1; then return; fi
  export GIT_AUTHOR_NAME=Tilewise GIT_AUTHOR_EMAIL=tilewise@localhost
  export GIT_COMMITTER_NAME=Tilewise GIT_COMMITTER_EMAIL=tilewise@localhost
}

# --- Doing it --------------------------------------------------------------------------------

# A commit with all tracked files and all kernels as they are now, which no branch holds.
keep_backup() {
  local state tree i
  backup=refs/tilewise/backup/$(date -u +%Y%m%dT%H%M%SZ)
  state=$(in_course stash create)
  in_index read-tree "${state:-$old}"
  for ((i = 0; i < ${#kernels[@]}; ++i)); do
    if [[ -n ${mine[i]} ]]; then put_into_index "${mine[i]}" "${kernels[i]}"; fi
  done
  tree=$(in_index write-tree)
  in_course update-ref "$backup" \
    "$(in_course commit-tree -p "${state:-$old}" -m "Before ./lab update" "$tree")"
}

# write_kernel OBJECT PATH
write_kernel() {
  mkdir -p "$(dirname -- "$course/$2")"
  in_course cat-file blob "$1" >"$course/$2"
}

# From here on there is no way back until the end, so that no signal may come between.
apply() {
  local i
  trap '' INT TERM HUP
  for ((i = 0; i < ${#kernels[@]}; ++i)); do
    if [[ ${fate[i]} == untouched ]]; then continue; fi
    if [[ -n $(at "$old" "${kernels[i]}") ]]; then
      in_course checkout --quiet "$old" -- "${kernels[i]}"
    else
      rm -f -- "$course/${kernels[i]}"
    fi
  done
  if ! in_course reset --quiet --keep "$target"; then
    for ((i = 0; i < ${#kernels[@]}; ++i)); do
      if [[ ${fate[i]} == untouched ]]; then continue; fi
      rm -f -- "$course/${kernels[i]}"
      if [[ -n ${mine[i]} ]]; then write_kernel "${mine[i]}" "${kernels[i]}"; fi
    done
    fail "git could not change the folder; its reason is above. Your kernels are as they were" \
      "(and in $backup)"
  fi
  for ((i = 0; i < ${#kernels[@]}; ++i)); do
    if [[ ${fate[i]} == untouched ]]; then continue; fi
    if [[ -n ${result[i]} ]]; then write_kernel "${result[i]}" "${kernels[i]}"; fi
    if [[ ${fate[i]} == beside ]]; then write_kernel "${theirs[i]}" "${kernels[i]}.new"; fi
  done
}

report() {
  local i path
  note "updated from $(in_course rev-parse --short "$old") to $(in_course rev-parse --short "$new"):" \
    "$(in_course diff --name-only "$base" "$new" | wc -l | tr -d ' ') files of the course"
  for ((i = 0; i < ${#kernels[@]}; ++i)); do
    path=${kernels[i]}
    case ${fate[i]} in
      untouched | kept) note "$path: yours, as it was" ;;
      merged) note "$path: yours; what is new in the skeleton was merged into it, look it over" ;;
      back) if [[ -n ${result[i]} ]]; then note "$path was missing, and is there again"; fi ;;
      beside)
        note "$path: yours, as it was; the new skeleton could not be merged and lies beside it:"
        note "  git diff --no-index $path $path.new"
        note "  take over what you need, then remove $path.new"
        ;;
    esac
  done
  note "all as it was before: git diff $backup"
  note "one file back: git restore --source=$backup labs/NN_topic/FILE.cu"
  note "./lab grade builds what is new, which may take minutes"
}

main() {
  course=$(cd -P -- "$1" && pwd)
  check_clone
  check_nothing_is_under_way
  find_upstream
  fetch
  old=$(in_course rev-parse HEAD) new=$(in_course rev-parse "$upstream")
  if in_course merge-base --is-ancestor "$new" "$old"; then
    note "the course is up to date"
    return
  fi
  base=$(in_course merge-base "$old" "$new") ||
    fail "the branch $branch and ${upstream#refs/remotes/} have no commit in common; is that the" \
      "course's repository?"
  scratch=$(mktemp -d)
  trap 'rm -rf -- "$scratch"' EXIT
  choose_identity
  sort_kernels
  refuse_contradictions
  make_target
  keep_backup
  apply
  report
}

main "$@"
exit

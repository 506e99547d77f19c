#!/usr/bin/env bash
#
# update.sh COURSE: brings a newer version of the course into a clone of it, and keeps the student's
# kernels. `./lab update` runs this script. It needs nothing built, so it can mend a course that
# does not build.
#
# git finds out what changed, and merges it. Nothing in the course's folder changes before it is
# clear that everything can be done. The state before is kept as refs/tilewise/backup/TIME.
# Exit status: 0 if the course is up to date now, 2 if it is not, and nothing was changed.
#
# The script replaces itself and the `lab` that started it. It can, because all of it is in
# functions, which bash has read by then, and its last line exits. It uses only what bash 3.2 knows.

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

# at COMMIT PATH: prints the object that the commit has there, or nothing if it has none.
at() { in_course rev-parse --quiet --verify "$1:$2" 2>/dev/null || true; }

# here PATH: makes an object of the file in the folder and prints it, or nothing without a file.
here() { if [[ -f $course/$1 ]]; then in_course hash-object -w -- "$course/$1"; fi; }

# merge_file MINE BASE THEIRS: merges three objects. Sets merged, or fails if they contradict each
# other.
merge_file() {
  local mine=$scratch/mine base=$scratch/base theirs=$scratch/theirs
  in_course cat-file blob "$1" >"$mine"
  in_course cat-file blob "$2" >"$base"
  in_course cat-file blob "$3" >"$theirs"
  git merge-file --quiet "$mine" "$base" "$theirs" 2>/dev/null || return 1
  merged=$(in_course hash-object -w -- "$mine")
}

# Lists the kernels that the student has changed in kernels[i], and sets for each
#   mine[i] theirs[i]  the objects of the student and of the new course; empty if there is none
#   result[i]          the object that the folder will have in the end
#   fate[i]            untouched: the new course does not change the kernel
#                      kept:      the student's kernel stays as it is
#                      merged:    changes of the new course are merged into the student's kernel
#                      beside:    it stays as it is, and the new skeleton is put beside it
#                      back:      it was missing, and the course's kernel comes back
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

# is_as_in COMMIT PATH: whether the folder and the last commit have the file as COMMIT has it.
is_as_in() {
  local wanted
  wanted=$(at "$1" "$2")
  [[ $(here "$2") == "$wanted" && $(at "$old" "$2") == "$wanted" && ! -L $course/$2 &&
    ! -d $course/$2 ]]
}

# Prints the files other than kernels that both the student and the course have changed, each in its
# own way, and files that the course adds where the student already has one.
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

# Sets target, the commit that the branch will be at. It is a merge if the student has made commits:
# a kernel in it is merged where that is possible, and otherwise as in the student's last commit.
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

# Runs git with an index of its own, so that the student's index stays as it is.
in_index() { GIT_INDEX_FILE=$scratch/index in_course "$@"; }

# put_into_index OBJECT PATH [MODE]
put_into_index() { in_index update-index --add --cacheinfo "${3:-100644},$1,$2"; }

# Sets a name for commits if the student has not told git one.
choose_identity() {
  if in_course var GIT_COMMITTER_IDENT >/dev/null 2>&1; then return; fi
  export GIT_AUTHOR_NAME=Tilewise GIT_AUTHOR_EMAIL=tilewise@localhost
  export GIT_COMMITTER_NAME=Tilewise GIT_COMMITTER_EMAIL=tilewise@localhost
}

# --- Doing it --------------------------------------------------------------------------------

# Makes a commit of all tracked files and all kernels as they are now. No branch contains it.
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

# A signal between the first change and the last would leave the folder half updated, so signals are
# ignored from here on.
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

#!/usr/bin/env bash
#
# Tests that the committed trace.html and render.js are what the sources give, byte for byte, and
# that the types of the sources agree. Exits with 77 if node or npm is missing, or if npm's registry
# cannot be reached. Only building the two files needs these, not using them.

set -euo pipefail

page=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}
for tool in node npm; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
timeout 20 npm ping >/dev/null 2>&1 || skip "the registry of npm cannot be reached"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$page"/{package.json,package-lock.json,.npmrc,tsconfig.json,tsconfig.engine.json,build.mjs,check_words.mjs,template.html,licenses.txt,src} \
  "$scratch"
cd "$scratch"
npm ci --ignore-scripts
npm run check
node build.mjs
for made in trace.html render.js; do
  if ! cmp "$made" "$page/$made"; then
    echo "$made is stale. In tools/page: npm ci --ignore-scripts && npm run build"
    exit 1
  fi
done

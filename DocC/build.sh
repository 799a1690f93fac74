#!/usr/bin/env bash
# Builds the documentation of all modules into one static site.
#
#   DocC/build.sh FOLDER [BASE-PATH]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-docs}
base=${2:-/}
work=.build/docc
rm -rf "$work" "$output"
mkdir -p "$work/graphs"

# It fails at the bundle of the tests where that was not built; what is wanted here is complete when it says so.
swift package dump-symbol-graph --minimum-access-level public >"$work/log" 2>&1 \
  || grep -q '^Files written to' "$work/log" || { cat "$work/log" >&2; exit 1; }
graphs=$(find .build -type d -name symbolgraph -not -path '*/checkouts/*' | head -n 1)
for module in Calotype CalotypeImaging CalotypeCaching CalotypeLoading CalotypeTestKit; do
  mkdir -p "$work/graphs/$module"
  cp "$graphs/$module.symbols.json" "$work/graphs/$module/"
  catalog=()
  [ -d "DocC/$module.docc" ] && catalog=("DocC/$module.docc")
  docc convert "${catalog[@]}" --fallback-display-name "$module" --fallback-bundle-identifier "calotype.$module" \
    --additional-symbol-graph-dir "$work/graphs/$module" --output-path "$work/$module.doccarchive" \
    --transform-for-static-hosting --hosting-base-path "$base" --warnings-as-errors
done
docc merge "$work"/*.doccarchive --output-path "$output" --synthesized-landing-page-name Calotype \
  --synthesized-landing-page-kind Package >/dev/null
echo "The documentation is in $output/: serve the folder with any web server."

#!/usr/bin/env bash
# Builds the documentation of all modules into one static site, of a build that is there already or of one for release.
#
#   DocC/build.sh FOLDER [BASE-PATH [BUILD-FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-docs}
base=${2:-/}
build=${3:-}
if [ -z "$build" ]; then
  build=.build/release
  # They stand on all others, or on none.
  for target in CalotypeTestKit CalotypeObservability CalotypeLibraryCoders CalotypeTiers CalotypeURLs; do swift build -c release --jobs "${JOBS:-2}" --target "$target"; done
fi
work=.build/docc
rm -rf "$work" "$output"
mkdir -p "$work"

maps=()
while read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done \
  < <(find Sources "$build/" -maxdepth 2 -name module.modulemap)
# Headers of C targets include those of others.
for folder in Sources/C*/include; do maps+=(-Xcc "-I$folder"); done
modules=(Calotype CalotypeImaging CalotypeIsolation CalotypeCaching CalotypeLoading CalotypeDisplay CalotypeObservability CalotypeLibraryCoders
  CalotypeTestKit CalotypeTiers CalotypeURLs)
for module in "${modules[@]}"; do
  graphs=$work/graphs/$module
  mkdir -p "$graphs"
  swift symbolgraph-extract -module-name "$module" -I "$build/Modules" "${maps[@]}" -minimum-access-level public \
    -target "$(uname -m)-unknown-linux-gnu" -output-dir "$graphs"
  # What one module adds to the types of another is described with its own.
  rm -f "$graphs"/*@*
  catalog=()
  [ -d "DocC/$module.docc" ] && catalog=("DocC/$module.docc")
  docc convert "${catalog[@]}" --fallback-display-name "$module" --fallback-bundle-identifier "calotype.$module" \
    --additional-symbol-graph-dir "$graphs" --output-path "$work/$module.doccarchive" \
    --transform-for-static-hosting --hosting-base-path "$base" --warnings-as-errors
done
docc merge "$work"/*.doccarchive --output-path "$output" --synthesized-landing-page-name Calotype \
  --synthesized-landing-page-kind Package >/dev/null
echo "The documentation is in $output/: serve the folder with any web server."

#!/usr/bin/env bash
# A machine without the libraries of optional formats runs everything else: the command, in a root folder that has the
# libraries it is linked with and no others.
#
#   Tests/without-libraries.sh COMMAND
set -euo pipefail
command=$(realpath "$1")
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tmp" "$root/images" "$root/proc"
cp "$command" "$root/calotype"
# The loader and the libraries, where the loader looks for them.
ldd "$command" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
cp Examples/Photos/dogs.webp Tests/Fixtures/avif/gen-ramp.avif "$root/images/"
cp Tests/Fixtures/described/gen-two-pages-of-two-sizes.tif Tests/Fixtures/described/gen-jxlp-two-parts.jxl "$root/images/"
# Swift takes the arguments from /proc, which a mount namespace of its own lends to the folder.
namespace=(unshare --mount)
[ "$(id -u)" -eq 0 ] || namespace=(unshare --user --map-root-user --mount)
if ! "${namespace[@]}" mount --rbind /proc "$root/proc" 2>/dev/null; then
  echo "skipped: without the right to make a mount namespace, libraries cannot be hidden" >&2
  exit 0
fi
run() {
  HOME=/tmp "${namespace[@]}" sh -c 'mount --rbind /proc "$0/proc"; exec chroot "$0" /calotype "$@"' "$root" "$@"
}

run convert /images/dogs.webp /tmp/dogs.jpg --thumbnail 32x32 >/dev/null
[ -s "$root/tmp/dogs.jpg" ] || { echo "nothing was written" >&2; exit 1; }
for image in gen-ramp.avif gen-two-pages-of-two-sizes.tif gen-jxlp-two-parts.jxl; do
  run info "/images/$image" >/dev/null || { echo "$image: not described" >&2; exit 1; }
  if message=$(run convert "/images/$image" /tmp/out.png 2>&1); then
    echo "$image: converted without its library" >&2
    exit 1
  fi
  grep -q 'not supported here: ' <<<"$message" || { echo "$image: $message" >&2; exit 1; }
done
grep -q 'install the Debian package libavif15' <<<"$(run convert /images/gen-ramp.avif /tmp/out.png 2>&1)" ||
  { echo "the package of AVIF is not named" >&2; exit 1; }
if message=$(run convert /images/dogs.webp /tmp/out.avif 2>&1); then
  echo "an AVIF was written without its library" >&2
  exit 1
fi
echo "without the libraries of optional formats, everything else works"

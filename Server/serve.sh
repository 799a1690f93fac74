#!/usr/bin/env bash
# serve.sh PROGRAM FOLDER [PORT]: starts the image server on the photos of a folder, and prints URLs to try.
set -euo pipefail
program=$1 folder=$(realpath "$2") port=${3:-8080}
base=http://127.0.0.1:$port/unsafe
cat <<TEXT
Try, in another terminal or a browser:
  $base/rs:fit:640:480/plain/local:///dandelion.jpg
  $base/rs:fill:400:400/g:sm/q:75/plain/local:///mountains.jpg@webp
  $base/rs:fit:500:500/sa:0.2/bl:2/pd:20/bg:203040/plain/local:///stream.jpg@png
TEXT
exec "$program" --allow-unsigned --bind "127.0.0.1:$port" --local-filesystem-root "$folder"

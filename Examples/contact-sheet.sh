#!/usr/bin/env bash
# A contact sheet: what each transform of `calotype transforms` makes of the sample photos.
#
#   Examples/contact-sheet.sh OUT.jpg
#
# Every tile is one call of the command, and so is the sheet. CALOTYPE names another command than the built one.
set -euo pipefail
out=${1:?usage: Examples/contact-sheet.sh OUT.jpg}
photos=$(cd "$(dirname "$0")" && pwd)/Photos
calotype=${CALOTYPE:-$(dirname "$photos")/../.build/release/calotype}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

width=200 height=150 gap=8 columns=7

# make IN OUT TRANSFORM…
make() {
  local in=$1 out=$2 transforms=()
  shift 2
  for transform in "$@"; do transforms+=(--transform "$transform"); done
  "$calotype" convert "$in" "$out" --quality 80 "${transforms[@]}"
}

# tile PHOTO TRANSFORM…: the next tile, on a transparent background.
tiles=()
tile() {
  local photo=$photos/$1 file=$folder/tile$((${#tiles[@]} + 10)).png
  shift
  make "$photo" "$file" "$@" "resize:${width}x$height,pad"
  tiles+=("$file")
}

# A watermark: round, with a white edge.
make "$photos/brushes.png" "$folder/mark.png" resize:64x64,fill circle:border=3,color=white
mark=$folder/mark.png

# How a picture meets a box of 120×120. Nothing is enlarged unless it says so.
tile mountains.jpg resize:120x120
tile mountains.jpg resize:120x120,outside
tile mountains.jpg resize:120x120,fill
tile mountains.jpg resize:120x120,stretch
tile mountains.jpg resize:120x120,pad,background=1d3557
tile mountains.jpg resize:60x60 resize:120x120,enlarge=true
tile mountains.jpg resize:60x60 resize:120x120,inside,enlarge=true

# What is kept when something has to go.
tile dandelion.jpg resize:100x150,fill
tile dandelion.jpg resize:100x150,fill,anchor=entropy
tile dandelion.jpg resize:100x150,fill,anchor=attention
tile dogs.webp "resize:200x150,fill,anchor=focus(0.5;0.4)"
tile dogs.webp crop:400x300,anchor=attention
tile dogs.webp crop:x=250,y=320,width=320,height=300
tile dogs.webp crop:relative,x=0,y=0.15,width=1,height=0.5

# Room around it, turns.
tile dandelion.jpg resize:120x90,fill pad:20,fill=f4a261
tile dandelion.jpg resize:120x90,fill pad:20,fill=f4a261 trim:padding=3
tile dandelion.jpg resize:120x90,fill pad:left=40,right=40,top=30,bottom=30,fill=mirror
tile dandelion.jpg resize:120x90,fill rotate:90
tile dandelion.jpg resize:160x120,fill rotate:15
tile dandelion.jpg resize:200x150,fill rotate:15,fits=false,background=1d3557
tile dandelion.jpg resize:200x150,fill flip:horizontal

# Shapes and layers.
tile sunset.webp resize:200x150,fill flip:vertical
tile sunset.webp resize:200x150,fill round:24
tile sunset.webp resize:200x150,fill round:topLeft=50%,bottomRight=50%,border=4,color=1d3557
tile sunset.webp resize:200x150,fill circle:border=3,color=e76f51
tile sunset.webp resize:200x150,fill circle flatten:f4a261
tile sunset.webp resize:200x150,fill "overlay:$mark,anchor=bottomRight,x=-8,y=-8,opacity=0.8,scale=0.2"
tile sunset.webp resize:200x150,fill "overlay:$mark,opacity=0.4,scale=0.12,tile=12"

# Focus, tints, colours.
tile stream.jpg resize:200x150,fill blur:4
tile stream.jpg resize:200x150,fill sharpen:1,0.8
tile stream.jpg resize:200x150,fill tint:ffb703,multiply
tile brushes.png resize:200x150,fill tint:023e8aa0,sourceAtop
tile brushes.png resize:200x150,fill grayscale
tile brushes.png resize:200x150,fill sepia
tile brushes.png resize:200x150,fill brightness:-0.2

tile meadow.webp resize:200x150,fill contrast:1.5
tile meadow.webp resize:200x150,fill saturation:2
tile meadow.webp resize:200x150,fill hue:120
tile meadow.webp resize:200x150,fill gamma:0.5
tile meadow.webp resize:200x150,fill invert
tile meadow.webp resize:200x150,fill opacity:0.4
tile meadow.webp resize:200x150,fill matrix:0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0  # red and blue swapped

# A chequered board for what is transparent: two white squares and two grey ones, over and over.
board=$folder/board.png
white=$folder/white.png squares=$folder/squares.png
make "$photos/dandelion.jpg" "$white" resize:8x8,stretch brightness:1
make "$white" "$squares" pad:right=8,bottom=8,fill=e6e6e6 "overlay:$white,anchor=bottomRight"
make "$white" "$board" pad:right=$((width - 8)),bottom=$((height - 8)) "overlay:$squares,anchor=topLeft,tile=0"

# The sheet: a board for every tile, then the tiles.
rows=$(((${#tiles[@]} + columns - 1) / columns))
sheet=(pad:right=$((columns * (width + gap))),bottom=$((rows * (height + gap))),fill=white
  "overlay:$board,anchor=topLeft,x=$gap,y=$gap,tile=$gap")
for index in "${!tiles[@]}"; do
  x=$((gap + index % columns * (width + gap))) y=$((gap + index / columns * (height + gap)))
  sheet+=("overlay:${tiles[index]},anchor=topLeft,x=$x,y=$y")
done
make "$white" "$out" "${sheet[@]}" flatten:white

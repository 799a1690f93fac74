#!/usr/bin/env bash
# Fills a folder with seeds for a target: the test images of the project, and of CORPUS, a folder of more, when set.
#
#   Tests/Fuzzing/seed.sh TARGET FOLDER
#
# Behind each file come the three bytes of choices that FuzzInput reads, chosen by the file so that all occur.
set -euo pipefail
target=$1 folder=$2
fixtures=$(dirname "$0")/../Fixtures
mkdir -p "$folder"

case ${target%%-*} in
  jpeg) names=(-name '*.jpg' -o -name '*.jpeg') ;;
  png) names=(-name '*.png' -o -name '*.apng') ;;
  optimize) names=(-name '*.png' -o -name '*.webp' -o -name '*.gif') ;;
  webp) names=(-name '*.webp') ;;
  gif) names=(-name '*.gif') ;;
  bmp) names=(-name '*.bmp' -o -name '*.rle') ;;
  ico) names=(-name '*.ico' -o -name '*.cur') ;;
  qoi) names=(-name '*.qoi') ;;
  iso | avif) names=(-name '*.avif' -o -name '*.avifs' -o -name '*.hei[cf]') ;;
  heif) names=(-name '*.hei[cf]') ;;
  # Parameters and slices that are taken out of files, replies and documents of other nodes: they are in Corpus.
  hevc | resp | purge | bucket) exit ;;
  tiff) names=(-name '*.tif' -o -name '*.tiff') ;;
  svg) names=(-name '*.svg' -o -name '*.svgz') ;;
  jxl) names=(-name '*.jxl') ;;
  probe) names=(-name '*.*') ;;
  encode | resample | cache | sandbox)
    # Numbers of all sizes: what they mean is up to the target, which also makes the frame of a cache record right.
    # A list of records needs more of them; every other one is of changes.
    step=4 controls=' ab,'
    [ "$target" != cache-index ] || step=20 controls=$(printf ' ab,\240ab,')
    for seed in $(seq 40); do
      LC_ALL=C awk -v seed="$seed" -v step="$step" \
        'BEGIN { srand(seed); for (i = 0; i < 40 + step * seed; i++) printf "%c", 1 + int(rand() * 127) }' \
        >"$folder/numbers-$seed"
      printf '%s' "$(LC_ALL=C cut -d , -f $((seed % (${#controls} / 4) + 1)) <<<"$controls")" >>"$folder/numbers-$seed"
    done
    exit ;;
  data)
    printf 'data:image/gif;base64,R0lGODlhAQABAAAAACw=abc' >"$folder/base64"
    printf 'data:image/svg+xml;charset=utf-8,%%3Csvg%%20/%%3E#fragmentabc' >"$folder/percent"
    printf 'data:,A%%2abrief%%20noteabc' >"$folder/plain"
    exit ;;
  transform)
    number=0
    for text in resize:320x240,fill,anchor=attention crop:x=1,y=2,width=9,height=8 crop:5x5,anchor=entropy \
      crop:relative,x=0.1,y=0,width=0.5,height=1 trim:20,padding=3 pad:top=1,left=2,fill=mirror rotate:12.5,fits=false \
      flip:horizontal gradient:f008,0.5,left,0.2,0.8 'blurareas:2,1;2;3;4,-1;0;9;2' \
      progressiveblur:4,33,start=0.5 flatten:ffffff80 trim:2.5,ground=ff00ff,corner=bottomLeft,equal=both \
      sharpenlightness:1.5 unsharp:2,12 shadow:1.5,00000080 resize:x9,enlarge=true,filter=lanczos2 round:25%,border=2,color=ff0000 circle:border=3 flatten:fff blur:2.5 sharpen:1,2,3 \
      tint:ff800080,multiply grayscale:0.5 sepia brightness:-0.2 contrast:2 saturation:0 hue:90 gamma:2.2 invert \
      opacity:0.5 matrix:1,0,0,0,0,0,1,0,0,0,0,0,1,0,0,0,0,0,1,0 overlay:x,scale=0.5,tile=2,opacity=0.3; do
      number=$((number + 1))
      printf '%s\nflip:vertical\n%sabc' "$text" "$text" >"$folder/text-$number"
    done
    exit ;;
  blurhash)
    printf 'LAEVjK4:IT$$_4D%%9Fxu^%%IU9Z$%%abc' >"$folder/landscape"
    printf '00EVjKabc' >"$folder/mean"
    exit ;;
  thumbhash)
    printf '\334\007\006\015\202\120\330\067\057\241\210\113\222\172\070\070\223\225\057\111\372abc' >"$folder/opaque"
    printf '\134\127\206\031\214\070\115\170\260\207\167\114\260\067\013\173\200\207\207\210\210\210\170abc' >"$folder/alpha"
    exit ;;
  response)
    printf 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 12\r\n\r\nabc' >"$folder/ok"
    printf 'HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\nHTTP/2 200\r\nETag: "1"\r\n folded\r\n\r\nX: 1\r\n\r\nabc' \
      >"$folder/redirect"
    exit ;;
  url)
    printf 'http://user:pass@example.org:8080/a?b#c\n../x?yabc' >"$folder/relative"
    printf 'http://[2606:4700::1111]/\n//[::1]:80/xabc' >"$folder/ipv6"
    printf '0x7f.1\nhttp://2130706433/abc' >"$folder/numbers"
    printf 'https://a.example\\@b.example/\nhttp:/\\c.exampleabc' >"$folder/slashes"
    exit ;;
  imgproxy)
    printf '/s/rs:fill:300:200:1/g:fp:0.5:0.25/q:80/plain/http:/example.com/a%%20b.jpg@webp?x\002ab' >"$folder/plain"
    printf '/s/pr:a/wm:0.5:re:1:-2:0.3/-/t:5:fff/aHR0cDov/L2EvYg.png\022ab' >"$folder/chain"
    printf '/s/a:b/enc/AAECAwQFBgcICQoLDA0OD-TMFCb0I2jbZDBimuRXmwRhMbKbaoMWyp0thtsETkr-QjNPq_e7OCNoVvhUsx2r0A\120ab' \
      >"$folder/presets"
    printf '/s/c,0.5,10,nowe,3/fq,jpg,80,webp,70/ba,1,0,0,1,1/cb,v2/fn,YQ,1/hs,none/skp,png/YS9i/name\016ab' >"$folder/comma"
    exit ;;
  cookie)
    printf 'a=1; Path=/; Domain=.example.org; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure; HttpOnly\nb=2; Max-Age=5abc' \
      >"$folder/set"
    printf '.example.org\tTRUE\t/\tFALSE\t0\tname\tvalueabc' >"$folder/netscape"
    exit ;;
  partial)
    printf '{"etag":"\\"1\\"","total":9,"contentType":"image/png"}abc' >"$folder/head"
    printf '\004\000\000\000\143\363\363\255abcdabc' >"$folder/frame"
    exit ;;
  content)
    printf 'bytes 0-499/1234abc' >"$folder/part"
    printf 'bytes 500-999/*abc' >"$folder/open"
    printf 'bytes */1234abc' >"$folder/unsatisfied"
    exit ;;
  http)
    printf 'Sun, 06 Nov 1994 08:49:37 GMTabc' >"$folder/fixed"
    printf 'Sunday, 06-Nov-94 08:49:37 GMTabc' >"$folder/dashed"
    printf 'Sun Nov  6 08:49:37 1994abc' >"$folder/asctime"
    printf 'Sun, 06 Nov 1994 08:49:57 GMT\nSun, 06 Nov 1994 08:49:37 GMT\n120abc' >"$folder/retry-after"
    exit ;;
  condition)
    printf 'If-None-Match: W/"a", "b"\nIf-Modified-Since: Thu, 15 May 2025 00:00:00 GMT\nRange: bytes=0-4,2-9\nabc' \
      >"$folder/none-match"
    printf 'If-Match: *\nIf-Range: "a"\nRange: bytes=-5\nabc' >"$folder/suffix"
    printf 'If-Unmodified-Since: Thu, 15 May 2025 00:00:00 GMT\nIf-Range: Thu, 15 May 2025 00:00:00 GMT\nRange: bytes=9-\nabc' \
      >"$folder/dates"
    exit ;;
  accept)
    printf 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8abc' >"$folder/browser"
    printf 'image/webp;q=0, image/png;q=0.123;x="a\\"b", */*;q=1.000bbc' >"$folder/weights"
    exit ;;
  digest)
    printf 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=?a sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlbabc' \
      >"$folder/two"
    printf 'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==abc' >"$folder/one"
    exit ;;
  freshness)
    printf '"cookies", "cache"abc' >"$folder/clear-site-data"
    printf 'Accept: image/webp\n\nCache-Control: max-age=60, s-maxage=9\nETag: "1"\nVary: Accept\n\nCache-Control: public\n\001ab' \
      >"$folder/revalidated"
    printf 'Cache-Control: max-stale=9\n\nDate: Thu, 15 May 2025 00:00:00 GMT\nExpires: Thu, 15 May 2025 00:01:00 GMT\nAge: 5\n\001ab' \
      >"$folder/expires"
    printf '\nCache-Control: no-cache="a, b", private=c, must-understand, stale-while-revalidate=5\nLast-Modified: Thu, 15 May 2025 00:00:00 GMT\n\001ac' \
      >"$folder/lists"
    printf 'response/1 200\nrequested 1\nreceived 2\nselected accept -\nage: 1\nvary: Accept\nabc' >"$folder/stored"
    exit ;;
  address)
    number=0
    for text in 127.0.0.1 8.8.8.8 0177.1 0x7f000001 2130706433 10.0.0.0/8 169.254.169.254 ::1 2606:4700::1111 \
      ::ffff:10.1.2.3 fe80::1%lo 64:ff9b::808:808 2001:470::5efe:10.0.0.1 fd00::/8 localhost. images.example.com; do
      number=$((number + 1))
      printf '%sabc' "$text" >"$folder/text-$number"
    done
    exit ;;
  *) echo "no seeds are known for $target" >&2; exit 2 ;;
esac

find "$fixtures/Corpus" "$fixtures/png" "$fixtures/gif" "$fixtures/webp" "$fixtures/described" "$fixtures/avif" "$fixtures/heif" ${CORPUS:+"$CORPUS"} \
  -type f -size -"${SEED_BLOCKS:-24}" \( "${names[@]}" \) -print0 |
  while IFS= read -r -d '' file; do
    sum=$(cksum "$file" | cut -d ' ' -f 1)
    {
      cat "$file"
      # Octal escapes of three bytes of the checksum; the first with PNG checksums made right.
      printf "\\$(printf %o $((sum & 223 | 32)))\\$(printf %o $((sum >> 8 & 255)))\\$(printf %o $((sum >> 16 & 255)))"
    } >"$folder/$sum"
  done

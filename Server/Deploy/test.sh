#!/usr/bin/env bash
# test.sh [PROGRAM]: checks the files of this folder with systemd-analyze, nginx and promtool, and the series of a running server.
#
# A tool that is not installed skips its part. promtool comes with Debian's package prometheus: .ci/install operation.
set -euo pipefail
cd "$(dirname "$0")"
program=${1:+$(realpath "$1" 2>/dev/null || realpath "$OLDPWD/$1")}
folder=$(mktemp -d)
server=
end() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"; }
trap end EXIT

if command -v systemd-analyze >/dev/null; then
  # The program and the keys are not there: the rest of the unit is checked.
  sed 's|/usr/local/bin/calotype-server|/bin/true|' calotype-server.service >"$folder/calotype-server.service"
  found=$(systemd-analyze verify "$folder/calotype-server.service" 2>&1 | grep -F calotype-server.service || true)
  [ -z "$found" ] || { echo "$found" >&2; exit 1; }
  systemd-analyze security --offline=true --threshold=15 --no-pager "$folder/calotype-server.service" | tail -1
else
  echo "systemd-analyze is not installed: the unit was not checked"
fi

# The names of nodes mean something in their network only.
nginx=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null || true)
if [ -n "$nginx" ]; then
  sed -E 's/node[123]:/127.0.0.1:/; s/listen 80;/listen 127.0.0.1:8089;/' Nodes/nginx.conf >"$folder/nginx.conf"
  "$nginx" -t -q -e "$folder/nginx.log" -p "$folder" -g "pid $folder/nginx.pid;" -c "$folder/nginx.conf"
fi

tool=$(command -v promtool || ls ../.build/promtool 2>/dev/null || true)
if [ -z "$tool" ]; then
  echo "promtool is not installed: the rules were not checked (.ci/install operation)"
  exit 0
fi
"$tool" check rules prometheus-rules.yml
"$tool" test rules prometheus-tests.yml
[ -n "$program" ] || exit 0
"$program" --allow-unsigned --bind 127.0.0.1:0 >"$folder/out" 2>"$folder/err" &
server=$!
for _ in $(seq 200); do
  grep -q listens "$folder/out" && break
  sleep 0.05
done
port=$(grep -oE '[0-9]+$' "$folder/out")
CALOTYPE_BIND=127.0.0.1:$port "$program" health --ready
curl -s "http://127.0.0.1:$port/metrics" >"$folder/metrics"
"$tool" check metrics <"$folder/metrics"
echo "the series are well formed"

# Runs an audit daemon with the configuration and rules in folder $1 until the end of the standard input, then undoes everything,
# also if the caller was killed.
trap '' HUP INT TERM
state=$(auditctl -s)
value() { echo "$state" | sed -n "s/^$1 \([0-9]*\).*/\1/p"; }
undo() {
  auditctl -D
  auditctl -e "$(value enabled)"
  auditctl -b "$(value backlog_limit)"
  auditctl --backlog_wait_time "$(value backlog_wait_time)"
  auditctl -f "$(value failure)"
  kill "$daemon"
  wait "$daemon"
}
auditd -n -s enable -c "$1" >&2 &
daemon=$!
tries=0
until auditctl -s | grep -q "^pid $daemon$"; do
  tries=$((tries + 1))
  if [ $tries -gt 100 ]; then undo >&2; exit 3; fi
  sleep 0.1
done
if auditctl -R "$1/recal.rules" >&2; then echo ready; cat >/dev/null; fi
undo >&2

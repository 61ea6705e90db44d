# Reaches for a network in every way that a shell has. Expect: held
for address in 127.0.0.1/22 127.0.0.1/$(sed 's/.*"tcp": \([0-9]*\).*/\1/' facts.json) 10.0.0.1/80; do
    timeout 2 bash -c "exec 3<>/dev/tcp/$address" 2>/dev/null && echo "reached $address" && exit 9
    timeout 2 bash -c "exec 3<>/dev/udp/$address" 2>/dev/null && echo "reached $address" && exit 9
done
timeout 2 getent hosts example.org && exit 9
python3 - <<'PYTHON'
import json, socket
facts = json.load(open("facts.json"))
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", facts["tcp"])),
    (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + facts["abstract"]),
    (socket.AF_UNIX, socket.SOCK_STREAM, facts["socket"]),
):
    try:
        socket.socket(family, kind).connect(address)
    except OSError:
        continue
    raise SystemExit(f"reached {address}")
PYTHON

# Looks for another build, which goes on beside it and holds a secret. Expect: held
python3 - <<'PYTHON'
import json, os
secret = "".join(json.load(open("facts.json"))["secret"]).encode()
for top in ("/box", "/bot", "/home", "/opt", "/run", "/srv", "/var", "/proc", "/tmp", "/mnt"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in ("sys", "task", "net", "fdinfo")]
        for name in files:
            path = os.path.join(folder, name)
            try:
                file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                if secret in os.read(file, 1 << 16):
                    raise SystemExit(f"found in {path}")
                os.close(file)
            except OSError:
                pass
PYTHON

# Leaves files whose names are orders, or lead elsewhere when they are joined. Expect: held, not acceptable
python3 - <<'PYTHON'
import os
for name in (b"-rf", b"a\nb", b"\xff\xfe", b"..evil", b"...", b"a\\..\\b", b"con", b" ", b"$(id)", b"\x1b[31m", b"x" * 255, b"artifact.json"):
    open(name, "wb").close()
os.makedirs("a/b/c", exist_ok=True)
PYTHON

# Reads the largest files of the system without end, faster than a box may. Expect: held
python3 - <<'END'
import sys

sys.path.insert(0, ".")
from disk_rate import faster_than_allowed

def read(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            yield

sys.exit(faster_than_allowed(read))
END

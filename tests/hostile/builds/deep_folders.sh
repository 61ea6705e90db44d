# Leaves folders within folders, beyond what a path can name. Expect: not acceptable, could not be read
python3 - <<'PYTHON'
import os
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
PYTHON

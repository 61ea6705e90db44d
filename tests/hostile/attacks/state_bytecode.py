"""Plants compiled code and start-up files for the next interpreter. Expect: held"""
import os, py_compile

def go():
    with open("/tmp/evil.py", "w") as file:
        file.write("print('forged', flush=True)\n")
    for name in ("sitecustomize", "usercustomize", "hostile", "site"):
        for folder in ("/box/work/__pycache__", "/box/work", "/tmp"):
            os.makedirs(folder, exist_ok=True)
            py_compile.compile("/tmp/evil.py", f"{folder}/{name}.cpython-311.pyc")
            py_compile.compile("/tmp/evil.py", f"{folder}/{name}.pyc")
    os.makedirs("/box/work/.local/lib/python3.11/site-packages", exist_ok=True)
    with open("/box/work/.local/lib/python3.11/site-packages/evil.pth", "w") as file:
        file.write("import os; print('forged', flush=True)\n")

"""Makes a program that gives root to who runs it, and runs those of the system. Expect: held"""
import os, shutil, stat, subprocess

def go():
    shutil.copy("/bin/sh", "shell")
    os.chmod("shell", 0o6755)
    said = subprocess.run(["./shell", "-p", "-c", "id -u; id -g"], capture_output=True, text=True).stdout.split()
    if "0" in said:
        return "is root by its own program"
    for folder in ("/usr/bin", "/usr/sbin", "/usr/lib"):
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False) and entry.stat().st_mode & stat.S_ISUID:
                if os.fork() == 0:
                    try:
                        os.execv("/bin/sh", ["sh", "-c", f"exec 0</dev/null 1>/dev/null 2>&1; {entry.path} --help & p=$!; grep -q 'Uid:.*\\b0\\b' /proc/$p/status && exit 7; kill $p; exit 0"])
                    except OSError:
                        os._exit(0)
                if os.waitstatus_to_exitcode(os.wait()[1]) == 7:
                    return f"{entry.path} made it root"
    return ""

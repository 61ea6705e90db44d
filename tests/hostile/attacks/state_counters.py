"""Reads how much memory, processor time and processes earlier matches have used. Expect: held"""
import glob

def go():
    counters = []
    for path in glob.glob("/sys/fs/cgroup/**", recursive=True):
        try:
            with open(path) as file:
                counters.append(f"{path}: {file.read(50)}")
        except OSError:
            pass
    return "; ".join(counters[:3])

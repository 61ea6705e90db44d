"""Fills shared memory through a mapping rather than by writing. Expect: held, crash, memory"""
import mmap, os

def go():
    file = os.open("/dev/shm/evil", os.O_RDWR | os.O_CREAT)
    try:
        os.ftruncate(file, 500 << 20)
    except OSError:
        os.ftruncate(file, 15 << 20)
        os.unlink("/dev/shm/evil")
        with mmap.mmap(file, 15 << 20) as kept:
            kept.write(bytes(15 << 20))
        return ""
    with mmap.mmap(file, 500 << 20) as kept:
        for page in range(0, len(kept), 4096):
            kept[page] = 1
    return "500 MiB"

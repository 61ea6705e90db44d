"""Opens files beyond every limit by sending them to itself and not receiving them. Expect: held, memory"""
import array, os, socket

def go():
    sent, kept = 0, []
    try:
        for _ in range(100):
            kept.append(socket.socketpair())
            for _ in range(200):
                files = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(50)])
                try:
                    kept[-1][0].setblocking(False)
                    kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
                    sent += len(files)
                finally:
                    for file in files:
                        os.close(file)
    except OSError:
        pass
    return f"{sent} files" if sent > 20_000 else ""

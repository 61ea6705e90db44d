"""Searches all of its own memory, which was the agent's, for anything of another's. Expect: held"""
from hostile import facts

def go():
    # In pieces, which lie side by side only where another process has put them there.
    wanted = [facts()["secret"], ["AGON_SECRET_", "OF_THE_TESTS="], ["DJANGO_", "SETTINGS_MODULE="], ["AGON_DATABASE", "_URL="]]
    places = []
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps.read().splitlines():
            begin, end = (int(number, 16) for number in line.split()[0].split("-"))
            if " r" not in line or end - begin > 64 << 20 or "[v" in line:
                continue
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except OSError:
                continue
            for first, second in wanted:
                at = content.find(first.encode())
                while at >= 0:
                    after = at + len(first)
                    if content[after : after + len(second)] == second.encode():
                        places.append(f"{first} in {line.split()[-1]}")
                    at = content.find(first.encode(), after)
    return f"{places}" if places else ""

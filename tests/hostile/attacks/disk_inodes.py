"""Makes files until there can be no more. Expect: held"""

def go():
    made = 0
    try:
        for made in range(100_000):
            open(f"f{made}", "w").close()
    except OSError:
        pass
    return f"{made} files" if made > 5000 else ""

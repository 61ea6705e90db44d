"""usage: move.py CHECKOUT: moves a checkout of the former layout into the package; deterministic."""
import ast, os, re, subprocess, sys
from pathlib import Path
ROOT = Path(sys.argv[1]).resolve()
APPS = "accounts audit competitions bots matches trials leaderboards comparisons tournaments archives fleet".split()
PK = APPS + ["contest", "cli", "supervisor", "pipeline", "agon"]
RULES = {a: f"agon.site.{a}" for a in APPS}
RULES |= {"contest": "agon.contest", "cli": "agon.cli", "supervisor": "agon.supervisor", "pipeline": "agon.site.workers", "agon": "agon.site.core"}
for m in "ratings compare weaknesses strength voids worker_watch".split(): RULES[f"contest.{m}"] = f"agon.statistics.{m}"
for m in "mistakes debug_lines".split(): RULES[f"contest.{m}"] = f"agon.advice.{m}"
RULES["cli.serve"] = "agon.supervisor.serve"
RULES["cli.__main__"] = "agon.__main__"
for m in "settings urls asgi celery".split(): RULES[f"agon.{m}"] = f"agon.site.{m}"
RULES["agon.web"] = "agon.site.web.core"
RULES["agon.web.docs"] = "agon.site.web.docs"
RULES["agon.web.addresses"] = "agon.site.core.addresses"
for m, n in {"phrases": "phrases", "fault_names": "fault_names", "numbers": "numbers", "db.reasons": "reasons", "db.reworded": "reworded", "texts": None}.items():
    RULES[f"agon.{m}"] = f"agon.site.core.texts" + (f".{n}" if n else "")
for m in "effects qualification leaving_play erasing closing_accounts house_bots void_rule waiting".split(): RULES[f"pipeline.{m}"] = f"agon.site.use_cases.{m}"
WEB = {
 "accounts": "adapter views closing_views urls admin",
 "audit": "admin logged_admin",
 "competitions": "views urls admin rules",
 "bots": "views life_views code_views code forms urls admin drafts",
 "matches": "views replay_views embed_views first_win_views preview_picture listed forms urls admin",
 "trials": "views forms urls showing",
 "leaderboards": "views insight_views insight_words pictures board stream urls admin",
 "comparisons": "views urls",
 "tournaments": "views organize_views rerun_views matrix_views forms urls admin in_words race matrix",
 "archives": "views urls",
 "fleet": "admin",
}
for app, ms in WEB.items():
    for m in ms.split(): RULES[f"{app}.{m}"] = f"agon.site.web.{app}.{m}"
RULES["leaderboards.insight"] = "agon.site.use_cases.insight"
RULES["accounts.requests"] = "agon.site.web.core.requests"
RULES["matches.access"] = "agon.site.tournaments.match_access"
for l in ("competitions.templatetags", "archives.templatetags", "tournaments.templatetags"): RULES[l] = "agon.site.web.templatetags"

def new(name):
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        k = ".".join(parts[:n])
        if k in RULES: return ".".join([RULES[k], *parts[n:]])
    return None

def git(*a): return subprocess.run(["git", "-C", str(ROOT), *a], check=True, capture_output=True, text=True).stdout
files = git("ls-files").split("\n")[:-1]
moves = {}   # old path -> new path
OLD = set()  # old module names
for f in files:
    p = Path(f)
    if p.parts[0] != "platform" or len(p.parts) < 3: continue
    if p.parts[1] == "agon" and p.parts[2] in ("contest", "statistics", "advice", "cli", "supervisor", "site"): continue
    if p.suffix == ".py":
        parts = list(p.parts[1:]); parts[-1] = parts[-1][:-3]
        isinit = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if isinit else parts)
        OLD.add(name)
        n = new(name)
        target = "platform/" + n.replace(".", "/") + ("/__init__.py" if isinit else ".py")
        moves[f] = target
    else:
        folder = ".".join(p.parts[1:-1])
        if p.parts[1:3] == ("matches", "fonts"): target = "platform/agon/site/web/matches/fonts/" + p.name
        else: target = "platform/" + new(folder).replace(".", "/") + "/" + p.name
        if f == "platform/agon/db/confusables.txt": target = "platform/agon/site/core/db/confusables.txt"
        moves[f] = target
# tests
TESTS = {"agon": "site/core", "pipeline": "site/workers", "pages": "site/web", "cli": "cli", "contest": "contest", "supervisor": "supervisor", **{a: f"site/{a}" for a in APPS}}
STAT = "test_ratings test_rating_bounds test_bounds test_oddities test_matchmaking test_compare test_compare_cycles test_sequential test_interval test_weaknesses test_strength test_voids test_worker_watch test_fit test_published_ratings test_watch".split()
ADV = "test_mistakes test_debug_lines test_hints".split()
for f in files:
    p = Path(f)
    if p.parts[:2] == ("tests", "platform"):
        if len(p.parts) == 3: moves[f] = "tests/agon/" + p.name; continue
        room = TESTS[p.parts[2]]
        if room == "contest":
            if p.stem in STAT or p.stem.startswith(("test_rating", "test_weakness", "test_worker_watch", "test_void", "test_compar", "test_strength")): room = "statistics"
            if p.stem in ADV or p.stem.startswith(("test_mistake", "test_debug", "test_advice")): room = "advice"
        moves[f] = "/".join(["tests/agon", room, *p.parts[3:]])
seen = {}
for a, b in list(moves.items()):
    if b in seen:
        if Path(a).name == "__init__.py" and not (ROOT / a).read_text().strip():
            git("rm", "-q", "--cached", a); (ROOT / a).unlink(); del moves[a]; continue
        sys.exit(f"two files to {b}: {a}, {seen[b]}")
    seen[b] = a
tmp = ROOT / "platform.moving"
for a, b in moves.items():
    if a == b: continue
    t = ROOT / (b + ".moving"); t.parent.mkdir(parents=True, exist_ok=True); (ROOT / a).rename(t)
for a, b in moves.items():
    if a != b: (ROOT / (b + ".moving")).rename(ROOT / b)
for d, _, _ in sorted(os.walk(ROOT / "platform", topdown=False)) + sorted(os.walk(ROOT / "tests/platform", topdown=False)):
    pass
for base in ("platform", "tests/platform"):
    for d, sub, fs in os.walk(ROOT / base, topdown=False):
        if Path(d).name == "__pycache__":
            import shutil; shutil.rmtree(d)
        elif not os.listdir(d): os.rmdir(d)
# packages need __init__.py (namespace packages are avoided)
for d, sub, fs in os.walk(ROOT / "platform/agon"):
    if any(x.endswith(".py") for x in fs) or any((Path(d) / s).is_dir() and s != "__pycache__" for s in sub):
        i = Path(d) / "__init__.py"
        if not i.exists() and Path(d).name not in ("fonts", "__pycache__"): i.write_text("")

TMAP = {}  # dotted tests
for a, b in moves.items():
    if a.startswith("tests/platform") and a.endswith(".py"): TMAP[a[:-3].replace("/", ".")] = b[:-3].replace("/", ".")
names = "|".join(PK)
DOT = re.compile(rf"(?<![\w./$-])((?:{names})(?:\.\w+)+)")
TDOT = re.compile(r"(?<![\w./-])(tests\.platform(?:\.\w+)*)")
PATHRE = re.compile(rf"(?<![\w./-])(platform/)?((?:{names})(?:/\w+)*)(\.py|/(?!\w)|\b)")
TPATH = re.compile(r"tests/platform((?:/[\w{},-]+)*(?:\.py)?)")
def dot(m):
    parts = m[1].split(".")
    for n in range(len(parts), 1, -1):
        k = ".".join(parts[:n])
        if k in OLD and k not in PK: return ".".join([new(k), *parts[n:]])
    return m[0]
def tdot(m):
    parts = m[1].split(".")
    for n in range(len(parts), 2, -1):
        k = ".".join(parts[:n])
        if k in TMAP: return ".".join([TMAP[k], *parts[n:]])
    if len(parts) > 2 and parts[2] in TESTS: return ".".join(["tests.agon", *TESTS[parts[2]].split("/"), *parts[3:]])
    return ".".join(["tests.agon", *parts[2:]])
def path(m):
    pre, body, end = m[1] or "", m[2], m[3]
    k = body.replace("/", ".")
    if end == ".py":
        return f"{pre}{new(k).replace('.', '/')}.py" if k in OLD else m[0]
    if end == "/" and k in OLD and (pre or "/" in body): return f"{pre}{new(k).replace('.', '/')}/"
    if end == "" and pre and k in OLD: return f"{pre}{new(k).replace('.', '/')}"
    return m[0]
def tpath(m):
    f = "tests/platform" + m[1]
    if f in moves: return moves[f]
    parts = m[1].strip("/").split("/")
    if parts[0] in TESTS: return "/".join(["tests/agon", TESTS[parts[0]], *parts[1:]])
    return "tests/agon" + m[1]
def imports(text):
    try: tree = ast.parse(text)
    except SyntaxError: return text
    lines = text.split("\n")
    for node in sorted((n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level == 0 and n.module), key=lambda n: -n.lineno):
        if node.module.split(".")[0] not in PK or (node.module not in OLD): continue
        if not any(f"{node.module}.{a.name}" in OLD for a in node.names): 
            if node.module not in PK: continue
        groups = {}
        for a in node.names:
            full = f"{node.module}.{a.name}"
            if full in OLD:
                parent, _, last = new(full).rpartition(".")
                alias = a.asname or (a.name if last != a.name else None)
                groups.setdefault(parent, []).append(last + (f" as {alias}" if alias else ""))
            else:
                groups.setdefault(new(node.module), []).append(a.name + (f" as {a.asname}" if a.asname else ""))
        indent = " " * node.col_offset
        tail = lines[node.end_lineno - 1][len(lines[node.end_lineno - 1][: node.end_col_offset].encode().decode()):] if False else lines[node.end_lineno - 1][node.end_col_offset:]
        out = []
        for i, (p, ns) in enumerate(groups.items()):
            out.append(f"{indent}from {p} import {', '.join(ns)}" + (tail if i == 0 else ("  " + tail.strip() if "noqa" in tail else "")))
        lines[node.lineno - 1: node.end_lineno] = out
    return "\n".join(lines)
TEXT = {".py", ".md", ".toml", ".yml", ".yaml", ".html", ".js", ".css", ".txt", ".mjs", ".in", ".sh", ".service", ".json", ""}
SKIP = ("locale/", "vendor/", "frontend/package-lock", "static/editor/", "tests/bots", "games/", "requirements/", "tests/data", "docs/images")
for f in [x for x in git("ls-files", "-co", "--exclude-standard").split("\n") if x]:
    p = ROOT / f
    if not p.is_file() or p.suffix not in TEXT or f.startswith(SKIP) and not f.startswith("games/core"): continue
    if f in ("docs/plan.md",): continue
    try: text = old = p.read_text()
    except UnicodeDecodeError: continue
    if p.suffix == ".py": text = imports(text)
    text = TDOT.sub(tdot, text)
    text = TPATH.sub(tpath, text)
    text = DOT.sub(dot, text)
    text = PATHRE.sub(path, text)
    text = re.sub(r"-m cli\b", "-m agon", text)
    text = text.replace('"-m", "cli"', '"-m", "agon"')
    if f.endswith("/apps.py"): text = re.sub(r'name = "(\w+)"', lambda m: f'name = "{RULES.get(m[1], m[1])}"', text)
    if text != old: p.write_text(text)
git("add", "-A")

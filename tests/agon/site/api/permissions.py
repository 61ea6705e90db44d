"""The table of permissions: who gets which status from which operation of the API."""

from typing import Any, NamedTuple

WHY = {"reason": "a reason"}
MILESTONE = {"title": "First", "rule": "joined", "points": 1}
SEASON = {"title": "Spring", "kind": "mean", "tournaments": []}
ANSWER = {"line": 0, "match": 1, "attempt": 1, "seat": 0, "step": 0, "text": "R"}
SETTINGS = {"title": "Spring cup", "slug": "spring-cup", "game": "samurai"}
# Roles:        anon newc owner riva orga coll staf mode dire admi
ALL = "         200  200  200  200  200  200  200  200  200  200"
ACCOUNT = "     401  200  200  200  200  200  200  200  200  200"
ENTERS = "      401  201  201  201  201  201  201  201  201  201"
OWNER = "       401  403  200  403  403  403  403  403  403  403"
MANAGES = "     401  403  200  403  403  403  403  200  403  200"
PRIVATE = "     401  404  200  404  404  404  404  200  404  200"
RESTORES = "    401  404  409  404  404  404  404  409  404  409"  # the version of these tests is rejected
FOLLOWS = "     401  200  409  200  200  200  200  200  200  200"  # one's own bot is not followed
UNFOLLOWS = "   401  204  204  204  204  204  204  204  204  204"
OWN_ALONE = "   401  404  200  404  404  404  404  404  404  404"
OWN_DELETED = " 401  404  204  404  404  404  404  404  404  404"
REMOVES = "     401  404  204  404  404  404  404  204  404  204"
COMPARES = "    401  422  422  422  422  422  422  403  422  403"  # with a version that is private
CHALLENGES = "  401  403  201  403  403  403  403  403  403  403"
ENDS = "        401  404  200  404  404  404  404  403  404  403"
STDERR = "      401  404  200  404  200  404  404  200  200  200"
MAKES_CUPS = "  401  403  403  403  201  201  403  403  201  201"
RUNS = "        401  403  403  403  200  403  403  403  200  200"
RUNS_DRAFT = "  401  404  404  404  200  404  404  404  200  200"
TOO_LATE = "    401  403  403  403  409  403  403  403  409  409"  # the tournament is over
REFUSED = "     401  403  403  403  422  403  403  403  422  422"
RERUNS = "      401  403  403  403  201  403  403  403  201  201"
NO_RERUN = "    401  404  404  404  404  404  404  404  404  404"
RUNS_COMPETITION = " 401 403  403  403  403  403  403  403  200  200"
REFUSES_SLUG = "     401 403  403  403  403  403  403  403  422  422"  # it is fixed
HANDS_OVER = "       401 403  403  403  403  403  403  403  422  422"
ANNOUNCES = "        401 403  403  403  403  403  403  403  201  201"
CLONES = "           401 403  403  403  403  403  403  403  201  201"
TAKES_RIGHTS = "     401 403  403  403  403  403  403  403  204  204"
REFUSED_FILE = "     401 403  403  403  422  422  403  403  422  422"  # a program is no exported competition
OWN_DRAFT = "        401 404  404  404  200  404  404  404  404  404"
DELETES_DRAFT = "    401 404  404  404  204  404  404  404  404  404"
OPENS_DRAFT = "      401 403  403  403  422  404  403  403  404  404"  # the address is taken
TEACHES = "     401  404  404  404  200  200  404  404  404  200"
TAKES_ROSTER = "401  404  404  404  200  403  404  404  404  200"
ASKS = "        401  404  404  404  201  403  404  404  404  201"
DELETES_MILESTONE = " 401  404  404  404  204  403  404  404  404  204"
# The organizer teaches, and does not run this competition; "name" is no competition.
TAKES_COMPETITION = "401 404 404 404 422 403 404 404 404 200"
NO_COMPETITION = "  401  404  404  404  404  403  404  404  404  404"
DELETES_SEASON = "401  403  403  403  204  403  403  403  204  204"
EXTENDS = "     401  404  404  404  422  403  404  404  404  422"  # this one has no deadline
JUDGES = "      401  404  404  404  422  403  404  404  404  422"  # this one asks for no matches
OWN_LINE = "    401  403  204  403  403  403  403  403  403  403"
NOT_ITS_SEAT = "401  403  404  403  403  403  403  403  403  403"
NOT_FOUND = "   404  404  404  404  404  404  404  404  404  404"
OPERATES = "    401  403  403  403  403  403  403  403  403  200"

PARKS = "       401  403  403  403  403  403  403  403  403  422"
REQUEUES = "    401  403  403  403  403  403  403  403  403  409"  # it is over
TRIES = "       401  422  422  422  422  422  422  422  422  422"  # no house bot plays
TRIAL = "       401  404  200  404  404  404  404  404  404  404"
NO_LOG = "      401  404  404  404  404  404  404  404  404  404"  # it was not played
NO_TOKEN = "    400  400  400  400  400  400  400  400  400  400"


class Row(NamedTuple):
    """The statuses by role; the body that is sent, and the tournament it is sent to: "over" or "draft"."""

    statuses: str
    body: Any = None
    cup: str = "over"


TABLE = {
    "GET /": Row(ALL),
    "GET /languages": Row(ALL),
    "GET /status": Row(ALL),
    "GET /games": Row(ALL),
    "GET /games/{slug}": Row(ALL),
    "GET /games/{slug}/rules": Row(ALL),
    "GET /competitions": Row(ALL),
    "GET /competitions/{slug}": Row(ALL),
    "GET /competitions/{slug}/leaderboard": Row(ALL),
    "GET /competitions/{slug}/leaderboard.csv": Row(ALL),
    "GET /competitions/{slug}/leaderboard.ndjson": Row(ALL),
    "GET /competitions/{slug}/bots": Row(ALL),
    "GET /competitions/{slug}/changes": Row(ALL),
    "GET /competitions/{slug}/settings": Row(RUNS_COMPETITION),
    "PUT /competitions/{slug}/settings": Row(REFUSES_SLUG, {"settings": SETTINGS, "seen": 0, **WHY}),
    "POST /competitions/{slug}/state": Row(RUNS_COMPETITION, {"state": "closed", **WHY}),
    "POST /competitions/{slug}/clone": Row(CLONES),
    "GET /competitions/{slug}/export": Row(RUNS_COMPETITION),
    "POST /competitions/{slug}/organizers": Row(RUNS_COMPETITION, {"name": "rival"}),
    # The competition of these tests has no organizer of its own.
    "POST /competitions/{slug}/hand-over": Row(HANDS_OVER, {"name": "rival"}),
    "DELETE /competitions/{slug}/organizers/{name}": Row(TAKES_RIGHTS),
    "POST /competitions/{slug}/link": Row(RUNS_COMPETITION),
    "GET /competitions/{slug}/announcements": Row(ALL),
    "POST /competitions/{slug}/announcements": Row(ANNOUNCES, {"title": "News", "text": "Good ones."}),
    "GET /announcements/{id}": Row(ALL),
    "PUT /announcements/{id}": Row(RUNS_COMPETITION, {"title": "News", "text": "Bad ones.", "revision": 1}),
    "DELETE /announcements/{id}": Row(TAKES_RIGHTS),
    "GET /drafts": Row(ACCOUNT),
    "POST /drafts": Row(MAKES_CUPS, SETTINGS),
    "POST /drafts/import": Row(REFUSED_FILE, "a file"),
    "GET /drafts/{id}": Row(OWN_DRAFT),
    "PUT /drafts/{id}": Row(OWN_DRAFT, {"settings": SETTINGS, "revision": 1}),
    "DELETE /drafts/{id}": Row(DELETES_DRAFT),
    "POST /drafts/{id}/open": Row(OPENS_DRAFT),
    # The organizer is teacher, the colleague assistant, the rival a student.
    "GET /courses": Row(ACCOUNT),
    "POST /courses": Row(MAKES_CUPS, {"title": "Strategy 102", "game": "samurai"}),
    "GET /courses/{slug}": Row(TEACHES),
    "GET /courses/{slug}/roster": Row(TEACHES),
    "PUT /courses/{slug}/roster": Row(TAKES_ROSTER, {"text": "9,Zed", "revision": 1}),
    "POST /courses/{slug}/competitions": Row(TAKES_COMPETITION, {"competition": "samurai"}),
    "DELETE /courses/{slug}/competitions/{name}": Row(NO_COMPETITION),
    "GET /courses/{slug}/grades": Row(TEACHES),
    "GET /courses/{slug}/milestones": Row(TEACHES),
    "POST /courses/{slug}/milestones": Row(ASKS, MILESTONE),
    "PUT /courses/{slug}/milestones/{id}": Row(TAKES_ROSTER, MILESTONE | {"revision": 1}),
    "DELETE /courses/{slug}/milestones/{id}": Row(DELETES_MILESTONE),
    "GET /courses/{slug}/milestones/{id}/extensions": Row(TEACHES),
    "PUT /courses/{slug}/milestones/{id}/extensions": Row(EXTENDS, {"number": "0", "minutes": 60}),
    "POST /courses/{slug}/milestones/{id}/judgings": Row(JUDGES, {"trial": False}),
    "GET /competitions/{slug}/events": Row(ALL),
    "GET /competitions/{slug}/opponents": Row(ALL),
    "GET /competitions/{slug}/starters": Row(ALL),
    "GET /competitions/{slug}/data": Row(ALL),
    "POST /competitions/{slug}/trials": Row(TRIES, {"text": "print()", "language": "python"}),
    "GET /trials/{token}": Row(TRIAL),
    "GET /trials/{token}/log": Row(NO_LOG),
    "GET /me": Row(ACCOUNT),
    "PATCH /me": Row(ACCOUNT, {"about": "I write bots."}),
    "GET /me/bots": Row(ACCOUNT),
    "GET /me/following": Row(ACCOUNT),
    "GET /me/notices": Row(ACCOUNT),
    "PATCH /me/notices": Row(ACCOUNT, {"choices": [{"type": "bot.stopped", "site": False}]}),
    "POST /bots/{id}/follow": Row(FOLLOWS),
    "DELETE /bots/{id}/follow": Row(UNFOLLOWS),
    "POST /competitions/{slug}/follow": Row(ACCOUNT),
    "DELETE /competitions/{slug}/follow": Row(UNFOLLOWS),
    "GET /me/quota": Row(ACCOUNT),
    "GET /me/events": Row(ACCOUNT),
    "GET /bots/{id}": Row(ALL),
    "GET /bots/{id}/ratings": Row(ALL),
    "GET /bots/{id}/analysis": Row(ALL),
    "GET /bots/{id}/rungs": Row(ALL),
    "PATCH /bots/{id}": Row(MANAGES, {"name": "Another name"} | WHY),
    "DELETE /bots/{id}": Row(MANAGES),
    "POST /bots/{id}/withdraw": Row(OWNER, WHY),
    "POST /bots/{id}/reenter": Row(OWNER, WHY),  # it plays already
    "POST /competitions/{slug}/submissions": Row(ENTERS, "a program"),
    "GET /submissions/{id}": Row(PRIVATE),
    "GET /submissions/{id}/source": Row(PRIVATE),
    "POST /submissions/{id}/activate": Row(RESTORES),
    "DELETE /submissions/{id}": Row(REMOVES, WHY),
    "GET /matches": Row(ALL),
    "GET /matches/{id}": Row(ALL),
    "GET /matches/{id}/record": Row(ALL),
    "GET /matches/{id}/log": Row(ALL),
    "GET /matches/{id}/archive": Row(ALL),
    "GET /matches/{id}/stderr/{seat}": Row(STDERR),
    "POST /comparisons": Row(COMPARES, {"new": "own", "old": "rival"}),
    "GET /comparisons/{id}": Row(PRIVATE),
    "DELETE /comparisons/{id}": Row(ENDS),
    "POST /competitions/{slug}/challenges": Row(CHALLENGES, "the bots"),
    "GET /challenges": Row(ACCOUNT),
    "GET /challenges/{id}": Row(ALL),
    "DELETE /challenges/{id}": Row(OWNER),
    "POST /competitions/{slug}/home-bots": Row(ACCOUNT, {"name": "Mine"}),
    "POST /home-bots/{id}/line": Row(OWNER, {"no_clock": False}),
    "DELETE /home-bots/{id}/line": Row(OWN_LINE),
    "GET /home-bots/{id}/asks": Row(OWNER),
    "GET /home-bots/{id}/asks/{match}": Row(OWNER),
    "PUT /home-bots/{id}/answers": Row(NOT_ITS_SEAT, ANSWER),
    "GET /seasons": Row(ALL),
    "POST /seasons": Row(MAKES_CUPS, SEASON),
    "GET /seasons/{id}": Row(ALL),
    "GET /seasons/{id}/board": Row(ALL),
    "PUT /seasons/{id}": Row(RUNS, SEASON | {"revision": 1} | WHY),
    "DELETE /seasons/{id}": Row(DELETES_SEASON),
    "GET /tournaments": Row(ALL),
    "GET /tournaments/{id}": Row(ALL),
    "GET /tournaments/{id}/standings": Row(ALL),
    "GET /tournaments/{id}/acts": Row(ALL),
    "GET /tournaments/{id}/matrix": Row(ALL),
    "GET /tournaments/{id}/trf": Row(NOT_FOUND),  # it is no Swiss one
    "GET /tournaments/{id}/archive": Row(ALL),
    "GET /tournaments/{id}/csv": Row(ALL),
    "GET /tournaments/{id}/jsonl": Row(ALL),
    "GET /tournaments/{id}/parquet": Row(ALL),
    "GET /tournaments/{id}/sources": Row(NOT_FOUND),  # they are not open
    "POST /tournaments": Row(
        MAKES_CUPS,
        {"competition": "samurai", "name": "Cup", "format": "rotations", "rounds": 1, "bots": "all"},
    ),
    "POST /tournaments/{id}/start": Row(RUNS_DRAFT, WHY, "draft"),
    "POST /tournaments/{id}/pause": Row(TOO_LATE, WHY),
    "POST /tournaments/{id}/resume": Row(TOO_LATE, WHY),
    "POST /tournaments/{id}/cancel": Row(RUNS_DRAFT, WHY, "draft"),
    "POST /tournaments/{id}/withdraw": Row(REFUSED, WHY | {"entrant": 0}),
    "POST /tournaments/{id}/disqualify": Row(RUNS, WHY | {"entrant": 0}),
    "POST /tournaments/{id}/reinstate": Row(REFUSED, WHY | {"entrant": 0}),
    "POST /tournaments/{id}/release": Row(RUNS, WHY | {"release": "organizers"}),
    "POST /tournaments/{id}/reveal": Row(REFUSED, WHY | {"shown": 0}),
    "POST /tournaments/{id}/prize": Row(RUNS, WHY | {"prize": "a book"}),
    "POST /tournaments/{id}/awards": Row(RUNS, {"awards": True, **WHY}),
    "GET /tournaments/{id}/reruns": Row(RUNS),
    "POST /tournaments/{id}/reruns": Row(RERUNS, WHY | {"entrant": 0}),
    "POST /reruns/{id}/apply": Row(NO_RERUN, WHY),
    "POST /reruns/{id}/discard": Row(NO_RERUN, WHY),
    "GET /webhooks": Row(ACCOUNT),
    "POST /webhooks": Row(ENTERS, {"url": "https://example.org/another"}),
    "GET /webhooks/{id}": Row(OWN_ALONE),
    "DELETE /webhooks/{id}": Row(OWN_DELETED),
    "POST /webhooks/{id}/switch-on": Row(OWN_ALONE),
    "GET /webhooks/{id}/deliveries": Row(OWN_ALONE),
    "POST /webhooks/{id}/deliveries/{event}/again": Row(OWN_ALONE),
    "GET /workers": Row(OPERATES),
    "POST /workers/park": Row(PARKS, WHY | {"worker": "nowhere:core0"}),
    "POST /matches/{id}/requeue": Row(REQUEUES, WHY),
    "POST /workers/{id}/release": Row(OPERATES, WHY),
    "POST /device/code": Row(NO_TOKEN),
    "POST /device/token": Row(NO_TOKEN),
    "GET /failed-attempts": Row(OPERATES),
}
QUERIES = {
    "DELETE /home-bots/{id}/line": "?line=0",
    "GET /home-bots/{id}/asks": "?line=0",
    "GET /home-bots/{id}/asks/{match}": "?seat=0",
}
OF_REJECTED = ("POST /submissions/{id}/activate", "DELETE /submissions/{id}")

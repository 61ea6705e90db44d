"""A role of PostgreSQL for the workers of one machine, which can do what players do, and nothing else.

    agon_workers                 a group without a password; its name has that of the database before it
    agon_worker_MACHINE          signs in; each machine has its own, so that one can be shut out alone

Theory of operation.

- What they may do is listed here, table by table; a table that is not listed is closed to them. So is every
  new one: a test plays matches of each kind as such a role, and fails where the list is too short.
- Accounts are read through a view of the schema `workers`, which comes first in the role's search path. It
  has names, and neither passwords nor addresses.
- Results: rows of a match, and what is stored with it, can be written only while the match is running, and by
  the machine whose worker has the lease. Policies of PostgreSQL see to it (row level security); the site's
  own role, which owns the tables, is not subject to them. A machine can invent the results of matches that it
  plays, as any machine can; it cannot change any other one, nor one that is there.
- What follows from results (ratings, rounds of tournaments) workers compute and write; `recompute_ratings`
  and `agon verify` compare it with the results.
- The policies name no role, so that a backup can be restored where there is none.
- Migrations change tables on which views and policies depend: these are removed before and made again after
  (`suspend`, `renew`, called by FleetConfig). In between, workers are shut out.
"""

import re
from collections.abc import Mapping

from django.apps import apps
from django.db import connection, transaction

SCHEMA = "workers"
MACHINE = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}")
CONNECTIONS = 200  # of one machine at most

READ = "SELECT"
ADD = "SELECT, INSERT"
CHANGE = "SELECT, INSERT, UPDATE"
KEEP = "SELECT, INSERT, UPDATE, DELETE"
_STATE_OF_BOT = "SELECT, UPDATE (state, reason, changed, active_id, cleared)"
_STATE_OF_SUBMISSION = "SELECT, UPDATE (state, reason, activated, lease_until, attempt)"
RIGHTS: Mapping[str, str] = {
    "django_migrations": READ,
    "core_release": READ,
    "audit_act": ADD,
    "teams_team": READ,
    "teams_membership": READ,
    "competitions_competition": READ,
    "competitions_organizer": READ,
    "competitions_participant": READ,
    "bots_bot": _STATE_OF_BOT,
    "bots_submission": _STATE_OF_SUBMISSION,
    "bots_homeline": READ,
    "matches_match": CHANGE,
    "matches_seat": CHANGE,
    "matches_recording": ADD,
    "matches_pack": READ,
    "matches_removedrecord": READ,
    "matches_stderr": ADD,
    "matches_fault": ADD,
    "matches_failedattempt": ADD,
    "matches_homeask": CHANGE,
    "matches_workertime": KEEP,
    "fleet_environment": ADD,
    "fleet_pausedworker": KEEP,
    "fleet_oddworker": CHANGE,
    "fleet_process": CHANGE,
    "fleet_total": CHANGE,
    "fleet_loggederror": CHANGE,
    "fleet_canary": READ,
    "trials_trial": "SELECT, UPDATE, DELETE",
    "leaderboards_rating": KEEP,
    "leaderboards_rated": KEEP,
    "leaderboards_ratingpoint": KEEP,
    "leaderboards_paircount": KEEP,
    "leaderboards_seatcount": KEEP,
    "leaderboards_leaderboard": CHANGE,
    "comparisons_comparison": "SELECT, UPDATE",
    "challenges_challenge": "SELECT, UPDATE",
    "challenges_opponent": "SELECT, UPDATE",
    "courses_course": READ,
    "courses_course_competitions": READ,
    "courses_milestone": READ,
    "courses_judging": CHANGE,
    "courses_assessment": CHANGE,
    "tournaments_tournament": "SELECT, UPDATE",
    "tournaments_entrant": "SELECT, UPDATE",
    "tournaments_rerun": "SELECT, UPDATE",
    "tournaments_rerunmatch": CHANGE,
    "tournaments_seeddraw": ADD,
    "seasons_season": READ,
    "seasons_seasontournament": READ,
    "events_event": ADD,
    "events_order": CHANGE,
    "events_counter": CHANGE,
    "events_follow": READ,
}
# Columns of accounts that workers have no use for, and what they see in their place.
HIDDEN = {
    **dict.fromkeys(("password", "email", "first_name", "last_name", "about"), "''::text"),
    **dict.fromkeys(("is_staff", "is_superuser"), "false"),
    **dict.fromkeys(("last_login", "date_joined"), "NULL::timestamptz"),
}

# The machine of the role that asks: what follows in its name.
_OWN = "worker LIKE replace(substring(current_user from '_worker_(.*)$'), '_', '\\_') || ':%'"
_RUNS_HERE = (
    f"EXISTS (SELECT 1 FROM matches_match AS m WHERE m.id = {{}} AND m.state = 'running' AND m.{_OWN})"
)
_WAITS = "EXISTS (SELECT 1 FROM matches_match AS m WHERE m.id = match_id AND m.state IN ('queued', 'held'))"
_OF_MATCH = _RUNS_HERE.format("match_id")
_OF_SEAT = _RUNS_HERE.format("(SELECT s.match_id FROM matches_seat AS s WHERE s.id = seat_id)")
# For each table: which rows may be changed, and what the rows that are added or changed must be like then.
POLICIES: Mapping[str, tuple[str, str, str]] = {
    "matches_match": (
        f"state IN ('queued', 'held', 'withdrawn') OR state = 'running' AND {_OWN}",
        f"state IN ('queued', 'held', 'withdrawn') OR {_OWN}",
        "state IN ('queued', 'held')",
    ),
    "matches_seat": (_OF_MATCH, _OF_MATCH, _WAITS),
    "matches_recording": ("false", "false", _OF_MATCH),
    "matches_stderr": ("false", "false", _OF_SEAT),
    "matches_fault": ("false", "false", _OF_SEAT),
    "matches_failedattempt": ("false", "false", _OF_MATCH),
    "matches_homeask": (_OF_MATCH, _OF_MATCH, _OF_MATCH),
    "audit_act": ("false", "false", "actor_id IS NULL"),
}


class NoRole(Exception):
    """The role cannot be made; str(e) says why."""


def allow(machine: str, password: str) -> str:
    """Let workers of this machine (AGON_MACHINE there) sign in; returns the name of their role.

    One that was there gets the new password. Raises NoRole.
    """
    if connection.vendor != "postgresql":
        raise NoRole("Roles are of PostgreSQL: set DATABASE_URL to a database of one.")
    if not MACHINE.fullmatch(machine):
        raise NoRole(f"MACHINE: expected 1 to 31 lower-case letters, digits, - and _; got {machine[:100]!r}")
    name = f"{_database()}_worker_{machine}"
    if len(name) > 63:
        raise NoRole(f"MACHINE: {name} is too long for the name of a role, by {len(name) - 63} characters")
    with transaction.atomic():
        _make_role(_group(), "NOLOGIN")
        _make_role(name, "LOGIN")
        _run(f"ALTER ROLE {_q(name)} WITH CONNECTION LIMIT {CONNECTIONS} PASSWORD %s", [password])
        _run(f"GRANT {_q(_group())} TO {_q(name)}")
        _run(f"ALTER ROLE {_q(name)} IN DATABASE {_q(_database())} SET search_path = {SCHEMA}, public")
        renew()
    return name


def shut_out(machine: str) -> None:
    """Remove the role of this machine, and end its connections. Raises NoRole if there is none."""
    name = f"{_database()}_worker_{machine}"
    if not _is_role(name):
        raise NoRole(f"There is no role for the machine {machine[:100]!r}.")
    _run(f"ALTER ROLE {_q(name)} NOLOGIN")
    _run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [name])
    _run(f"DROP ROLE {_q(name)}")


def machines() -> list[str]:
    """The machines whose workers may sign in."""
    begin = f"{_database()}_worker_"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolname FROM pg_roles WHERE starts_with(rolname, %s) AND rolcanlogin ORDER BY 1", [begin]
        )
        return [name.removeprefix(begin) for (name,) in cursor.fetchall()]


def suspend() -> None:
    """Take the rights of all such roles, before tables change."""
    if connection.vendor == "postgresql" and _is_role(_group()):
        with transaction.atomic():
            _run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
            _run(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {_q(_group())}")
            _run(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {_q(_group())}")
            for table in POLICIES.keys() & set(connection.introspection.table_names()):
                for action in ("reads", "changes", "adds"):
                    _run(f"DROP POLICY IF EXISTS {action} ON {_q(table)}")


def renew() -> None:
    """Give all such roles the rights of this version; nothing if there is no such role."""
    if connection.vendor != "postgresql" or not _is_role(_group()):
        return
    group = _q(_group())
    with transaction.atomic():
        suspend()
        _run(f"CREATE SCHEMA {SCHEMA}")
        _run(f"GRANT USAGE ON SCHEMA {SCHEMA}, public TO {group}")
        columns = ", ".join(
            f"{HIDDEN[name]} AS {_q(name)}" if name in HIDDEN else _q(name) for name in _columns_of_accounts()
        )
        _run(f"CREATE VIEW {SCHEMA}.accounts_user AS SELECT {columns} FROM public.accounts_user")
        _run(f"GRANT SELECT ON {SCHEMA}.accounts_user TO {group}")
        for table, rights in RIGHTS.items():
            _run(f"GRANT {rights} ON {_q(table)} TO {group}")
        _run(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {group}")
        for table, (may_change, changed, added) in POLICIES.items():
            _run(f"ALTER TABLE {_q(table)} ENABLE ROW LEVEL SECURITY")
            _run(f"CREATE POLICY reads ON {_q(table)} FOR SELECT USING (true)")
            _run(
                f"CREATE POLICY changes ON {_q(table)} FOR UPDATE USING ({may_change}) WITH CHECK ({changed})"
            )
            _run(f"CREATE POLICY adds ON {_q(table)} FOR INSERT WITH CHECK ({added})")


def unlisted() -> list[str]:
    """Tables of the site that no worker may use."""
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    return sorted(tables - RIGHTS.keys())


def _columns_of_accounts() -> list[str]:
    fields = apps.get_model("accounts", "User")._meta.local_concrete_fields
    return [field.column for field in fields if field.column]


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _group() -> str:
    return f"{_database()}_workers"


def _make_role(name: str, option: str) -> None:
    if not _is_role(name):
        _run(f"CREATE ROLE {_q(name)} {option}")


def _is_role(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        return cursor.fetchone() is not None


def _q(name: str) -> str:
    return connection.ops.quote_name(name)


def _run(sql: str, values: list[str] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)  # with no values, % has no meaning of its own

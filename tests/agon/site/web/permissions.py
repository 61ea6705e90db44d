"""The table of permissions: who gets which status from which address.

Each row gives the status for each role, for GET (HEAD is the same) and for POST with a token.
"""

from typing import NamedTuple

HEAD_OF_ITS_OWN = ("admin:login",)  # Django redirects the signed in on GET alone


class Row(NamedTuple):
    get: str
    post: str = "405"  # one status: of all roles


ALL = "200"
LOGIN = "302"  # to the page to sign in: the only redirect that anonymous visitors get
# Roles in the order above:   anon newc owner riva orga coll staf mode dire admi
OWN = "                      404  404  200   404  404  404  404  200  404  200"
OWN_ELSE_LOGIN = "           302  404  200   404  404  404  404  200  404  200"
OWNER_ACTS = "               302  404  200   404  404  404  404  404  404  404"
OF_CAPTAIN = "               302  404  302   404  404  404  404  404  404  404"
MODERATES = "                302  404  404   404  404  404  404  200  404  200"
STDERR_OF_LADDER = OWN
STDERR_OF_CUP = "            404  404  200   404  200  404  404  200  200  200"
DRAFT = "                    404  404  404   404  200  404  404  404  200  200"
MAKES_TOURNAMENTS = "        302  404  404   404  200  200  404  404  200  200"
POST_ALONE = "              302  405  405   405  405  405  405  405  405  405"
OWN_DRAFT = "               302  404  404   404  200  404  404  404  404  404"
OPERATES = "               302  404  404   404  404  404  404  404  404  200"
TEACHES = "                 302  404  404   404  200  404  404  404  404  200"
RUNS_COMPETITION = "        302  404  404   404  404  404  404  404  200  200"
RUNS_TOURNAMENT = "          302  404  404   404  302  404  404  404  302  302"
ARCHIVE = "                  404  404  404   404  200  404  404  404  200  200"
ADMIN = "                    302  302  302   302  302  302  200  200  200  200"
NO_ADMIN = "                 302  302  302   302  302  302  403  403  403  403"
SUPERUSER = "                302  302  302   302  302  302  403  403  403  200"
READ_IN_ADMIN = "         302  302  302   302  302  302  405  405  405  405"
DELETES = "               302  302  302   302  302  302  403  403  403  302"
ADMIN_OF_BOTS = "         302  302  302   302  302  302  404  200  404  200"
VIEWS_BOTS = "               302  302  302   302  302  302  403  200  403  200"
VIEWS_CUPS = "               302  302  302   302  302  302  403  403  200  200"
SIGNED_IN = "                302  200  200   200  200  200  200  200  200  200"
NO_FACTOR = "               302  404  404   404  404  404  404  404  404  404"
NO_PASSWORD = "             302  403  403   403  403  403  403  403  403  403"  # to be asked for
SIGNED_OUT = "               200  302  302   302  302  302  302  302  302  302"

TABLE: dict[str, Row] = {}
PUBLIC_PAGES = (
    "home rules starter starter_kit data competition competition_changes announcements announcement "
    "head_to_head "
    "bot bot_analysis bot_rungs bot_challenges challenge matches match match_record match_log match_archive "
    "bot_ratings_csv bot_times_csv bot_faults_csv viewer shared_script match_embed match_picture match_live "
    "tournament_matrix tournament_matrix_csv tournament_race_csv "
    "tournament_calendar competition_calendar tournament_resolver seasons season season_csv season_json "
    "tv competition_tv tournament_tv competition_past competition_past_table "
    "tournaments tournament user tournament_archive tournament_csv tournament_jsonl tournament_parquet "
    "archive_signers chain chain_day docs docs_page docs_image"
)
TABLE |= {name: Row(ALL) for name in PUBLIC_PAGES.split()}
TABLE |= {
    "events": Row(ALL),
    **{
        name: Row(ALL, "405")
        for name in ("stylesheet", "favicon", "robots", "manifest", "llms", "docs_markdown")
    },
    "oembed": Row("404"),  # without the address of a match
    "match_file": Row("404"),  # the game of these tests writes none
    "submit": Row(ALL, "302 422  422   422  422  422  422  422  422  422"),
    "editor": Row(ALL, "422"),
    # The owner's bot has won. POST: no bot is named.
    "first_win": Row("302 204 286 204 204 204 204 204 204 204", "302 404 404 404 404 404 404 404 404 404"),
    # Of an account: the page that shows it. The trial of these tests has not been played, so it has no log.
    "trial": Row("404 404 302 404 404 404 404 404 404 404"),
    "trial_batch": Row("404"),  # it is alone
    "trial_log": Row("404"),
    "trial_debug": Row("404"),
    "submission": Row(OWN),
    "submission_source": Row(OWN),
    "submission_code": Row(OWN),
    "submission_diff": Row("404"),  # there is only one version; see tests/agon/site/bots/test_code.py
    "submission_compare": Row(OWNER_ACTS, "302 404 302 404 404 404 404 404 404 404"),
    "comparison": Row(OWN),
    "comparison_cancel": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 302 404 404 404 404 404 404 404"
    ),
    "challenge_new": Row(SIGNED_IN, "302 422 422 422 422 422 422 422 422 422"),
    "own_challenges": Row(SIGNED_IN),
    "home_bot_new": Row(SIGNED_IN, "302 422 422 422 422 422 422 422 422 422"),
    # The bots of these tests are uploaded; see tests/agon/site/challenges/test_at_home.py.
    "home_bot_open": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404 404 404"
    ),
    "challenge_cancel": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 302 404 404 404 404 404 404 404"
    ),
    # A rejected version is removed; its page is asked for first, so that the address tells nothing.
    "submission_remove": Row(OWN_ELSE_LOGIN, "302 404 302 404 404 404 404 302 404 302"),
    "submission_restore": Row(
        "302 404 302 404 404 404 404 302 404 302", "302 404 302 404 404 404 404 302 404 302"
    ),
    "odd_results": Row("302 404 404 404 200 200 404 404 200 200"),
    "decide": Row("302 405 405 405 405 405 405 405 405 405", "302 404 404 404 302 302 404 404 302 302"),
    "bot_stop": Row(MODERATES, "302 404 404 404 404 404 404 302 404 302"),
    # Of a bot that plays: not now, and it says so on the bot's page.
    "bot_release": Row("302 404 404 404 404 404 404 302 404 302", "302 404 404 404 404 404 404 302 404 302"),
    "bot_withdraw": Row(OWNER_ACTS, "302 404 302 404 404 404 404 404 404 404"),
    "bot_reenter": Row("302 404 302 404 404 404 404 404 404 404", "302 404 302 404 404 404 404 404 404 404"),
    "bot_rename": Row(OWN_ELSE_LOGIN, "302 404 302 404 404 404 404 302 404 302"),
    "bot_delete": Row(OWN_ELSE_LOGIN, "302 404 302 404 404 404 404 302 404 302"),
    "match_stderr": Row(STDERR_OF_LADDER),
    "match_debug": Row(
        "404  404  200   200  404  404  404  200  404  200"
    ),  # the rival has a seat, too: its own
    "match_stderr of a tournament": Row(STDERR_OF_CUP),
    "tournament not started": Row(DRAFT),
    "own_competitions": Row(SIGNED_IN),
    "competition_new": Row(MAKES_TOURNAMENTS, "302 404 404 404 422 422 404 404 422 422"),
    "competition_import": Row(POST_ALONE, "302 404 404 404 302 302 404 404 302 302"),
    # The draft is the organizer's own.
    "competition_draft": Row(OWN_DRAFT, "302 404 404 404 422 404 404 404 404 404"),
    "competition_open": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 404"),
    "competition_delete": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 404"),
    "competition_settings": Row(RUNS_COMPETITION, "302 404 404 404 404 404 404 404 422 422"),
    "competition_state": Row(POST_ALONE, "302 404 404 404 404 404 404 404 302 302"),
    "competition_organizers": Row(POST_ALONE, "302 404 404 404 404 404 404 404 302 302"),
    "competition_link": Row(POST_ALONE, "302 404 404 404 404 404 404 404 302 302"),
    "competition_clone": Row(POST_ALONE, "302 404 404 404 404 404 404 404 302 302"),
    "competition_export": Row(RUNS_COMPETITION),
    "announcement_new": Row(RUNS_COMPETITION, "302 404 404 404 404 404 404 404 422 422"),
    "announcement_edit": Row(RUNS_COMPETITION, "302 404 404 404 404 404 404 404 422 422"),
    "announcement_withdraw": Row(POST_ALONE, "302 404 404 404 404 404 404 404 302 302"),
    "competition_enter": Row(SIGNED_IN, "302"),
    # Of the course of these tests, the organizer is teacher, the colleague assistant, the rival student, and
    # the newcomer was one.
    "operate": Row(OPERATES),
    "operate_act": Row(POST_ALONE, "302 404 404 404 404 404 404 404 404 422"),
    "own_courses": Row(SIGNED_IN),
    "course_new": Row(MAKES_TOURNAMENTS, "302 404 404 404 422 422 404 404 422 422"),
    "course": Row("302 404 404 200 200 200 404 404 404 200"),
    "course_competitions": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 302"),
    "course_staff": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 302"),
    "course_state": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 302"),
    "course_student": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 302"),
    "course_roster": Row(TEACHES, "302 404 404 404 422 404 404 404 404 422"),
    "course_roster_csv": Row("302 404 404 404 200 200 404 404 404 200"),
    "course_links": Row(TEACHES),
    "course_milestone_new": Row(TEACHES, "302 404 404 404 422 404 404 404 404 422"),
    "course_milestone": Row(TEACHES, "302 404 404 404 422 404 404 404 404 422"),
    # An assistant reads, and judges nothing.
    "course_judging": Row(
        "302 404 404 404 200 200 404 404 404 200", "302 404 404 404 302 404 404 404 404 302"
    ),
    "course_extensions": Row(
        "302 404 404 404 200 200 404 404 404 200", "302 404 404 404 422 404 404 404 404 422"
    ),
    "course_assessment": Row("302 404 404 200 200 200 404 404 404 200"),
    "course_scale": Row(POST_ALONE, "302 404 404 404 302 404 404 404 404 302"),
    **{
        name: Row("302 404 404 404 200 200 404 404 404 200")
        for name in (
            "course_similar",
            "course_progress",
            "course_grades",
            "course_grades_moodle",
            "course_grades_canvas",
        )
    },
    "course_join": Row("404", "404"),  # the link of these tests leads nowhere
    "tournament_new": Row(MAKES_TOURNAMENTS, "302 404 404 404 422 422 404 404 422 422"),
    "season_new": Row(MAKES_TOURNAMENTS, "302 404 404 404 422 422 404 404 422 422"),
    "season_delete": Row(POST_ALONE, "302 404 404 404 302 404 404 404 302 302"),
    "season_edit": Row("302 404 404 404 200 404 404 404 200 200", "302 404 404 404 422 404 404 404 422 422"),
    "tournament_edit": Row(RUNS_TOURNAMENT, RUNS_TOURNAMENT),  # it was started: back to its page
    "tournament_estimate": Row(MAKES_TOURNAMENTS),
    "tournament_original": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 404 404 302 302 404 404 302 302"
    ),
    "tournament_advance": Row(POST_ALONE, RUNS_TOURNAMENT),
    "tournament_presenter": Row("302 404 404 404 200 404 404 404 200 200"),
    "tournament_logs": Row(ARCHIVE),
    "tournament_rerun": Row("302 404 404 404 200 404 404 404 200 200", RUNS_TOURNAMENT),
    # The tournaments of these tests open no sources.
    "tournament_enter": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404 404 404"
    ),
    "tournament_trf": Row("404"),  # the tournaments of these tests are no Swiss ones
    "tournament_sources": Row("404"),  # the organizer of these tests has not opened them
    "user_close": Row("302 404 200 404 404 404 404 404 404 200", "302 404 422 404 404 404 404 404 404 302"),
    "notices": Row(SIGNED_IN, "302"),
    "unsubscribe": Row("404", "404"),  # the link of these tests is not signed; see tests/agon/site/events
    "bot_badge": Row(ALL),
    # A POST without more: the reader follows it. Owners have the notices anyway, and are told so.
    "follow_bot": Row("302 405 405 405 405 405 405 405 405 405", "302"),
    "follow_competition": Row("302 405 405 405 405 405 405 405 405 405", "302"),
    "profile": Row(SIGNED_IN, "302"),  # a profile may be empty
    "competition_atom": Row(ALL),
    "notices_atom": Row("404"),  # there is no such address; see tests/agon/site/events/test_atom.py
    "notices_feed": Row("302 405 405 405 405 405 405 405 405 405", "302"),
    "webhooks": Row(SIGNED_IN, "302  422  422  422  422  422  422  422  422  422"),
    "webhook": Row("302 404 200 404 404 404 404 404 404 404"),
    **{
        f"webhook_{act}": Row(
            "302 405 405 405 405 405 405 405 405 405", "302 404 302 404 404 404 404 404 404 404"
        )
        for act in ("delete", "switch_on", "again")
    },
    # The owner is captain of a team, the rival its member. More: tests/agon/site/teams/test_permissions.py
    "teams": Row(SIGNED_IN, "302  422  422   422  422  422  422  422  422  422"),
    "team_join": Row("404", "404"),  # the link of these tests leads nowhere
    **{
        f"team_{act}": Row("302 405 405 405 405 405 405 405 405 405", OF_CAPTAIN)
        for act in ("invite", "revoke")
    },
    "team_role": Row(
        "302 405 405 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404 404 404"
    ),  # none is named
    "team_leave": Row("302 404 200 200 404 404 404 404 404 404", "302 404 302 302 404 404 404 404 404 404"),
    **{f"team_{act}": Row(OWNER_ACTS, OF_CAPTAIN) for act in ("remove", "close")},
    "tokens": Row(SIGNED_IN, "302  422  422  422  422  422  422  422  422  422"),
    "revoke_token": Row("302 405 405 405 405 405 405 405 405 405", "302 404 302 404 404 404 404 404 404 404"),
    "device": Row(SIGNED_IN, "302  422  422  422  422  422  422  422  422  422"),
    "registration_code": Row("302", "302"),  # the site of these tests is open
    **{name: Row("404") for name in ("imprint", "privacy")},  # it has no such texts
    "data_file": Row("404"),  # no night has passed
    "set_theme": Row("405", "302"),
    "set_language": Row("302", "302"),
}
# A bot of which no version has qualified, and the match in which that failed. What others show is for nobody.
TABLE |= {
    f"{name} that failed": Row(OWN)
    for name in (
        *("bot", "bot_analysis", "bot_rungs", "bot_ratings_csv", "bot_faults_csv"),
        *("match", "match_record", "match_log", "match_archive"),
    )
}
TABLE |= {f"{name} that failed": Row("404") for name in ("bot_badge", "match_embed", "match_picture")}
TABLE |= {
    f"tournament_{action}": Row("302 405 405 405 405 405 405 405 405 405", RUNS_TOURNAMENT)
    for action in ("start", "pause", "resume", "cancel", "organize")
}

# The admin: of each model the list, a new one, a row's history, its end, and its form.
READ_ONLY = {"bots_bot": VIEWS_BOTS, "bots_submission": VIEWS_BOTS, "tournaments_tournament": VIEWS_CUPS}
READ_ONLY |= {
    model: SUPERUSER
    for model in (
        "matches_match",
        "fleet_oddworker",
        "fleet_pausedworker",
        "leaderboards_rating",
        "audit_act",
    )
}
WRITTEN_BY_SUPERUSERS = (
    "auth_group",
    "competitions_competition",
    "account_emailaddress",
)
for model, who in READ_ONLY.items():
    TABLE |= {f"admin:{model}_change": Row(who, NO_ADMIN)}
    TABLE |= {f"admin:{model}_{page}": Row(who, who) for page in ("changelist", "history")}
    TABLE |= {f"admin:{model}_{page}": Row(NO_ADMIN, NO_ADMIN) for page in ("add", "delete")}
for model in (*WRITTEN_BY_SUPERUSERS, "accounts_user"):
    TABLE |= {
        f"admin:{model}_{page}": Row(SUPERUSER, SUPERUSER)
        for page in ("changelist", "add", "history", "change", "delete")
    }
TABLE |= {
    f"admin:{model}_delete": Row(SUPERUSER, DELETES) for model in ("auth_group", "account_emailaddress")
}
TABLE |= {
    "admin:competitions_competition_delete": Row(NO_ADMIN, NO_ADMIN),  # there are bots in it
    "admin:accounts_user_delete": Row(NO_ADMIN, NO_ADMIN),  # accounts are closed, on a page of their own
    "admin:auth_user_password_change": Row(SUPERUSER, SUPERUSER),
    "admin:index": Row(ADMIN, ADMIN),
    "admin:app_list": Row(ADMIN_OF_BOTS, ADMIN_OF_BOTS),
    "admin:login": Row("302 403 403 403 403 403 302 302 302 302", "302 403 403 403 403 403 200 200 200 200"),
    "admin:logout": Row("302 302 302 302 302 302 405 405 405 405", "302"),
    "admin:password_change": Row(ADMIN, ADMIN),
    "admin:password_change_done": Row(ADMIN, READ_IN_ADMIN),
    "admin:autocomplete": Row(NO_ADMIN, READ_IN_ADMIN),
    "admin:jsi18n": Row(ADMIN, READ_IN_ADMIN),
    "admin:view_on_site": Row("302", "302"),
}

# Accounts: the pages of the library that signs people up and in.
TABLE |= {
    "account_login": Row(SIGNED_OUT, SIGNED_OUT),
    "account_signup": Row(SIGNED_OUT, SIGNED_OUT),
    "account_logout": Row(SIGNED_IN, "302"),
    "account_inactive": Row(ALL),
    "account_reauthenticate": Row(NO_PASSWORD, NO_PASSWORD),
    "account_email": Row(SIGNED_IN, "302"),
    "account_email_verification_sent": Row(ALL),
    "account_change_password": Row("302", "302"),  # those who have none set one
    "account_set_password": Row(SIGNED_IN, SIGNED_IN),
    "account_reset_password": Row(ALL, ALL),
    "account_confirm_login_code": Row("302", "302"),
    "account_confirm_email": Row(ALL, "404"),
    "account_reset_password_from_key": Row(ALL, ALL),
    "account_reset_password_from_key_done": Row(ALL),
    "account_reset_password_done": Row(ALL),
    "security": Row(SIGNED_IN),
    "export": Row(SIGNED_IN, "302 422 422 422 422 422 422 422 422 422"),
    "session_end": Row(POST_ALONE, "302 404 404 404 404 404 404 404 404 404"),  # of somebody else
    "sessions_end": Row(POST_ALONE, "302"),
    # Turning a second factor on or off asks for the password first; the people of these tests have none.
    "mfa_index": Row(SIGNED_IN, "302 405 405 405 405 405 405 405 405 405"),
    "mfa_authenticate": Row("302", "302"),  # only while signing in
    "mfa_reauthenticate": Row(NO_PASSWORD, NO_PASSWORD),
    "mfa_activate_totp": Row(SIGNED_IN, SIGNED_IN),
    "mfa_deactivate_totp": Row(NO_FACTOR, NO_FACTOR),
    "mfa_view_recovery_codes": Row(NO_FACTOR, "302 405 405 405 405 405 405 405 405 405"),
    "mfa_generate_recovery_codes": Row(SIGNED_IN, SIGNED_IN),
    "mfa_download_recovery_codes": Row(NO_FACTOR, NO_FACTOR),
    # The site of these tests has no provider.
    "socialaccount_login_cancelled": Row(ALL),
    "socialaccount_login_error": Row("401"),
    "socialaccount_signup": Row("302", "302"),
    "socialaccount_connections": Row(SIGNED_IN, SIGNED_IN),
    "openid_connect_login": Row("404", "404"),
    "openid_connect_callback": Row("404", "404"),
}

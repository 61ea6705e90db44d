"""Settings of the web site and of the workers.

One code path, two ways to run it; only the environment differs. With no environment at all everything lives
in `var/` on one machine ("embedded"): SQLite, a broker made of files, uploaded and recorded files in
folders. `make docs` makes docs/reference/settings.md from the lists below; what follows the last semicolon is
the default.

The site
AGON_VAR             folder of all state of an embedded site; `var/` in the project
SITE_URL             where the site is seen from outside, and where links in mails lead: a host name of its
                     own, without a path; http://127.0.0.1:8000, or HOST and PORT of `make run`
ALLOWED_HOSTS        comma-separated host names that requests may name; this machine's, and SITE_URL's
TRUSTED_PROXY_COUNT  reverse proxies that set X-Forwarded-For and -Proto. With 0, visitors' addresses, which
                     limits are counted by, are those of their connections; 0
EMAIL_URL            `smtp://...`; none: mail is not used, and never needed
MAIL_FROM            the sender of mails, as in `Agon <agon@example.org>`; noreply at SITE_URL's host
HOST                 the address that `agon serve` listens on; 127.0.0.1
PORT                 the port that `agon serve` listens on; 8000
DEBUG                tracebacks in the browser; off
AGON_SITE_NAME       what the site calls itself in titles, in its header and in mails; Agon
AGON_REGISTRATION    who makes an account: everyone (`open`), those with AGON_REGISTRATION_CODE (`code`), or
                     nobody (`closed`). Links of rosters, teams and competitions let in as before; open
AGON_REGISTRATION_CODE the code, of 8 characters or more; none
AGON_OIDC_URL        an OpenID Connect provider with whose accounts people sign in, too, such as
                     https://login.example.org/realms/all; none
AGON_OIDC_NAME       what people call it; its host name
AGON_OIDC_CLIENT     the id under which the provider knows this site; none
AGON_OIDC_SECRET     the secret that goes with it; none
AGON_ANYONE_MAY_ORGANIZE everyone with an account can make competitions, and runs those; else organizers
                     alone can; off

Data
DATABASE_URL         `postgres://user:password@host/name`; none: SQLite in AGON_VAR
DATABASE_PASSWORD    in place of the one in the URL, where it may hold any characters; none
REDIS_URL            broker and cache; none: files in AGON_VAR
REDIS_PASSWORD       in place of the one in the URL; none
AGON_CA              file of certificates (PEM), one of which must have signed those of the database, of Redis
                     and of the bucket: they are then reached by TLS only, REDIS_URL by `rediss://`; none
STORAGE              where files are that machines share: `s3://KEY:SECRET@HOST/BUCKET/FOLDER?region=...`, or
                     `package.Class?option=value` of a storage of Django; folder `media` in AGON_VAR
STATIC_ROOT          where `collectstatic` has put the static files; none: served from the source folders

Secrets
SECRET_KEY           signs cookies, and encrypts second factors. Lines after the first are former keys, which
                     are still accepted. Required with DATABASE_URL or REDIS_URL; made once in AGON_VAR
ARCHIVE_KEY          OpenSSH private key (Ed25519, no passphrase) that signs archives. Without it, archives of
                     a site that is not embedded are unsigned; made once in AGON_VAR

Watching
AGON_LOG             `text` or `json`: what lines of the log look like; text
AGON_LOG_LEVEL       the least that is logged: DEBUG, INFO, WARNING, ERROR or CRITICAL; INFO
SENTRY_DSN           where errors of the log are sent, without the values in their messages: the address of a
                     project of Sentry, or of a server like it; none
AGON_CANARY_SECONDS  seconds between two trials by which the site tries itself, 60 or more, 0 for none; 300
AGON_METRICS_TOKEN   the token with which machines read /metrics and the details of /readyz, of 16 characters
                     or more; none
AGON_METRICS_NETWORKS comma-separated addresses and networks, such as 10.0.0.0/24, that read /metrics without
                     a token, if no proxy has passed the request on; none

Workers and ratings
AGON_MACHINE         this machine in the names of its workers. Set it for containers, which get new host
                     names; the host name
AGON_WARM_MIB        MiB that one worker's warm boxes may take; its share of a quarter of the memory
AGON_AUTHOR_SECONDS  worker time that one author's bots may use within an hour; 1800
AGON_BOT_SECONDS     the same for one bot; 900
AGON_LADDER_MATCHES  rated matches of a submission after which the ladder rests, ranks decided or not; 300

The sandbox and the games
AGON_SANDBOX         `docker` or `bubblewrap`; Docker if it answers, otherwise bubblewrap
AGON_SANDBOX_BASE    the base of Docker images; debian:bookworm-slim
AGON_SANDBOX_FAMILIES families of languages whose images are built, separated by spaces; core
AGON_SANDBOX_OPENER  the socket of a process that opens Docker's boxes; none: workers use the engine
AGON_SANDBOX_SOCKETS the folder of the sockets of Docker's boxes; the folder for temporary files
DOCKER_HOST          the address of the Docker engine; Docker's own
AGON_GAMES           one more folder of games; none
AGON_FORMATS         one more folder of tournament formats and points rules; none

Limits
AGON_STREAMS_PER_ADDRESS pages of one address that may follow the site live, in one web process; 60
AGON_STREAMS         the same of all addresses; at most half of the files that it may open; 5000
AGON_FREE_MIB        free space of a disk below which uploads are refused, builds and matches wait; 256
AGON_DATABASE_MIB    size of PostgreSQL's database beyond which uploads are refused, builds and matches wait:
                     less than its disk holds; 65536
AGON_ARTIFACTS_MIB   unpacked bots kept on a machine, the ones used longest ago removed first; 4096
AGON_TEAM_MEMBERS    people who are in one team at most; 5
AGON_ACCOUNT_MIB     uploads and built bots of one account; 1024
AGON_COMPETITION_MIB uploads and built bots of one competition, house bots not counted; 16384
AGON_SITE_MIB        uploads and built bots of the site, house bots not counted; 65536
AGON_TRIALS_MIB      what all trials together keep, the oldest removed first; 512

Development
AGON_LOCAL_HOOKS     webhooks may lead to this machine's own addresses, also by http; off

The command line
AGON_SITE            the address of the site that `agon submit` and others mean; the last `agon login`
AGON_TOKEN           the access token for it; the one that `agon login` keeps

SECRET_KEY, ARCHIVE_KEY, DATABASE_PASSWORD, REDIS_PASSWORD, STORAGE, EMAIL_URL, AGON_METRICS_TOKEN,
AGON_REGISTRATION_CODE, AGON_OIDC_SECRET and SENTRY_DSN may be given by a file:
SECRET_KEY_FILE=/run/secrets/key.
"""

import socket
from pathlib import Path
from stat import S_ISGID
from urllib.parse import urlsplit

import environ
from django.utils.translation import gettext_lazy as _

import games
from agon.resources import RESOURCES, data_folder
from agon.site.core.logs import FORMS, LEVELS, log_settings
from agon.site.core.secret_settings import secret, secret_keys, with_password
from agon.site.core.setting_values import (
    address,
    at_least,
    known_scheme,
    networks,
    never_or_at_least,
    one_of,
    openid,
    parsed,
    plain,
    redis,
    redis_tls,
    registration,
    sender,
    token,
)
from agon.site.core.storage import storage_setting
from sandbox.source import MOST_FILES

env = environ.Env()

VAR = data_folder()
DATABASE_URL = env.str("DATABASE_URL", default="")
if DATABASE_URL:
    known_scheme("DATABASE_URL", DATABASE_URL, env.DB_SCHEMES, "postgres://user:password@host/name")
REDIS_URL = with_password(redis("REDIS_URL", env.str("REDIS_URL", default="")), secret("REDIS_PASSWORD"))
CA = env.str("AGON_CA", default="")
EMBEDDED = not DATABASE_URL and not REDIS_URL

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY, *SECRET_KEY_FALLBACKS = secret_keys(VAR, generate=EMBEDDED)
ARCHIVE_KEY = secret("ARCHIVE_KEY")
SITE_NAME = plain("AGON_SITE_NAME", env.str("AGON_SITE_NAME", default="") or "Agon")
SITE_URL = address("SITE_URL", env.str("SITE_URL", default="http://127.0.0.1:8000"))
HTTPS = SITE_URL.startswith("https://")
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", urlsplit(SITE_URL).hostname or "localhost"]
)
CSRF_TRUSTED_ORIGINS = [SITE_URL] if HTTPS else []

INSTALLED_APPS = [
    "agon.site.core",
    "agon.site.accounts",
    "agon.site.audit",
    "agon.site.teams",
    "agon.site.competitions",
    "agon.site.tokens",
    "agon.site.bots",
    "agon.site.matches",
    "agon.site.fleet",
    "agon.site.trials",
    "agon.site.leaderboards",
    "agon.site.comparisons",
    "agon.site.challenges",
    "agon.site.courses",
    "agon.site.tournaments",
    "agon.site.seasons",
    "agon.site.archives",
    "agon.site.events",
    "agon.site.webhooks",
    "agon.site.use_cases",
    "agon.site.workers",
    "agon.site.web",
    "agon.site.api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "django_htmx",
]

MIDDLEWARE = [
    "agon.site.web.core.middleware.known_host",
    "agon.site.web.core.compression.Compression",
    "agon.site.web.core.proxies.known_proxies",
    "agon.site.web.core.refusals.logged_refusals",
    "django.middleware.security.SecurityMiddleware",
    "agon.site.web.core.middleware.security_headers",
    "agon.site.web.core.middleware.site_links",
    "agon.site.web.core.middleware.storable_cookies",
    "agon.site.web.core.middleware.private_pages",
    "agon.site.web.core.sent_once.SentOnce",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "agon.site.web.core.form_addresses.FormAddresses",
    "agon.site.web.core.broken_games.BrokenGames",
    "agon.site.web.core.confirming.Confirming",
]

ROOT_URLCONF = "agon.site.urls"
FORM_RENDERER = "agon.site.web.core.form_renderer.FormRenderer"
ASGI_APPLICATION = "agon.site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
            ]
        },
    }
]

# --- database ---------------------------------------------------------------------------------------------

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Without these time-outs, a machine that is cut off in mid-transaction keeps the rows locked that it claimed,
# and one that was asking waits for the answer: for two hours, after which Linux looks for the other end.
# Both ends look after 30 s without a word, and give up after 30 s more.
KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
DATABASE_SESSION = (
    "jit=off",  # the compiler of queries takes 80 ms where the planner overestimates, and saves less
    "idle_in_transaction_session_timeout=60s",  # of a process that is stopped, or behind a proxy
    "tcp_user_timeout=60s",
    *(f"tcp_{name}={value}" for name, value in KEEPALIVES.items()),
    # What an operator has set for the role, or the database, is not meant for these sessions: each statement
    # that waits too long, or fails because of others, would cost a match an attempt.
    "lock_timeout=0",
    "statement_timeout=0",
    r"default_transaction_isolation=read\ committed",
)
if DATABASE_URL:
    DATABASES = {"default": parsed("DATABASE_URL", DATABASE_URL, env.db_url_config)}
    if DATABASE_PASSWORD := secret("DATABASE_PASSWORD"):
        DATABASES["default"]["PASSWORD"] = DATABASE_PASSWORD
    if DATABASES["default"]["ENGINE"].endswith("postgresql"):
        DATABASES["default"]["OPTIONS"] = {
            # Else a request waits without end for a server that hangs, or for one whose network is gone.
            "connect_timeout": 5,  # seconds
            "tcp_user_timeout": 60_000,  # milliseconds
            **KEEPALIVES,
            "options": f"-c {' -c '.join(DATABASE_SESSION)}",
            **DATABASES["default"].get("OPTIONS", {}),
        }
        if CA:
            DATABASES["default"]["OPTIONS"] |= {"sslmode": "verify-full", "sslrootcert": CA}
else:
    VAR.mkdir(mode=0o755, parents=True, exist_ok=True)
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": VAR / "agon.sqlite3"}}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Write transactions take the lock when they begin: what a transaction has read cannot change under it,
    # which is what `select_for_update` gives on PostgreSQL.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    # A file, not memory: tests share it between threads and processes.
    DATABASES["default"]["TEST"] = {"NAME": VAR / "tests.sqlite3"}

# --- files ------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATICFILES_DIRS = [RESOURCES / "static"]
STATIC_ROOT = env.str("STATIC_ROOT", default=None)
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
MEDIA_ROOT = VAR / "media"
STORAGES = {
    "default": storage_setting(secret("STORAGE"), MEDIA_ROOT, CA),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage",
        # By default `collectstatic` makes them as private as uploads: unreadable for a server's own account.
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}

# --- broker and cache -------------------------------------------------------------------------------------

# Values name their classes (agon/site/core/cache_values.py): raise this when one is renamed, or its fields
# change.
CACHE_VERSION = 6

if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "agon.site.core.redis_cache.PatientRedis",
            "LOCATION": REDIS_URL,
            "VERSION": CACHE_VERSION,
            "OPTIONS": {
                "socket_connect_timeout": 0.5,
                "socket_timeout": 0.5,
                "serializer": "agon.site.core.cache_values.Serializer",
                **redis_tls(REDIS_URL, CA),
            },
        }
    }
else:
    CACHES = {
        "default": {
            "BACKEND": "agon.site.core.cache.PatientFiles",
            "LOCATION": VAR / "cache",
            "VERSION": CACHE_VERSION,
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        }
    }

if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_USE_SSL = redis_tls(REDIS_URL, CA) or None
    # Give up soon on a notice that cannot be sent: an upload waits for it, and the sweeper sends another.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "max_retries": 1,
        "interval_start": 0,
        "socket_connect_timeout": 1,
        "socket_timeout": 2,  # of a command; waiting for messages is not counted
    }
else:
    BROKER = VAR / "broker"
    BROKER.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "agon.site.core.queue.broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER),
        "data_folder_out": str(BROKER),
        "control_folder": str(BROKER),
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "interactive"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # nothing to remember between two starts
_PERIODIC = (  # task, queue, seconds between two, seconds after which one that no worker has begun is dropped
    ("agon.site.workers.tasks.sweep", "chores", 3.0, 10),
    ("agon.site.accounts.tasks.forget_sessions", "chores", 3600.0, 600),
    ("agon.site.workers.tasks.remove_old_records", "build", 300.0, 200),
    ("agon.site.workers.tasks.pack_records", "build", 30.0, 20),
    ("agon.site.workers.tasks.enter_house_bots", "build", 300.0, 200),
    ("agon.site.workers.tasks.look_for_languages", "build", 3600.0, 600),
)
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": every, "options": {"queue": queue, "expires": expires}}
    for task, queue, every, expires in _PERIODIC
}

# --- languages --------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ja", _("Japanese")), ("ru", _("Russian"))]
LOCALE_PATHS = [
    RESOURCES / "locale",
    *(path for folder in games.__path__ for path in sorted(Path(folder).glob("*/locale"))),
]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- accounts ---------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
ACCOUNT_ADAPTER = "agon.site.web.accounts.adapter.Adapter"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_USERNAME_BLACKLIST = ["admin", "administrator", "house", "agon", "root", "staff"]
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
AGON_REGISTRATION, AGON_REGISTRATION_CODE = registration(
    env.str("AGON_REGISTRATION", default="") or "open", secret("AGON_REGISTRATION_CODE")
)
# And allauth's own. Those by key are of a name at an address, or in a known browser:
# agon.site.web.accounts.adapter.
ACCOUNT_RATE_LIMITS = {
    "keep_draft": "120/h/ip,1000/h/key",  # key: the whole site
    "try_program": "120/m/ip,20/m/key",  # key: one person
    "device_login": "60/m/ip",
    "device_code": "300/m/ip,20/m/user",  # guesses, and right ones
    "signup": "60/m/ip",  # a class behind one address begins at the same time
    "registration_code": "10/m/ip",
    "export": "3/h/user",
    "login": "120/m/ip",
    "login_failed": "10/m/ip,5/300s/key",
    "login_failed_elsewhere": "100/h/key",
}
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)
# A second factor: codes of an app, codes on paper and, where browsers allow them, passkeys. These need https,
# or the name localhost.
IS_LOCALHOST = urlsplit(SITE_URL).hostname == "localhost"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", *(["webauthn"] if HTTPS or IS_LOCALHOST else [])]
MFA_ADAPTER = "agon.site.accounts.second_factor_keys.Adapter"
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = IS_LOCALHOST
MFA_TOTP_ISSUER = SITE_NAME
MFA_TOTP_TOLERANCE = 1  # of 30 s: clocks of telephones differ
# Signing in with an account of another site. It is never joined to an account here by its e-mail address.
SOCIALACCOUNT_ADAPTER = "agon.site.web.accounts.provider.Adapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # people choose the name that others see
SOCIALACCOUNT_PROVIDERS = openid(
    env.str("AGON_OIDC_URL", default=""),
    env.str("AGON_OIDC_NAME", default=""),
    env.str("AGON_OIDC_CLIENT", default=""),
    secret("AGON_OIDC_SECRET"),
)
EMAIL_URL = secret("EMAIL_URL")
MAIL = bool(EMAIL_URL)
ACCOUNT_EMAIL_VERIFICATION = SOCIALACCOUNT_EMAIL_VERIFICATION = "optional" if MAIL else "none"
MFA_ALLOW_UNVERIFIED_EMAIL = not MAIL
if MAIL:
    known_scheme("EMAIL_URL", EMAIL_URL, env.EMAIL_SCHEMES, "smtp+tls://USER:PASSWORD@mail.example.org:587")
    vars().update(parsed("EMAIL_URL", EMAIL_URL, env.email_url_config))
    EMAIL_TIMEOUT = 10  # seconds
    DEFAULT_FROM_EMAIL = SERVER_EMAIL = sender(
        "MAIL_FROM", env.str("MAIL_FROM", default=""), SITE_NAME, urlsplit(SITE_URL).hostname or "localhost"
    )
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

# --- security ---------------------------------------------------------------------------------------------

SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if ALLAUTH_TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# A pasted source is a form field; files are limited by the upload form.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # two for each bot that may enter a tournament
DATA_UPLOAD_MAX_NUMBER_FILES = MOST_FILES  # the files of a folder, as many as of an archive

# --- uploads and matches ----------------------------------------------------------------------------------

# Sources, artifacts and records are private. The services of a production site may have users of their own,
# and share the files by the group of AGON_VAR: its set-group-ID bit says so (deploy/prepare.sh).
if not EMBEDDED and VAR.exists() and VAR.stat().st_mode & S_ISGID:
    FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o660, 0o2770
else:
    FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
AGON_ARTIFACTS = VAR / "artifacts"  # built bots, a cache of this machine
AGON_SUBMISSIONS_PER_HOUR = 60  # of one user
AGON_BOTS_PER_USER = 20  # of one user in one competition
AGON_TEAM_MEMBERS = env.int("AGON_TEAM_MEMBERS", default=5)  # of one team
at_least("AGON_TEAM_MEMBERS", AGON_TEAM_MEMBERS, 1)
AGON_TEAMS_PER_USER = 5  # that one user is in at a time
AGON_PENDING_PER_USER = 5  # submissions of one user not yet active or rejected
# Seconds of worker time within an hour, for builds, qualifications and ladder matches; see
# agon/site/matches/usage.py
AGON_AUTHOR_SECONDS = env.float("AGON_AUTHOR_SECONDS", default=1800.0)
AGON_BOT_SECONDS = env.float("AGON_BOT_SECONDS", default=900.0)
at_least("AGON_AUTHOR_SECONDS", AGON_AUTHOR_SECONDS, 1)  # with 0 every bot would wait forever
at_least("AGON_BOT_SECONDS", AGON_BOT_SECONDS, 1)
AGON_LADDER_MATCHES = env.int("AGON_LADDER_MATCHES", default=300)  # agon/site/leaderboards/ladder.py
# Seconds of worker time within an hour for trials (agon/site/trials/services.py): of one person, of one
# network. A trial of a program without faults takes about one.
AGON_TRIAL_SECONDS = 300.0
AGON_TRIAL_NETWORK_SECONDS = 1800.0
AGON_TRIALS_AT_ONCE = 8  # waiting or played, of one network

# --- open pages -------------------------------------------------------------------------------------------

AGON_STREAMS_PER_ADDRESS = env.int("AGON_STREAMS_PER_ADDRESS", default=60)
AGON_STREAMS = env.int("AGON_STREAMS", default=5000)

# --- watching ---------------------------------------------------------------------------------------------

AGON_METRICS_TOKEN = token("AGON_METRICS_TOKEN", secret("AGON_METRICS_TOKEN"))
AGON_CANARY_SECONDS = env.int("AGON_CANARY_SECONDS", default=300)
never_or_at_least("AGON_CANARY_SECONDS", AGON_CANARY_SECONDS, 60)  # its worker time is limited
AGON_METRICS_NETWORKS = networks("AGON_METRICS_NETWORKS", env.list("AGON_METRICS_NETWORKS", default=[]))

# --- webhooks ---------------------------------------------------------------------------------------------

AGON_LOCAL_HOOKS = env.bool("AGON_LOCAL_HOOKS", default=False)
AGON_ANYONE_MAY_ORGANIZE = env.bool("AGON_ANYONE_MAY_ORGANIZE", default=False)

# --- workers ----------------------------------------------------------------------------------------------

AGON_MACHINE = env.str("AGON_MACHINE", default=socket.gethostname()).replace(":", "-")[:60]

# --- room on the disk, MiB ----------------------------------------------------------------------------------

AGON_FREE_MIB = env.int("AGON_FREE_MIB", default=256)
AGON_DATABASE_MIB = env.int("AGON_DATABASE_MIB", default=65_536)
AGON_ARTIFACTS_MIB = env.int("AGON_ARTIFACTS_MIB", default=4096)
AGON_ACCOUNT_MIB = env.int("AGON_ACCOUNT_MIB", default=1024)
AGON_COMPETITION_MIB = env.int("AGON_COMPETITION_MIB", default=16_384)
AGON_SITE_MIB = env.int("AGON_SITE_MIB", default=65_536)
AGON_TRIALS_MIB = env.int("AGON_TRIALS_MIB", default=512)

LOGGING = log_settings(
    one_of("AGON_LOG", env.str("AGON_LOG", default="text"), FORMS),
    one_of("AGON_LOG_LEVEL", env.str("AGON_LOG_LEVEL", default="INFO"), LEVELS),
    secret("SENTRY_DSN"),
    AGON_MACHINE,
)

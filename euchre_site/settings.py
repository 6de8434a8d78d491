"""The settings of the site; those that differ between installations come from the environment.

Secret keys missing from the environment are read from `secrets.env` in the data folder, which
`manage.py quickstart` writes. docs/settings.md lists the variables.
"""

import logging
from pathlib import Path
from typing import Any

import environ
import structlog
from celery.schedules import crontab
from csp.constants import NONE, SELF
from kombu import Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from euchre_site.environment import Variables
from euchre_site.login_providers import login_providers
from euchre_site.logs import (
    Causes,
    WithoutTracesOfOthers,
    only_known_keys,
    trace_of,
    without_secret_paths,
)

BASE_DIR = Path(__file__).resolve().parent.parent
env = Variables()
DATA_DIR = Path(env.text("BOWER_DATA", default=str(BASE_DIR / "var"))).resolve()
KEYS_FILE = DATA_DIR / "secrets.env"
env.read(KEYS_FILE)

# The site
SECRET_KEY = env.secret("SECRET_KEY", KEYS_FILE)
# Former keys, with which existing sessions and links stay valid until they expire
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS", default=[])
# Encrypts the secrets of shuffles not yet played out
DEAL_KEY = env.fernet_key("DEAL_KEY", KEYS_FILE)
DEBUG = env.flag("DEBUG", default=False)
ALLOWED_HOSTS = env.words(
    "ALLOWED_HOSTS",
    default=["localhost", "127.0.0.1", "[::1]"],
    pattern=r"\*|\.?[\w.-]+|\[[0-9a-fA-F:.]+\]",
    allowed="a name such as euchre.example.org, without https:// and port",
)
CSRF_TRUSTED_ORIGINS = env.words(
    "CSRF_TRUSTED_ORIGINS",
    default=[],
    pattern=r"https?://([\w.*-]+|\[[0-9a-fA-F:.]+\])(:\d+)?",
    allowed="an origin such as https://euchre.example.org, without a path",
)
SITE_NAME = env.text("SITE_NAME", default="Bower")
ADMIN_PATH = env.text("ADMIN_PATH", default="").strip("/")  # empty: no admin pages
# Empty: everything in one process
REDIS_URL: str = env.address(
    "REDIS_URL", ("redis", "rediss", "unix"), "redis://host:6379/0 or the like"
)
# For links in mails and calendars, without a slash at the end
SITE_URL = env.matching(
    "SITE_URL",
    r"https?://[^\s/?#@]+/?",
    default="http://localhost:8000",
    allowed="an address such as https://euchre.example.org, without a path",
).rstrip("/")

ROOT_URLCONF = "euchre_site.urls"
ASGI_APPLICATION = "euchre_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "euchre_site.apps.SiteConfig",
    "tournaments.apps.TournamentsConfig",
    "games.apps.GamesConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.apple",
    "allauth.socialaccount.providers.microsoft",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_htmx",
    "rules.apps.AutodiscoverRulesConfig",
    *(["euchre_site.apps.AdminConfig"] if ADMIN_PATH else []),
]
MIDDLEWARE = [
    "euchre_site.monitoring.requests.CountedRequests",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "euchre_site.guards.compression.compress_pages",
    "euchre_site.guards.bodies.answer_refused_bodies",
    "euchre_site.guards.waiting_room.WaitingRoom",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "games.api.gate.ApiMiddleware",
    "euchre_site.guards.two_steps.TwoStepsFirst",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "euchre_site.pages.look.site",
            ],
        },
    }
]


# Database
def database() -> dict[str, Any]:
    """Return the default database: SQLite made for one durable writer, or pooled PostgreSQL."""
    address = env.address(
        "DATABASE_URL",
        ("sqlite", "postgres", "postgresql"),
        "postgres://user:password@host:5432/bower or sqlite:////folder/db.sqlite3, with special "
        "characters in the password percent-encoded (%40 for @)",
        path=True,
    )
    address = address or f"sqlite:///{DATA_DIR}/db.sqlite3"
    config: dict[str, Any] = environ.Env.db_url_config(address)
    if config["ENGINE"].endswith("sqlite3"):
        config["ENGINE"] = "euchre_site.sqlite3"
        config["OPTIONS"] = {
            "timeout": 10,  # seconds
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; "
                "PRAGMA secure_delete = ON"  # overwrite what is deleted, names above all
            ),
        }
    else:
        config["ENGINE"] = "euchre_site.postgresql"
        config["CONN_MAX_AGE"] = 0
        pool = {
            "min_size": 1,
            # one for each thread, in quickstart too, so that none waits for another's
            "max_size": PAGES_AT_ONCE + WORKER_THREADS + 2,
            "timeout": 2,  # seconds to wait for a connection
            "reconnect_timeout": 2,  # seconds; afterwards each request tries at once
        }
        timeouts = {"connect_timeout": 2, "tcp_user_timeout": 5000}  # seconds, milliseconds
        config["OPTIONS"] = {**timeouts, **config.get("OPTIONS", {}), "pool": pool}
    return config


# Pages that a web process answers at once; on PostgreSQL each uses a connection
PAGES_AT_ONCE = env.whole("DB_POOL", default=8, least=1, most=200, unit="connections")
WORKER_THREADS = 16
DATABASES = {"default": database()}
CACHES = {
    "default": {
        "BACKEND": "euchre_site.caching.RedisOrMemoryCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {
            "socket_timeout": 1.0,  # seconds
            "socket_connect_timeout": 1.0,
            "retry": Retry(NoBackoff(), 0),
        },
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},  # one for each address that uses the API
    },
    # Pages as visitors see them, for a second or two
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

# Tasks: without Redis, a queue in the memory of the one process
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS = {} if REDIS_URL else {"polling_interval": 0.25}  # seconds
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Short tasks, on which play depends, and long ones. There are more threads than long tasks, so that
# these cannot occupy all of them (`euchre_site/celery.py`)
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in ("ticks", "work")]
CELERY_TASK_DEFAULT_QUEUE = "ticks"
CELERY_TASK_ROUTES = {
    name: {"queue": "work"}
    for name in (
        "tournaments.tasks.daily_deals",
        "tournaments.tasks.send_letters",
        "tournaments.tasks.send_pushes",
        "tournaments.tasks.send_webhooks",
        "tournaments.tasks.remove_old_deliveries",
        "tournaments.tasks.rate",
        "tournaments.tasks.check_ratings",
        "tournaments.tasks.forget_addresses",
        "euchre_site.tasks.own_data",
        "euchre_site.tasks.back_up",
        "games.tasks.forget_pushes",
        "games.tasks.forget_talk",
        "games.tasks.review",
        "games.tasks.analyse",
    )
}
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = WORKER_THREADS
CELERY_BEAT_SCHEDULER = "euchre_site.schedule.Schedule"
CELERY_BEAT_MAX_LOOP_INTERVAL = 1  # seconds
CELERY_BEAT_SCHEDULE = {
    # every second; a late one catches up on those missed, so old ones may expire
    "sweep": {"task": "games.tasks.sweep", "schedule": 1.0, "options": {"expires": 5.0}},
    "keep-log": {"task": "games.tasks.keep_log", "schedule": 2.0, "options": {"expires": 5.0}},
    "events": {"task": "tournaments.tasks.tick", "schedule": 1.0, "options": {"expires": 5.0}},
    "close-left": {
        "task": "games.tasks.close_left",
        "schedule": 600.0,
        "options": {"expires": 600.0},
    },
    "forget-talk": {
        "task": "games.tasks.forget_talk",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    "quick-games": {
        "task": "games.tasks.seat_waiting",
        "schedule": 1.0,
        "options": {"expires": 5.0},
    },
    "release-left": {
        "task": "games.tasks.release_left",
        "schedule": 10.0,
        "options": {"expires": 20.0},
    },
    "play-on": {"task": "games.tasks.play_on", "schedule": 5.0, "options": {"expires": 10.0}},
    "note-performances": {
        "task": "games.tasks.record_performances",
        "schedule": 5.0,
        "options": {"expires": 10.0},
    },
    "archive": {
        "task": "games.tasks.archive",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "review": {"task": "games.tasks.review", "schedule": 2.0, "options": {"expires": 5.0}},
    "analyse": {"task": "games.tasks.analyse", "schedule": 1.0, "options": {"expires": 5.0}},
    "forget-analyses": {
        "task": "games.tasks.forget_analyses",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    "daily-deals": {
        "task": "tournaments.tasks.daily_deals",
        "schedule": 10.0,
        "options": {"expires": 20.0},
    },
    "send-letters": {
        "task": "tournaments.tasks.send_letters",
        "schedule": 5.0,
        "options": {"expires": 10.0},
    },
    "call-absent": {
        "task": "games.tasks.call_absent",
        "schedule": 3.0,
        "options": {"expires": 6.0},
    },
    "send-pushes": {
        "task": "tournaments.tasks.send_pushes",
        "schedule": 2.0,
        "options": {"expires": 4.0},
    },
    "forget-pushes": {
        "task": "games.tasks.forget_pushes",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    "send-webhooks": {
        "task": "tournaments.tasks.send_webhooks",
        "schedule": 3.0,
        "options": {"expires": 6.0},
    },
    "rate": {"task": "tournaments.tasks.rate", "schedule": 10.0, "options": {"expires": 20.0}},
    "keep-bans": {
        "task": "euchre_site.office.tasks.keep_bans",
        "schedule": 10.0,
        "options": {"expires": 20.0},
    },
    "measure-games": {
        "task": "tournaments.tasks.measure_games",
        "schedule": 20.0,
        "options": {"expires": 20.0},
    },
    "check-ratings": {
        "task": "tournaments.tasks.check_ratings",
        "schedule": crontab(hour=4, minute=30),
        "options": {"expires": 6 * 3600.0},
    },
    "forget-addresses": {
        "task": "tournaments.tasks.forget_addresses",
        "schedule": crontab(hour=4, minute=20),
        "options": {"expires": 6 * 3600.0},
    },
    "remove-old-deliveries": {
        "task": "tournaments.tasks.remove_old_deliveries",
        "schedule": crontab(hour=4, minute=15),
        "options": {"expires": 6 * 3600.0},
    },
    "own-data": {
        "task": "euchre_site.tasks.own_data",
        "schedule": 5.0,
        "options": {"expires": 10.0},
    },
    # every minute; one is made if it is due (`euchre_site/backups/daily.py`)
    "back-up": {
        "task": "euchre_site.tasks.back_up",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
}

# Backups: whether a worker of this machine makes one each day, the hour in TIME_ZONE, the folder,
# and the public key for which they are encrypted, from `manage.py backup --new-key`
BACKUPS = env.flag("BACKUPS", default=True)
BACKUP_HOUR = env.whole("BACKUP_HOUR", default=3, most=23)
BACKUP_FOLDER = Path(env.text("BACKUP_FOLDER", default="") or DATA_DIR / "backups").absolute()
BACKUP_KEY = env.age_key("BACKUP_KEY")

# The pace of a table, in seconds: how long a house player seems to think (least, most), how long a
# finished trick stays on the table, and when the next hand is dealt automatically
HOUSE_PAUSE: tuple[float, float] = env.span("HOUSE_PAUSE", default=(0.7, 1.5), most=60)
# Processes that think for strong house players; 0: the web process does, and thinks less
HOUSE_PROCESSES = env.whole("HOUSE_PROCESSES", default=1, most=64)
TRICK_REST = env.number("TRICK_REST", default=0.9, most=60)
NEXT_DEAL_PAUSE = env.number("NEXT_DEAL_PAUSE", default=6.0, most=3600)
# Seconds for which a new prompt ignores presses, which were meant for the previous one
PRESS_GUARD = env.number("PRESS_GUARD", default=0.3, most=5)
# Seconds in which people who press "Play now" at about the same time are put together.
QUICK_GATHER = env.number("QUICK_GATHER", default=2.0, most=60)
NEXT_GAME_PAUSE = env.number("NEXT_GAME_PAUSE", default=12.0, most=3600)  # in a match

# Minutes from the last result of an event until its places are final, mailed and rated; until then
# results can be corrected freely
RESULT_GRACE = env.whole("RESULT_GRACE", default=10, most=1440, unit="minutes")

# Messages that a socket may send at once, and per second after that: a hundred in any 20 seconds.
# The same limit applies to actions at tables by HTTP.
SOCKET_BURST = env.whole("SOCKET_BURST", default=40, least=1)
SOCKET_RATE = env.whole("SOCKET_RATE", default=3, least=1)
# Open sockets of one person, and of one address, in a web process
SOCKETS_PER_PERSON = env.whole("SOCKETS_PER_PERSON", default=30, least=1)
SOCKETS_PER_ADDRESS = env.whole("SOCKETS_PER_ADDRESS", default=1000, least=1)
# Whether quickstart compresses socket messages
SOCKET_DEFLATE = env.flag("SOCKET_DEFLATE", default=False)

# Tables that one address may make in ten minutes, since each takes space in the database
TABLES_IN_TEN_MINUTES = env.whole("TABLES_IN_TEN_MINUTES", default=60)
# Guests from one address who may take a seat, or begin the daily deal, in ten minutes
GUESTS_IN_TEN_MINUTES = env.whole("GUESTS_IN_TEN_MINUTES", default=120)
SEAT_REQUESTS_IN_TEN_MINUTES = env.whole("SEAT_REQUESTS_IN_TEN_MINUTES", default=60)
# Reviews of games that one address may ask for in ten minutes; each takes seconds of a processor
REVIEWS_IN_TEN_MINUTES = env.whole("REVIEWS_IN_TEN_MINUTES", default=30)
# Days in which the deletion of an account can be undone; 0: it is immediate
DELETION_DAYS = env.whole("DELETION_DAYS", default=7, most=90, unit="days")
# Days for which what is said at tables is kept, so that it can be reported
TALK_DAYS = env.whole("TALK_DAYS", default=90, least=1, most=3650, unit="days")
# Days after its end until a game's events are compressed; open cases about it come first
ARCHIVE_DAYS = env.whole("ARCHIVE_DAYS", default=14, least=1, most=3650, unit="days")
# API requests per minute: of one address without a token, and of one token
API_RATE_ANONYMOUS = env.whole("API_RATE_ANONYMOUS", default=120, least=1)
API_RATE_TOKEN = env.whole("API_RATE_TOKEN", default=600, least=1)
# Clubs that one person may own
CLUBS_OWNED = env.whole("CLUBS_OWNED", default=10, least=1)

# Destinations of webhooks besides https on the public internet, and how long messages are kept
WEBHOOKS_TO_PRIVATE = env.flag("WEBHOOKS_TO_PRIVATE", default=False)
WEBHOOKS_HTTP_HOSTS = env.words(
    "WEBHOOKS_HTTP_HOSTS",
    default=[],
    pattern=r"[\w.-]+|\[?[0-9a-fA-F:.]+\]?",
    allowed="the name of a host, without http:// and port",
)
# Push: the private key that signs messages (empty: no push), and the hosts of browsers' services
PUSH_KEY = env.push_key("PUSH_KEY")
PUSH_HOSTS = env.words(
    "PUSH_HOSTS",
    default=[
        "fcm.googleapis.com",
        "push.services.mozilla.com",
        "push.apple.com",
        "notify.windows.com",
    ],
    pattern=r"[\w-]+(\.[\w-]+)+",
    allowed="the name of a host, without https:// and port",
)
# Ratings: opponents needed for the leaderboard, and limits beyond which a match waits for a
# moderator (0: never)
RANKED_OPPONENTS = env.whole("RANKED_OPPONENTS", default=6, most=20)
RATING_SAME_PLAYERS = env.whole("RATING_SAME_PLAYERS", default=4)
RATING_SAME_MATCHES = env.whole("RATING_SAME_MATCHES", default=20)
RATING_HAND_SECONDS = env.whole("RATING_HAND_SECONDS", default=5)
RATING_ROOM_HAND_SECONDS = env.whole("RATING_ROOM_HAND_SECONDS", default=30)
# The least number of hands, or of points to play to, of a rated match
RATING_LEAST_HANDS = env.whole("RATING_LEAST_HANDS", default=4, most=20)
RATING_MATCHES_AN_HOUR = env.whole("RATING_MATCHES_AN_HOUR", default=20)
RATING_ADDRESS_MATCHES = env.whole("RATING_ADDRESS_MATCHES", default=5)
WEBHOOK_DAYS = env.whole("WEBHOOK_DAYS", default=30, least=1, most=3650, unit="days")

# People
AUTH_USER_MODEL = "games.User"
AUTHENTICATION_BACKENDS = [
    "rules.permissions.ObjectPermissionBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
CSRF_FAILURE_VIEW = "euchre_site.accounts.views.csrf_failure"
ACCOUNT_ADAPTER = "euchre_site.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "euchre_site.accounts.accounts.SignupForm"
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"{SITE_NAME}: "
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # ask for the password before an address is changed
PASSWORD_RESET_TIMEOUT = 60 * 60  # lifetime of the link in the mail, in seconds
# Each of these may send a letter to an address that somebody types. By day, too: those by minute
# alone let one browser write to thousands of strangers. A hall of people shares one address.
ACCOUNT_RATE_LIMITS = {
    "signup": "20/m/ip,300/d/ip",
    "reset_password": "20/m/ip,100/d/ip,5/m/key,10/d/key",
    "confirm_email": "1/180s/key,10/d/key",
    "manage_email": "5/m/user,10/d/user",
    "login_elsewhere": "200/m/ip",
}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_DISPLAY = "euchre_site.accounts.accounts.user_display"
ALLAUTH_TRUSTED_PROXY_COUNT = env.whole("TRUSTED_PROXIES", default=0, most=10)
MFA_ADAPTER = "euchre_site.accounts.passkeys.PasskeyAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "add_webauthn": "euchre_site.accounts.passkeys.AddPasskeyForm",
    "authenticate_webauthn": "euchre_site.accounts.passkeys.SecondStepForm",
    "login_webauthn": "euchre_site.accounts.passkeys.LoginForm",
    "reauthenticate_webauthn": "euchre_site.accounts.passkeys.ConfirmForm",
}
MFA_RATE_LIMITS = {"webauthn_login": "200/m/ip"}  # a hall of people shares one address
MFA_TOTP_ISSUER = SITE_NAME
# Other sites whose accounts let people in: this site's registration with each
LOGIN_PROVIDERS = login_providers(env)
SOCIALACCOUNT_ADAPTER = "euchre_site.accounts.elsewhere.ElsewhereAdapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # the name at the table is asked, as at any sign-up
SOCIALACCOUNT_FORMS = {"signup": "euchre_site.accounts.elsewhere.ElsewhereSignupForm"}
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True}}
SOCIALACCOUNT_REQUESTS_TIMEOUT = 3  # seconds
# Whose rank requires two-step login: nobody's, that of staff, or that of club directors as well
TWO_STEPS_FOR = env.choice("TWO_STEPS_FOR", "", ["staff", "directors"])

# Mail: written to files unless a mail server is set
EMAIL_CONFIG = environ.Env.email_url_config(
    env.address(
        "EMAIL_URL",
        tuple(environ.Env.EMAIL_SCHEMES),
        "smtp+tls://name:password@host:587, smtp+ssl://…, smtp://…, consolemail:// or filemail://, "
        "with special characters in name and password percent-encoded (%40 for @)",
    )
    or "filemail://"
)
vars().update(EMAIL_CONFIG)
if EMAIL_CONFIG["EMAIL_BACKEND"].endswith("filebased.EmailBackend"):
    EMAIL_FILE_PATH = DATA_DIR / "mail"
# Whether an address must be confirmed before its account can be used. Otherwise signing up reveals
# which addresses have accounts. It needs working mail, so it is the default if a server is set.
CONFIRM_ADDRESSES = env.flag(
    "CONFIRM_ADDRESSES", default=EMAIL_CONFIG["EMAIL_BACKEND"].endswith("smtp.EmailBackend")
)
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if CONFIRM_ADDRESSES else "optional"
# Without mail nobody could confirm an address to turn on two-step login
MFA_ALLOW_UNVERIFIED_EMAIL = not CONFIRM_ADDRESSES
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", default="bower@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_TIMEOUT = 10  # timeout of the mail server, in seconds

# Language and time
LANGUAGE_CODE = "en"
USE_I18N = True  # for the form errors in euchre_site/locale
USE_TZ = True
TIME_ZONE = env.zone("TIME_ZONE", default="UTC")

# Files
STATIC_LIVE = env.flag("STATIC_LIVE", default=DEBUG)  # serve the sources, not the collected files
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "euchre_site.static_files.static_files.PackageFiles",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if STATIC_LIVE
        else "euchre_site.static_files.static_files.HashedFiles"
    },
}

# Security
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
HTTPS = env.flag("HTTPS", default=False)  # served over TLS, by a proxy or otherwise
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90
SESSION_COOKIE_NAME = "bower_session"
CSRF_COOKIE_NAME = "bower_csrf"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.whole(
    "HSTS_SECONDS", default=30 * 24 * 3600 if HTTPS else 0, most=2 * 365 * 24 * 3600, unit="seconds"
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.flag("HSTS_PRELOAD", default=False)
# HSTS for subdomains and preloading are decisions of the domain's owner
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS and ALLAUTH_TRUSTED_PROXY_COUNT else None
)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Maximum bytes of a request body, and of one with a file; both are kept in memory. What a file
# holds may also be pasted into a field; euchre_site.guards.bodies holds other paths to the first
BODY_LIMIT = 64 * 1024
FILE_LIMIT = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_LIMIT
FILE_UPLOAD_MAX_MEMORY_SIZE = FILE_LIMIT
DEFAULT_EXCEPTION_REPORTER_FILTER = "euchre_site.error_reports.WithoutVariables"

# Monitoring: seconds for which a web process that is shutting down reports that it is not ready and
# keeps serving, so that a proxy can stop sending requests to it; and the address of the metrics
DRAIN_SECONDS = env.number("DRAIN_SECONDS", default=0.0, most=60)
METRICS_ADDRESS = env.ports("METRICS_ADDRESS")  # None: disabled

# Logs: one line per event, JSON outside a terminal; never cards, never what people write
LOG_FORMAT = env.choice("LOG_FORMAT", "console", ["json"])
LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", ["DEBUG", "WARNING", "ERROR", "CRITICAL"])
LOG_STEPS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    only_known_keys,
    without_secret_paths,
]
structlog.configure(
    processors=[*LOG_STEPS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": LOG_STEPS,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info
                if DEBUG
                else structlog.processors.ExceptionRenderer(trace_of),
                structlog.processors.JSONRenderer()
                if LOG_FORMAT == "json"
                else structlog.dev.ConsoleRenderer(colors=False),
            ],
        }
    },
    "filters": {"causes": {"()": Causes}, "others": {"()": WithoutTracesOfOthers}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["causes"]}
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.db.backends": {"level": "INFO"},  # its DEBUG lines contain values and secrets
        "django.server": {"handlers": [], "propagate": True},
        "celery": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},  # it logs the address of each request
        "urllib3": {"level": "WARNING"},  # its DEBUG lines contain the addresses of devices
        "uvicorn": {"level": "WARNING"},
        "uvicorn.error": {"filters": ["others"]},
    },
}
logging.captureWarnings(capture=LOG_FORMAT == "json")  # warnings become log lines, too

env.refuse()

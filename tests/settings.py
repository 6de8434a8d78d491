"""The site's settings with fixed keys and a data folder that lasts as long as the test run."""

import os
import tempfile

_data = tempfile.TemporaryDirectory(prefix="bower-tests-")
os.environ["BOWER_DATA"] = _data.name
os.environ["SECRET_KEY"] = "for-tests-only"
os.environ["DEAL_KEY"] = "Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtb2Yta2V5ISE="
os.environ["STATIC_LIVE"] = "true"
os.environ["EMAIL_URL"] = "memorymail://"

from euchre_site.settings import *  # noqa: E402, F403
from euchre_site.settings import CACHES, DATA_DIR, DATABASES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: write-ahead logging and a writer thread are part of what is tested.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    # To open a file with a hundred tables takes longer than most of what is asked there.
    DATABASES["default"]["CONN_MAX_AGE"] = None
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Pages are drawn anew whenever they are asked for; a test of what is kept of them says so.
CACHES = {**CACHES, "pages": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}

# House players answer at once; a test that needs a pause sets one.
HOUSE_PAUSE = (0.0, 0.0)
TRICK_REST = 0.0
# They choose in the process of the tests; a test of their workers sets a number.
HOUSE_PROCESSES = 0
NEXT_DEAL_PAUSE = 0.0
NEXT_GAME_PAUSE = 0.0
# Whoever presses "Play now" sits down at once; a test of the queue sets a time.
QUICK_GATHER = 0.0

# An event is over with its last result; a test of the time of grace sets one.
RESULT_GRACE = 0
# Tests play fast, few and from one address; those of ratings that wait set what they need.
RANKED_OPPONENTS = RATING_SAME_MATCHES = RATING_HAND_SECONDS = RATING_ROOM_HAND_SECONDS = 0
RATING_MATCHES_AN_HOUR = RATING_ADDRESS_MATCHES = RATING_LEAST_HANDS = 0

# All tests ask from one address; a test of the limit sets one.
API_RATE_ANONYMOUS = API_RATE_TOKEN = 1_000_000

"""Which subscriptions are taken, and when a device is forgotten."""

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore

from games.models import PushDevice, User
from games.notifying import devices
from games.notifying.devices import MOST, BadDeviceError
from tests.factories import PASSWORD, logged_in, member
from tests.push_service import LOCAL, Browser

pytestmark = pytest.mark.django_db
FCM = "https://fcm.googleapis.com/fcm/send/abc"
ADD = "/you/notifications/device/"
AGENT = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"


@pytest.fixture(autouse=True)
def _with_push(settings: Any) -> None:
    settings.PUSH_KEY = LOCAL["PUSH_KEY"]


@pytest.mark.parametrize(
    "url",
    [
        "http://fcm.googleapis.com/fcm/send/abc",
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://2130706433/",
        "https://localhost/hook",
        "https://metadata.google.internal/",
        "https://evilfcm.googleapis.com.example.org/",
        "https://evil-fcm.googleapis.com/",
        "https://fcm.googleapis.com@127.0.0.1/",
        "https://127.0.0.1\\@fcm.googleapis.com/",
        "https://fcm.googleapis.com:6379/",
        "https://fcm.googleapis.com\r\nHost: redis/",
        "ftp://fcm.googleapis.com/",
        "//fcm.googleapis.com/",
        "https://[fcm.googleapis.com/",
        "https://fcm.googleapis.com:99999/",
        "",
        FCM + "x" * 600,
    ],
)
def test_only_known_push_services_are_asked(url: str) -> None:
    assert devices.fault(url)
    with pytest.raises(BadDeviceError):
        devices.add(member(), SessionStore(), Browser().subscription(url), AGENT)


@pytest.mark.parametrize(
    "url",
    [
        FCM,
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
        "https://web.push.apple.com/QGb",
        "https://wns2-par02p.notify.windows.com/w/?token=BQ",
    ],
)
def test_the_services_of_browsers_are_allowed(url: str) -> None:
    assert devices.fault(url) == ""


def test_a_device_is_named_after_browser_and_system() -> None:
    maeve = member()
    browser = logged_in(maeve)
    sent = Browser().subscription(FCM)._asdict()
    assert browser.post(ADD, sent, headers={"User-Agent": AGENT}).status_code == 200
    assert maeve.push_devices.get().name == "Chrome on Android"
    page = browser.get("/you/notifications/").text
    assert "Chrome on Android" in page
    assert FCM not in page


@pytest.mark.parametrize("part", ["p256dh", "auth"])
def test_what_no_browser_sends_is_refused(part: str) -> None:
    for wrong in ("", "AAAA", "é" * 20, "A" * 87, "A" * 5000):
        sent = {**Browser().subscription(FCM)._asdict(), part: wrong}
        assert logged_in(member(f"M{len(wrong)}")).post(ADD, sent).status_code == 422
    assert not PushDevice.objects.exists()


def test_subscribing_again_in_a_browser_takes_the_place_of_its_device() -> None:
    browser = logged_in(member())
    for number in range(3):
        browser.post(ADD, Browser().subscription(f"{FCM}{number}")._asdict())
    assert PushDevice.objects.get().endpoint == f"{FCM}2"


def test_a_browser_belongs_to_whoever_used_it_last() -> None:
    maeve, ben = member(), member("Ben")
    sent = Browser().subscription(FCM)._asdict()
    logged_in(maeve).post(ADD, sent)
    logged_in(ben).post(ADD, sent)
    assert PushDevice.objects.get().player == ben


def test_one_person_has_a_limited_number_of_devices() -> None:
    maeve = member()
    for number in range(MOST + 3):
        devices.add(maeve, SessionStore(), Browser().subscription(f"{FCM}{number}"), AGENT)
    kept = list(maeve.push_devices.values_list("endpoint", flat=True))
    assert kept == [f"{FCM}{number}" for number in range(3, MOST + 3)]


def test_logging_out_forgets_the_browser_and_no_other() -> None:
    maeve = member()
    phone, computer = logged_in(maeve), logged_in(maeve)
    phone.post(ADD, Browser().subscription(f"{FCM}1")._asdict())
    computer.post(ADD, Browser().subscription(f"{FCM}2")._asdict())
    phone.post("/accounts/logout/")
    assert PushDevice.objects.get().endpoint == f"{FCM}2"


def test_a_new_password_forgets_all_devices() -> None:
    maeve = member()
    logged_in(maeve).post(ADD, Browser().subscription(FCM)._asdict())
    user = User.objects.get(player=maeve)
    user.set_password(PASSWORD + "!")
    user.save()
    assert not PushDevice.objects.exists()


def test_nobody_removes_or_tests_anothers_device() -> None:
    maeve, ben = member(), member("Ben")
    logged_in(maeve).post(ADD, Browser().subscription(FCM)._asdict())
    device = PushDevice.objects.get()
    assert logged_in(ben).post("/you/notifications/test/", {"device": device.pk}).status_code == 404
    logged_in(ben).post("/you/notifications/remove/", {"device": device.pk})
    assert PushDevice.objects.exists()
    logged_in(maeve).post("/you/notifications/remove/", {"device": device.pk})
    assert not PushDevice.objects.exists()


def test_without_a_key_there_is_no_push(settings: Any) -> None:
    settings.PUSH_KEY = ""
    browser = logged_in(member())
    assert browser.post(ADD, Browser().subscription(FCM)._asdict()).status_code == 403
    assert "This site sends no push" in browser.get("/you/notifications/").text

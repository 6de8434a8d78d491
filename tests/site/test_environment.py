"""Settings from the environment: valid values of each type, and errors."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pyrage import x25519

from euchre_site.environment import Variables

NAME = "BOWER_TEST_SETTING"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Variables:
    monkeypatch.delenv(NAME, raising=False)
    return Variables()


def refused(env: Variables) -> str:
    """Return the one line in which a setting is refused."""
    with pytest.raises(ImproperlyConfigured) as refusal:
        env.refuse()
    (line,) = str(refusal.value).splitlines()
    return line


READERS: dict[str, tuple[Callable[[Variables], object], object, dict[str, object], list[str]]] = {
    "whole": (
        lambda env: env.whole(NAME, 7, least=1, most=90, unit="days"),
        7,
        {"1": 1, " 90 ": 90},
        ["0", "91", "0.2", "-3", "eight", "1e1", "9" * 400],
    ),
    "number": (
        lambda env: env.number(NAME, 0.5, most=60),
        0.5,
        {"0": 0.0, "60": 60.0, "1e1": 10.0},
        ["-0.1", "60.1", "nan", "inf", "2,5", "x"],
    ),
    "span": (
        lambda env: env.span(NAME, (0.7, 1.5), most=60),
        (0.7, 1.5),
        {"0,0": (0.0, 0.0), "0.2, 5": (0.2, 5.0)},
        ["2,1", "1", "1,2,3", "-1,2", "1,61", "a,b", "nan,nan"],
    ),
    "flag": (
        lambda env: env.flag(NAME, default=True),
        True,
        {"true": True, "Yes": True, "1": True, "off": False, "FALSE": False},
        ["ture", "2", "none"],
    ),
    "choice": (
        lambda env: env.choice(NAME, "console", ["json"]),
        "console",
        {"json": "json", "JSON": "json", "console": "console"},
        ["xml"],
    ),
    "choice or nothing": (
        lambda env: env.choice(NAME, "", ["staff", "directors"]),
        "",
        {"staff": "staff"},
        ["everybody"],
    ),
    "zone": (
        lambda env: env.zone(NAME, "UTC"),
        "UTC",
        {"America/Chicago": "America/Chicago"},
        ["America/Chigaco", "CEST+", "/etc/passwd", "../passwd", "America"],
    ),
    "matching": (
        lambda env: env.matching(NAME, "https?://[a-z.]+", "http://here", "an address"),
        "http://here",
        {"https://there.example": "https://there.example"},
        ["there.example", "https://there.example/path"],
    ),
}
FITTING = [(kind, text, value) for kind, one in READERS.items() for text, value in one[2].items()]
WRONG = [(kind, text) for kind, one in READERS.items() for text in one[3]]


@pytest.mark.parametrize(("kind", "text", "value"), FITTING)
def test_valid_values(
    env: Variables, monkeypatch: pytest.MonkeyPatch, kind: str, text: str, value: object
) -> None:
    monkeypatch.setenv(NAME, text)
    assert READERS[kind][0](env) == value
    env.refuse()


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("empty", [None, ""])
def test_unset_variables_get_the_default(
    env: Variables, monkeypatch: pytest.MonkeyPatch, kind: str, empty: str | None
) -> None:
    if empty is not None:
        monkeypatch.setenv(NAME, empty)
    assert READERS[kind][0](env) == READERS[kind][1]
    env.refuse()


@pytest.mark.parametrize(("kind", "text"), WRONG)
def test_invalid_values_are_reported_with_what_is_allowed(
    env: Variables, monkeypatch: pytest.MonkeyPatch, kind: str, text: str
) -> None:
    monkeypatch.setenv(NAME, text)
    assert READERS[kind][0](env) == READERS[kind][1]
    assert refused(env).startswith(f"{NAME} is {text!r}: it must be ")


@pytest.mark.parametrize(
    "text", ["mysql://user:swordfish@host/db", "postgres://user:swordfish@host:x/db", "swordfish"]
)
def test_an_invalid_address_is_reported_without_its_password(
    env: Variables, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(NAME, text)
    assert not env.address(NAME, ["postgres"], "postgres://…")
    line = refused(env)
    assert line == f"{NAME} is not a valid address: it must be postgres://…."
    monkeypatch.setenv(NAME, "postgres://user:swordfish@host:5432/db")
    env = Variables()
    assert env.address(NAME, ["postgres"], "").endswith("/db")
    env.refuse()


def test_an_incomplete_address_is_refused(env: Variables, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("postgres:", "postgres://user:swordfish@host", "postgres://host/"):
        monkeypatch.setenv(NAME, text)
        assert not env.address(NAME, ["postgres"], "postgres://host/db", path=True)
    assert len(env.wrong) == 3


def test_each_invalid_item_of_a_list_is_named(
    env: Variables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> list[str]:
        return env.words(NAME, ["here"], pattern="[a-z.]+", allowed="a name")

    assert read() == ["here"]
    monkeypatch.setenv(NAME, "a.b, c")
    assert read() == ["a.b", "c"]
    env.refuse()
    monkeypatch.setenv(NAME, "a.b,https://c")
    read()
    assert refused(env) == f"{NAME} has 'https://c': it must be a name."


def test_a_malformed_key_is_reported_without_its_value(
    env: Variables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, Fernet.generate_key().decode())
    assert env.fernet_key(NAME, Path("secrets.env"))
    env.refuse()
    monkeypatch.setenv(NAME, "swordfish")
    env.fernet_key(NAME, Path("secrets.env"))
    line = refused(env)
    assert line.startswith(f"{NAME} is not a key of 32 bytes")
    assert line.endswith("such a key has 44. Restore the one that quickstart made.")
    assert "swordfish" not in line


def test_a_secret_key_in_place_of_a_public_one_is_reported_without_its_value(
    env: Variables, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not env.age_key(NAME)
    secret = x25519.Identity.generate()
    monkeypatch.setenv(NAME, str(secret.to_public()))
    assert env.age_key(NAME) == str(secret.to_public())
    env.refuse()
    monkeypatch.setenv(NAME, str(secret))
    assert not env.age_key(NAME)
    line = refused(env)
    assert line.startswith(f"{NAME} is not a public key of age")
    assert str(secret) not in line


def test_all_errors_are_reported_at_once(env: Variables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "x")
    env.whole(NAME, 1)
    env.flag(NAME, default=True)
    with pytest.raises(ImproperlyConfigured) as refusal:
        env.refuse()
    assert len(str(refusal.value).splitlines()) == 2


class TestFile:
    def test_the_environment_takes_precedence(
        self, env: Variables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv(NAME, "before")
        monkeypatch.setenv(f"{NAME}_2", "")  # so that it is taken back after the test
        monkeypatch.delenv(f"{NAME}_2")
        (tmp_path / "secrets.env").write_text(f"\ufeff{NAME}=file\n{NAME}_2=ä\n", "utf-8")
        env.read(tmp_path / "secrets.env")
        assert (env.text(NAME), env.text(f"{NAME}_2")) == ("before", "ä")
        env.refuse()

    def test_the_file_is_optional(self, env: Variables, tmp_path: Path) -> None:
        env.read(tmp_path / "secrets.env")
        env.refuse()

    def test_a_file_that_is_not_utf_8(self, env: Variables, tmp_path: Path) -> None:
        file = tmp_path / "secrets.env"
        file.write_bytes("SECRET_KEY=schlüssel\n".encode("latin-1"))
        env.read(file)
        env.secret(NAME, file)  # nobody knows whether it is there
        line = refused(env)
        assert line.startswith(f"{file} is not UTF-8 text (byte 15): ")
        assert "schl" not in line

    def test_invalid_lines_are_named(
        self, env: Variables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
    ) -> None:  # fmt: skip
        monkeypatch.setenv(NAME, "")  # so that it is taken back after the test
        monkeypatch.delenv(NAME)
        file = tmp_path / "secrets.env"
        file.write_text(f"# keys\n\nswordfish\nexport {NAME}=x\n{NAME}_3 = swordfish\n")
        env.read(file)
        assert env.text(NAME) == "x"
        assert env.wrong == [
            f"{file} line 3 is not NAME=value, without spaces before the =.",
            f"{file} line 5 is not NAME=value, without spaces before the =.",
        ]  # fmt: skip
        assert "swordfish" not in caplog.text + "".join(env.wrong)

    def test_an_unreadable_file(self, env: Variables, tmp_path: Path) -> None:
        env.read(tmp_path)
        assert refused(env) == f"{tmp_path} cannot be read: Is a directory."

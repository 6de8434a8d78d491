"""Exports contain everything about a person, nothing of others, and no card too early."""

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from structlog.testing import capture_logs

from euchre_site.own_data import deletion, export_contents, exports
from euchre_site.own_data.relations import RELATIONS
from games.engine.rules import HEADS_UP
from games.files.record import read_record
from games.files.strict_json import FileError
from games.models import Game, GameEvent, Player, Takeaway, TakeawayFile
from games.records.game_files import record_file
from games.sockets import hub
from tests.factories import Clock, member, play_out, player, table
from tests.site.own_data import full_account
from tests.site.own_data.taken_back import taken_back
from tournaments.acts import undoing
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]
DOCUMENT = Path(__file__).parents[3] / "docs/own-data.md"


@pytest.fixture(autouse=True)
def _quiet_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)


def unpacked(file: TakeawayFile) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bytes(file.data))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def made(who: Player) -> list[dict[str, bytes]]:
    """Return a player's export files, unpacked."""
    now = timezone.now()
    asked = exports.request(who, now)
    assert exports.make_due(Clock(now)) == 1
    return [unpacked(file) for file in asked.files.all()]


def data_of(who: Player) -> Any:
    return json.loads(made(who)[0]["data.json"])


def test_an_export_contains_everything() -> None:
    life = full_account.live()
    (files,) = made(life.maeve)
    data = json.loads(files["data.json"])
    assert (data["format"], data["version"]) == ("Bower own data", 1)
    sections = {rows.section for rows in RELATIONS.values() if rows.section}
    empty = {name for name in sections | data.keys() if not data.get(name)}
    assert empty <= {
        "groups", "permissions", "deletion", "admin_log", "partner_invitations", "sessions",
        "webhooks", "results_without_play", "seats_left", "claims",
    }  # fmt: skip
    assert data["account"]["email"] == full_account.ADDRESS
    assert data["player"]["name"] == full_account.NAME
    assert [one["name"] for one in data["past_names"]] == [full_account.BEFORE]
    assert data["clubs"][0]["role"] == "director"
    entered = {one["name"]: one for one in data["entries"]}
    assert entered["Thursday euchre"]["matches"]
    assert data["rating_holds"][0]["reason"] == "few"
    assert data["second_factor"][0]["type"] == "totp"
    records = [one for one in files if one.startswith("games/")]
    assert f"games/{life.game.pk}.json" in records
    read_record(files[f"games/{life.game.pk}.json"])


def test_rows_that_an_act_has_removed_are_exported_until_they_are_back() -> None:
    maeve, olga = member("Maeve"), member("Olga")
    act = taken_back(maeve, olga)
    removed = data_of(maeve)
    assert [one["reason"] for one in removed["corrections"]] == ["Maeve misread."]
    assert [one["said"] for one in removed["room_scores"]] == ["Maeve asks."]
    assert "address" not in removed["room_scores"][0]
    assert removed["holds_decided"][0]["words"] == "So says Maeve"
    undoing.undo(act, olga, timezone.now())
    back = data_of(maeve)
    for section in ("corrections", "room_scores", "holds_decided"):
        (now,), (then,) = back[section], removed[section]
        times = {"at": now.get("at")}  # written in another way
        assert then | times == now | times


def test_every_section_is_documented() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    life = full_account.live()
    missing = [name for name in data_of(life.maeve) if f"`{name}`" not in document]
    missing += [
        rows.section
        for rows in RELATIONS.values()
        if rows.section and f"| `{rows.section}`" not in document
    ]
    assert missing == []


def test_an_export_contains_no_secrets_and_no_other_addresses() -> None:
    life = full_account.live()
    token = life.maeve.tokens.get()
    assert life.maeve.user
    secrets = (
        life.maeve.user.password, token.digest, token.hint, "s3cret",
        life.maeve.feed_key.token, life.club.invite_token, "ben@example.com",
    )  # fmt: skip
    text = "".join(str(one.decode()) for one in made(life.maeve)[0].values())
    assert [one for one in secrets if one in text] == []


def test_owners_webhooks_are_exported_without_keys() -> None:
    life = full_account.live()
    hooks = data_of(life.ben)["webhooks"]
    assert [one["url"] for one in hooks] == ["https://example.org/euchre"]
    assert "secret" not in hooks[0]


def test_sessions_are_exported_without_keys() -> None:
    maeve = full_account.named(full_account.NAME, full_account.ADDRESS)
    browser, other = full_account.browser(maeve), full_account.browser(member("Ben"))
    data = data_of(maeve)
    assert [one["logged_in"][0]["method"] for one in data["sessions"]] == ["password"]
    text = json.dumps(data)
    assert str(browser.session.session_key) not in text
    assert str(other.session.session_key) not in text


def test_guests_can_export_too() -> None:
    guest = player("Otto")
    table(guest, house_seats=(1, 2, 3))
    data = data_of(guest)
    assert data["account"] is None
    assert len(data["games"]) == 1


def test_running_games_contain_only_own_actions() -> None:
    """The export is the same whatever the others hold and do."""
    maeve, ben = player("Maeve"), player("Ben")
    at = table(maeve, ben, rules=HEADS_UP)
    game = at.games.get()
    now = timezone.now()
    for seq, (seat, who, action) in enumerate(
        [(0, maeve, "pass"), (1, ben, "order"), (1, ben, "discard QS")], start=1
    ):
        GameEvent.objects.create(
            game=game, seq=seq, seat=seat, player=who, by="person", action=action, at=now
        )
    (files,) = made(maeve)
    assert list(files) == ["data.json"], "no record of a running game"
    (told,) = json.loads(files["data.json"])["games"]
    assert told["file"] is None
    assert [one["action"] for one in told["own_actions"]] == ["pass"]
    text = files["data.json"].decode()
    for secret in ("QS", bytes(game.secret).hex(), bytes(game.secret).decode("latin1")):
        assert secret not in text
    GameEvent.objects.filter(seq=3).update(action="discard JH")
    game.secret, game.mixed = b"another", b"m" * 32
    game.save()
    other = json.loads(made(maeve)[0]["data.json"])
    assert other["games"] == json.loads(text)["games"]


def test_many_games_are_split_into_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_contents, "GAMES_A_FILE", 2)
    maeve = player("Maeve")
    for _ in range(3):
        play_out(table(maeve, house_seats=(1,), rules=HEADS_UP), by="person")
    files = made(maeve)
    assert [len(one) for one in files] == [3, 1]
    named = {one["file"] for one in json.loads(files[0]["data.json"])["games"]}
    assert named == {name for one in files for name in one if name != "data.json"}


def test_requests_are_limited_to_three_a_day() -> None:
    maeve, now = member(), timezone.now()
    assert exports.request(maeve, now) == exports.request(maeve, now)
    exports.make_due(Clock(now))
    for _ in range(2):
        exports.request(maeve, now)
        exports.make_due(Clock(now))
    with pytest.raises(RefusedError) as refused:
        exports.request(maeve, now + timedelta(hours=23))
    assert refused.value.status == 429
    assert exports.request(maeve, now + timedelta(hours=25))


def test_files_are_kept_for_a_day() -> None:
    maeve, now = member(), timezone.now()
    exports.request(maeve, now)
    exports.make_due(Clock(now))
    assert exports.file_of(maeve, 1, now + timedelta(hours=23))
    assert exports.file_of(maeve, 2, now) is None
    assert exports.file_of(maeve, 1, now + timedelta(hours=24)) is None
    exports.delete_old(now + timedelta(hours=24))
    assert not TakeawayFile.objects.exists()


def test_a_failed_export_is_logged_and_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_kwargs: Any) -> bytes:
        raise ValueError("broken")

    maeve, now = member(), timezone.now()
    exports.request(maeve, now)
    with monkeypatch.context() as patch, capture_logs() as lines:
        patch.setattr(export_contents, "zip_file", broken)
        for hours in range(0, 12, 3):
            assert exports.make_due(Clock(now + timedelta(hours=hours))) == 0
    assert {line["event"] for line in lines} == {"export failed"}
    assert Takeaway.objects.get().due is None
    exports.request(maeve, now + timedelta(hours=13))
    assert exports.make_due(Clock(now + timedelta(hours=13))) == 1


def test_a_game_that_cannot_be_exported_is_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(game: Game) -> bytes:
        if game.number == 1 and game.table_id == first:
            raise FileError("", "broken")
        return record_file(game)

    maeve = player("Maeve")
    games = [play_out(table(maeve, house_seats=(1,), rules=HEADS_UP)) for _ in range(2)]
    first = games[0].table_id
    monkeypatch.setattr(export_contents, "record_file", broken)
    with capture_logs() as lines:
        (files,) = made(maeve)
    assert set(files) == {"data.json", f"games/{games[1].pk}.json"}
    assert [line["event"] for line in lines] == ["game not exported"]


def test_nothing_is_stored_for_a_deleted_account() -> None:
    maeve = member()
    made(maeve)
    assert maeve.user
    deletion.delete_account(maeve.user, None, timezone.now())
    assert not Takeaway.objects.exists()

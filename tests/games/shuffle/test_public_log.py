"""The public log: who gets which place, what stands there for good, and what is published when."""

import hashlib
import json
import re
import threading
import uuid
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import tasks
from games.engine.rules import CLASSIC_24, HEADS_UP
from games.fairness import publishing, views
from games.fairness.publishing import RETRY_AFTER, publish_ended
from games.models import Game, LogLine
from games.models.shuffles import PublishedLineError
from games.records.game_files import seal_of
from games.seats import closing, reserved, seating
from games.seats.reserved import ReservedTable
from games.shuffle import public_log
from games.shuffle.public_log import LogHead, append, chain
from games.shuffle.secret_box import unseal
from tests.factories import cast, play_out, player, table

pytestmark = [pytest.mark.django_db, pytest.mark.db]
NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
#: Its first digits alone are a place.
ENDLESS = f"{1:020}{'0' * 5000}"


def told(count: int = 1) -> list[uuid.UUID]:
    """Lines that wait for their places, of as many matches."""
    matches = [uuid.uuid4() for _ in range(count)]
    append((match, "created", {"commitment": match.hex * 2}) for match in matches)
    return matches


def lines() -> list[dict[str, Any]]:
    """The log as it is published, after checking that each line holds the hash of the last."""
    found, previous = [], bytes(32)
    for place, line in enumerate(LogLine.objects.exclude(place=None).order_by("place"), 1):
        read = json.loads(line.text)
        assert (read["place"], read["previous"]) == (place, previous.hex())
        previous = hashlib.sha256(b"EUF1.log" + line.text.encode()).digest()
        assert bytes(line.hash or b"") == previous
        found.append(read)
    assert public_log.head()[:2] == LogHead(len(found), previous, NOON)[:2]
    assert [one["at"] for one in found] == sorted(one["at"] for one in found)
    return found


class TestPlaces:
    def test_time_does_not_run_backwards(self) -> None:
        late, early, later = told(3)
        for match, minute in ((late, 5), (early, 1), (later, 7)):
            LogLine.objects.filter(match=match).update(at=NOON + timedelta(minutes=minute))
        assert chain(1) == 1
        assert chain() == 2
        assert [line["at"][11:16] for line in lines()] == ["12:05", "12:05", "12:07"]

    def test_lines_get_their_places_in_the_order_written(self) -> None:
        matches = told(5)
        assert lines() == []
        assert chain() == 5
        assert [line["match"] for line in lines()] == [str(match) for match in matches]
        assert chain() == 0

    def test_lines_are_chained_in_limited_batches(self) -> None:
        told(5)
        assert [chain(2) for _ in range(4)] == [2, 2, 1, 0]
        assert len(lines()) == 5

    def test_a_line_is_compact_with_its_fields_in_order(self) -> None:
        match = uuid.UUID(int=7)
        data = {"mixed": "cc", "flags": 2, "contributions": ["bb"], "commitments": ["aa"]}
        LogLine.objects.create(match=match, kind="started", data=data, at=NOON)
        chain()
        assert LogLine.objects.get().text == (
            '{"place":1,"at":"2026-11-19T12:00:00.000000Z","kind":"started",'
            '"match":"00000000-0000-0000-0000-000000000007","commitments":["aa"],'
            f'"contributions":["bb"],"flags":2,"mixed":"cc","previous":"{"0" * 64}"}}'
        )

    def test_a_line_appended_twice_is_stored_once(self) -> None:
        [match] = told()
        chain()
        append([(match, "created", {"commitment": "another"})])
        assert chain() == 0
        assert [line["commitment"] for line in lines()] == [match.hex * 2]

    def test_what_was_not_stored_has_no_place(self) -> None:
        with transaction.atomic():
            told()
            transaction.set_rollback(True)
        assert chain() == 0

    @pytest.mark.django_db(transaction=True)
    def test_several_processes_chain_each_line_once(self) -> None:
        told(60)
        processes = [threading.Thread(target=append_and_chain) for _ in range(4)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        while chain():
            pass
        assert len({line["match"] for line in lines()}) == 60 + 4 * 5

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.skipif(connection.vendor == "sqlite", reason="where there is one writer at a time")
    @pytest.mark.parametrize("first", [True, False])
    def test_the_first_lines_are_chained_elsewhere_meanwhile(
        self, first: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told(30)

        def chain_elsewhere() -> None:
            with monkeypatch.context() as there:
                there.setattr(public_log, "head", head)
                process = threading.Thread(target=append_and_chain, args=(1,))
                process.start()
                process.join()

        def head_before_or_after() -> LogHead:
            if first:
                chain_elsewhere()
            found = head()
            if not first:
                chain_elsewhere()
            return found

        head = public_log.head
        with monkeypatch.context() as here:
            here.setattr(public_log, "head", head_before_or_after)
            chain(7)
        assert len(lines()) in {7, 14}
        while chain():
            pass
        assert len({line["match"] for line in lines()}) == 30 + 1


def append_and_chain(times: int = 5) -> None:
    """Chain a few lines at a time and write one more after each, as a process of its own."""
    for _ in range(times):
        chain(7)
        told()
    connections.close_all()


class TestForGood:
    def test_a_line_with_its_place_is_not_changed(self) -> None:
        told()
        chain()
        line = LogLine.objects.get()
        line.text = "another"
        with pytest.raises(PublishedLineError):
            line.save()
        with pytest.raises(PublishedLineError):
            LogLine.objects.update(text="another")
        with pytest.raises(PublishedLineError), transaction.atomic():
            LogLine.objects.bulk_update([line], ["text"])
        assert len(lines()) == 1

    def test_no_line_is_removed(self) -> None:
        told()
        for _ in range(2):
            with pytest.raises(PublishedLineError):
                LogLine.objects.get().delete()
            with pytest.raises(PublishedLineError):
                LogLine.objects.all().delete()
            chain()
        assert len(lines()) == 1


class TestPublication:
    def check(self, game: Game) -> None:
        """A game is published, once and with its seal."""
        game.refresh_from_db()
        assert game.published
        line = LogLine.objects.get(match=game.pk, kind="revealed")
        assert line.data == {
            "state": game.state,
            "secret": unseal(game.secret).hex(),
            "seal": seal_of(game).hex(),
        }

    def test_a_game_played_to_its_end(self) -> None:
        game = play_out(table(*cast()))
        assert publish_ended(LATER) == 1
        self.check(game)
        chain()
        assert [line["kind"] for line in lines()] == ["created", "started", "revealed"]

    def test_a_game_everybody_has_left(self) -> None:
        at = table(*cast())
        at.seats.update(last_seen=at.created)
        closing.close_left(at.created + timedelta(days=1))
        assert publish_ended(LATER) == 1
        self.check(at.games.get(state="abandoned"))

    @pytest.mark.parametrize("counts", [True, False])
    def test_a_game_of_an_event_that_was_ended(self, counts: bool) -> None:
        people = cast()
        at = reserved.open_tables([ReservedTable(people, "Table 1", "/")], CLASSIC_24, people[0])[0]
        reserved.begin(at.pk, 1, CLASSIC_24, [person.pk for person in people])
        reserved.end(at.pk, LATER, counts=counts)
        assert publish_ended(LATER) == 1
        self.check(at.games.get(state="abandoned"))

    def test_no_game_that_is_being_played(self) -> None:
        table(*cast())
        seating.make_table(player("Otto"), HEADS_UP, seat=0)
        assert publish_ended(LATER) == 0
        assert not LogLine.objects.filter(kind="revealed").exists()

    def test_an_old_game_without_a_line(self) -> None:
        game = play_out(table(*cast()))
        remove_lines()
        publish_ended(LATER)
        chain()
        assert [(line["kind"], line["match"]) for line in lines()] == [("revealed", str(game.pk))]

    def test_publishing_again_adds_nothing(self) -> None:
        game = play_out(table(*cast()))
        assert publishing.publish(game)
        assert not publishing.publish(game)
        assert publish_ended(LATER) == 0
        assert LogLine.objects.filter(kind="revealed").count() == 1

    def test_after_a_crash_the_next_run_publishes_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = play_out(table(*cast()))

        def crash(_lines: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(public_log, "append", crash)
            with pytest.raises(KeyboardInterrupt):
                publish_ended(LATER)
        game.refresh_from_db()
        assert not game.published
        assert publish_ended(LATER) == 1
        self.check(game)

    def test_the_oldest_first_in_limited_batches(self) -> None:
        games = [play_out(table(*cast())) for _ in range(3)]
        for days, game in zip((2, 3, 1), games, strict=True):
            Game.objects.filter(pk=game.pk).update(ended=NOON - timedelta(days=days))
        assert publish_ended(LATER, most=2) == 2
        assert not Game.objects.get(published=False).published
        assert Game.objects.get(published=False) == games[2]
        revealed = LogLine.objects.filter(kind="revealed").order_by("pk")
        assert [line.match for line in revealed] == [games[1].pk, games[0].pk]

    def test_a_game_that_cannot_be_sealed_holds_up_no_other(self, caplog: Any) -> None:
        broken, sound = play_out(table(*cast())), play_out(table(*cast()))
        Game.objects.filter(pk=broken.pk).update(secret=b"sealed with another key")
        assert publish_ended(NOON, most=1) == 0
        assert publish_ended(NOON, most=1) == 1
        self.check(sound)
        assert f"{broken.pk}" in caplog.text
        assert publish_ended(NOON + RETRY_AFTER - timedelta(seconds=1)) == 0
        Game.objects.filter(pk=broken.pk).update(secret=broken.secret)
        assert publish_ended(NOON + RETRY_AFTER) == 1
        self.check(broken)

    @pytest.mark.django_db(transaction=True)
    def test_two_runs_at_once_publish_it_once(self) -> None:
        games = [play_out(table(*cast())) for _ in range(4)]
        published: list[int] = []

        def process() -> None:
            published.append(publish_ended(LATER))
            connections.close_all()

        processes = [threading.Thread(target=process) for _ in range(2)]
        for one in processes:
            one.start()
        for one in processes:
            one.join()
        assert sum(published) == len(games)
        for game in games:
            self.check(game)

    def test_the_task_is_scheduled_publishes_and_chains(self) -> None:
        play_out(table(*cast()))
        scheduled = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
        assert tasks.keep_log.name in scheduled
        tasks.keep_log()
        assert [line["kind"] for line in lines()] == ["created", "started", "revealed"]


def remove_lines() -> None:
    """Make the log as it was before there was one."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM games_logline")


class TestWords:
    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (0b0000, "A game began; four seats contributed numbers."),
            (0b0100, "A game began; three seats contributed numbers."),
            (0b1110, "A game began; one seat contributed a number."),
            (0b1111, "The shuffle of a game was fixed; nobody contributed a number."),
        ],
    )
    def test_how_many_threw_in(self, flags: int, words: str) -> None:
        data = {"contributions": ["00"] * 4, "flags": flags}
        assert views.words_of("started", data) == words

    @pytest.mark.parametrize(
        ("kind", "data", "words"),
        [
            ("created", {}, "committed itself"),
            ("aborted", {}, "called off before it began"),
            ("revealed", {"state": "over"}, "played to its end"),
            ("revealed", {"state": "abandoned"}, "given up"),
            ("opened", {"games": ["a", "b"]}, "shared by two tables"),
            ("opened", {"games": ["a", "b"], "tables": 2000}, "shared by 2000 tables"),
            ("opened", {"games": []}, "nobody has played"),
        ],
    )
    def test_the_contents_of_a_line(self, kind: str, data: dict[str, object], words: str) -> None:
        assert words in views.words_of(kind, data)


class TestPage:
    def page(self, query: str = "", status: int = 200) -> str:
        answer = Client().get(f"/fairness/log/{query}")
        assert answer.status_code == status
        return answer.content.decode()

    def test_the_latest_lines_come_first_and_the_head_is_there_to_write_down(self) -> None:
        play_out(table(*cast()))
        tasks.keep_log()
        page = self.page()
        words = ("played to its end", "nobody contributed", "committed itself")
        said = [page.index(one) for one in words]
        assert said == sorted(said)
        assert public_log.head().hash.hex() in page

    def test_an_empty_log_says_so(self) -> None:
        assert "The log is empty" in self.page()

    def test_it_goes_on_page_by_page(self) -> None:
        told(51)
        chain()
        assert places(self.page()) == list(range(51, 26, -1))
        assert 'href="?to=26"' in self.page()
        assert places(self.page("?to=26")) == list(range(26, 1, -1))
        last = self.page("?to=1")
        assert (places(last), 'href="?to=26"' in last) == ([1], True)
        assert places(self.page("?to=100000")) == list(range(51, 26, -1))

    @pytest.mark.parametrize(
        "bad", ["0", "-1", "x", "1.5", "9" * 40, "", "²", pytest.param(ENDLESS, id="endless")]
    )
    def test_a_place_that_is_none_is_refused(self, bad: str) -> None:
        assert "a whole number from 1" in self.page(f"?to={bad}", 400)

    def test_a_match_is_found_by_its_id(self) -> None:
        game, other = play_out(table(*cast())), play_out(table(*cast()))
        tasks.keep_log()
        page = self.page(f"?match={game.pk}")
        assert len(places(page)) == 3
        assert (f"/games/{game.pk}/" in page, str(other.pk) in page) == (True, False)
        assert LogLine.objects.get(match=game.pk, kind="revealed").text in unescape(page)

    def test_a_game_at_a_table_by_invitation_is_not_linked_for_strangers(self) -> None:
        game = play_out(table(*cast(), open=False))
        tasks.keep_log()
        page = self.page(f"?match={game.pk}")
        assert len(places(page)) == 3
        assert f"/games/{game.pk}/" not in page

    def test_an_unknown_match_differs_from_an_invalid_id(self) -> None:
        assert "no line of this match" in self.page(f"?match={uuid.uuid4()}", 404)
        assert "not the id of a match" in self.page("?match=<b>7", 400)

    def test_no_line_names_a_table_or_a_player(self) -> None:
        at = table(*(player(f"Somebody Else {n}") for n in range(4)), open=False)
        at.title = "The Mill"
        at.save()
        play_out(at)
        tasks.keep_log()
        everything = self.page() + Client().get("/fairness/log.ndjson").content.decode()
        for hidden in ("Somebody Else", "The Mill", at.invite_token, f"/tables/{at.pk}"):
            assert hidden not in everything

    def test_it_takes_few_queries_however_long_the_log_is(self) -> None:
        told(120)
        chain()
        for path in ("", "?to=70", f"?match={LogLine.objects.get(place=7).match}"):
            with CaptureQueriesContext(connection) as queries:
                self.page(path)
            assert len(queries) <= 4


def places(page: str) -> list[int]:
    """The places of the lines on a page, from above."""
    return [int(place) for place in re.findall(r'aria-label="Line (\d+)"', page)]


class TestFiles:
    def get(self, query: str = "", **headers: str) -> Any:
        return Client().get(f"/fairness/log{query}", headers=headers)

    @pytest.fixture(autouse=True)
    def _few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(views, "MAX_LINES", 4)

    def test_lines_are_sent_as_they_stand(self) -> None:
        told(3)
        chain()
        answer = self.get(".ndjson")
        texts = LogLine.objects.order_by("place").values_list("text", flat=True)
        assert answer.content.decode() == "".join(f"{text}\n" for text in texts)
        assert answer["Content-Type"].startswith("application/x-ndjson")

    def test_from_and_to_are_both_included(self) -> None:
        told(5)
        chain()
        answer = self.get(".ndjson?from=2&to=3")
        assert [json.loads(line)["place"] for line in answer.content.splitlines()] == [2, 3]

    def test_a_link_goes_on(self) -> None:
        told(5)
        chain()
        answer = self.get(".ndjson")
        assert len(answer.content.splitlines()) == 4
        assert answer["Link"] == '</fairness/log.ndjson?from=5>; rel="next"'
        rest = self.get(".ndjson?from=5")
        assert (len(rest.content.splitlines()), rest.has_header("Link")) == (1, False)

    def test_past_the_end_there_is_nothing(self) -> None:
        answer = self.get(".ndjson?from=900")
        assert (answer.status_code, answer.content) == (200, b"")

    @pytest.mark.parametrize(
        ("query", "why"),
        [
            ("from=3&to=2", "comes after"),
            ("from=1&to=5", "at most 4 at a time"),
            ("from=x", "“from” is the place of a line, a whole number from 1: not 'x'"),
            ("to=0", "“to” is the place"),
            ("from=-1", "“from”"),
            (f"from={'9' * 30}", "“from”"),
            ("to=", "“to”"),
            pytest.param(f"from={ENDLESS}&to={ENDLESS}", "“from”", id="endless"),
        ],
    )
    def test_bad_input_is_explained(self, query: str, why: str) -> None:
        answer = self.get(f".ndjson?{query}")
        assert answer.status_code == 400
        assert why in answer.content.decode()

    def test_whole_ranges_are_kept_for_good_and_open_ones_asked_for_again(self) -> None:
        told(3)
        chain()
        assert "immutable" in self.get(".ndjson?from=1&to=3")["Cache-Control"]
        for query in (
            ".ndjson",
            ".ndjson?from=3&to=4",
            f"/{LogLine.objects.get(place=1).match}.ndjson",
        ):
            answer = self.get(query)
            assert answer["Cache-Control"] == "no-cache"
            same = self.get(query, if_none_match=answer["ETag"])
            assert (same.status_code, same.content) == (304, b"")
        open_one = self.get(".ndjson")["ETag"]
        told()
        chain()
        assert self.get(".ndjson", if_none_match=open_one).status_code == 200

    def test_the_lines_of_one_match(self) -> None:
        game = play_out(table(*cast()))
        play_out(table(*cast()))
        tasks.keep_log()
        read = [json.loads(line) for line in self.get(f"/{game.pk}.ndjson").content.splitlines()]
        assert [line["kind"] for line in read] == ["created", "started", "revealed"]
        assert {line["match"] for line in read} == {str(game.pk)}

    def test_a_match_without_a_line_is_not_found(self) -> None:
        unknown = uuid.uuid4()
        answer = self.get(f"/{unknown}.ndjson")
        assert answer.status_code == 404
        assert str(unknown) in answer.content.decode()

    def test_each_takes_one_query(self) -> None:
        told(3)
        chain()
        for query in (".ndjson", f"/{LogLine.objects.get(place=1).match}.ndjson"):
            with CaptureQueriesContext(connection) as queries:
                self.get(query)
            assert len(queries) == 1

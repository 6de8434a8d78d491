"""What is kept of a quiet table between two cards changes nothing that anybody is shown."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, NamedTuple

import pytest
from django.utils import timezone

from games.engine.actions import DISCARD, ORDER, UNDO, Action
from games.engine.cards import card_text
from games.engine.game import Game
from games.engine.rules import CLASSIC_24, RuleSet
from games.engine.shuffle import shuffled
from games.live import pace
from games.live.state import (
    Live,
    LiveGame,
    LiveProposal,
    LiveSeatRequest,
    LiveShuffle,
    SeatChange,
    Sitter,
    TableOwner,
)
from games.models import TalkLine
from games.models.tables import CAME
from games.picture import frames, viewing
from games.picture.cast import cast_of
from games.picture.scene import Scene, Talk, View
from games.picture.values import asked_reads, asked_values, waiting_reads, waiting_values
from games.sockets import audience, hub
from games.sockets.watching import Watcher
from games.talk.rooms import Room, Spoken
from tests.games.picture.scenes import NAMES, evening, every_rule_set

TABLE = 4
#: Of the players by seat; of the host and a member, who only watch.
PLAYERS = (1, 2, 3, 4)
HOST, MEMBER = 50, 60


async def _ignore(*_said: Any) -> None:
    pass


class Here(NamedTuple):
    """A table in memory, with a socket of each player and of two who watch."""

    live: Live
    sockets: dict[int | None, Watcher]

    @property
    def everybody(self) -> list[int | None]:
        return [*(one.player_id for one in self.live.seats), HOST, MEMBER, None]

    def come(self, player_id: int | None) -> None:
        socket = Watcher(TABLE, player_id, f"of {player_id}", _ignore, _ignore)
        self.sockets[player_id] = socket
        hub.join(socket)

    def go(self, player_id: int | None) -> None:
        hub.leave(self.sockets.pop(player_id))

    def play(self, action: Action) -> None:
        """Play an action of whose turn it is, as it is played once it is stored."""
        playing = self.live.playing
        assert playing
        turn = playing.engine.turn
        playing.engine.push(action)
        player_id = self.live.seats[turn].player_id if turn >= 0 else None
        playing.record(action, player_id, timezone.now())
        if playing.engine.standing.over:
            self.live.state = "finished"

    def step(self, rng: Random) -> None:
        assert self.live.playing
        self.play(rng.choice(self.live.playing.engine.legal_actions()))

    def renew(self, seat: int, **fields: Any) -> None:
        """Change one seat, as a read from the database does."""
        seats = [replace(one) for one in self.live.seats]
        seats[seat] = replace(seats[seat], **fields)
        self.live.seats = tuple(seats)


@pytest.fixture(autouse=True)
def _none_left() -> Iterator[None]:
    yield
    hub.forget_all()
    audience.show_names(TABLE, {})


def here(rules: RuleSet = CLASSIC_24, seed: int = 3) -> Here:
    now, mixed = timezone.now(), seed.to_bytes(32, "big")
    engine = Game(rules, 0, lambda number: shuffled(rules, bytes(32), mixed, number)[0])
    sitters = tuple(
        Sitter(PLAYERS[seat], name, False, False, False, False, now, now)
        for seat, name in enumerate(NAMES[rules.players])
    )
    playing = LiveGame(uuid.UUID(int=7), 1, engine, {}, lambda _: 0, now)
    live = Live(TABLE, rules, "playing", True, HOST, "token", sitters, playing)
    at = Here(live, {})
    for one in (*(sitter.player_id for sitter in sitters), HOST, MEMBER):
        at.come(one)
    return at


def values(at: Here, *, old_words: bool = False) -> dict[int | None, dict[str, Any]]:
    """All values of everybody's page."""
    pictures = viewing.pictures(at.live, at.everybody, old_words=old_words)
    return {one: {**made.table.values, **made.own} for one, made in pictures.items()}


def fresh(at: Here, *, old_words: bool = False) -> dict[int | None, dict[str, Any]]:
    """The same with nothing kept."""
    kept, scene = viewing._pictures.pop(at.live, None), viewing._quiet.pop(at.live, None)
    made = values(at, old_words=old_words)
    viewing._pictures.pop(at.live)
    viewing._quiet.pop(at.live, None)
    if kept is not None:
        viewing._pictures[at.live] = kept
    if scene is not None:
        viewing._quiet[at.live] = scene
    return made


def whole_scene(at: Here) -> Scene:
    return viewing._whole_scene(at.live)


# Between cards --------------------------------------------------------------------------------


@every_rule_set
def test_a_quiet_game_is_shown_as_if_nothing_were_kept(rules: RuleSet) -> None:
    at, rng = here(rules), Random(31)
    quiet = waited = 0
    assert at.live.playing
    while not at.live.playing.engine.standing.over:
        old_words = rng.random() < 0.3
        assert values(at, old_words=old_words) == fresh(at, old_words=old_words)
        assert viewing.scene_of(at.live) == whole_scene(at)
        quiet += at.live in viewing._quiet
        waited += sum(
            at.live.playing.engine.waiting(seat) is not None for seat in range(rules.players)
        )
        at.step(rng)
    assert values(at) == fresh(at)
    assert quiet > 10
    assert waited > 20


@every_rule_set
@pytest.mark.parametrize("with_the_house", [False, True])
def test_who_may_undo_is_found_among_those_who_acted_last(
    rules: RuleSet, *, with_the_house: bool
) -> None:
    """Also where house players stand in now and then, or one has a seat."""
    rng, may = Random(33), 0
    for seed in range(20):
        at = here(rules, seed)
        if with_the_house:
            at.renew(1, house=True)
        playing = at.live.playing
        assert playing
        while not playing.engine.standing.over:
            turn = playing.engine.turn
            of_all = tuple(seat for seat in range(rules.players) if at.live.undone_by(seat))
            if turn >= 0 and not at.live.seats[turn].automatic:
                assert pace.seats_that_may_undo(at.live) == of_all
                may += len(of_all)
            at.step(rng)
            if rng.random() < 0.5:
                playing.actors[-1] = None
    assert may


@every_rule_set
def test_a_delayed_game_is_shown_as_if_nothing_were_kept(rules: RuleSet) -> None:
    at, rng = here(replace(rules, target=10, deals=None), seed=5), Random(32)
    at.live.delayed = True
    assert at.live.playing
    for _ in range(120):
        assert values(at) == fresh(at)
        at.step(rng)
        if at.live.playing.engine.standing.over:
            break
    assert at.live.playing.engine.standing.deal_number > 2


def test_the_dealer_is_told_of_the_discard_until_the_next_hand() -> None:
    at, rng = here(), Random(1)
    assert at.live.playing
    engine = at.live.playing.engine
    at.play(next(one for one in engine.legal_actions() if one.kind == ORDER and not one.alone))
    dealer = at.live.seats[engine.deal.dealer].player_id
    assert values(at)[dealer]["discarded"] == []
    discard = engine.legal_actions()[0]
    assert discard.kind == DISCARD
    at.play(discard)
    words = ["You discarded ", [card_text(discard.value)]]
    assert values(at)[dealer]["discarded"] == words
    at.step(rng)
    assert values(at)[dealer]["discarded"] == words
    while engine.standing.deal_number == 1:
        at.step(rng)
        assert values(at) == fresh(at)
    assert values(at)[dealer]["discarded"] == []


def test_who_waits_needs_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    at, rng, viewed = here(), Random(2), list[int | None]()
    assert at.live.playing
    engine = at.live.playing.engine
    while engine.deal.phase != "play" or len(engine.deal.plays) != 1:
        at.step(rng)
    values(at)
    observe = Game.observe

    def observed(self: Game, seat: int | None = None) -> Any:
        viewed.append(seat)
        return observe(self, seat)

    monkeypatch.setattr(Game, "observe", observed)
    acted = engine.turn
    at.step(rng)
    values(at)
    assert set(viewed) == {None, acted, engine.turn}


# What happens at a table ----------------------------------------------------------------------


def _proposal(at: Here, kind: str, seat: int, state: str = "open") -> LiveProposal:
    assert at.live.playing
    engine = at.live.playing.engine
    until = timezone.now() + timedelta(seconds=15)
    return LiveProposal(
        1, kind, seat, PLAYERS[seat], NAMES[4][seat], until, engine.standing.deal_number,
        engine.version, engine.deal.hands[seat].bit_count(), state, (), "",
    )  # fmt: skip


def another_sits_down(at: Here) -> None:
    at.renew(1, player_id=MEMBER, name="Otto")


def a_seat_becomes_free(at: Here) -> None:
    at.renew(1, player_id=None, name="")


def players_change_seats(at: Here) -> None:
    one, two, *others = at.live.seats
    at.live.seats = (two, one, *others)


def the_house_sits_down(at: Here) -> None:
    at.renew(1, player_id=9, name="Rowan", house=True)


def the_house_stands_in(at: Here) -> None:
    at.renew(1, stand_in=True)


def somebody_takes_another_name(at: Here) -> None:
    at.renew(1, name="Zoë")


def somebody_asks_for_a_seat(at: Here) -> None:
    at.live.requests = (
        LiveSeatRequest(1, MEMBER, "Otto", False, 1, timezone.now(), refused=False),
    )


def somebody_comes(at: Here) -> None:
    at.live.seat_changes = (SeatChange(CAME, "Jonah", 1, timezone.now().timestamp()),)


def somebody_proposes_to_resign(at: Here) -> None:
    at.live.proposals = (_proposal(at, "resign", 0),)


def somebody_claims(at: Here) -> None:
    at.live.proposals = (_proposal(at, "claim", 0, "agreed"),)


def somebody_takes_back(at: Here) -> None:
    assert at.live.playing
    seat = next(seat for seat in range(4) if at.live.undone_by(seat))
    at.live.proposals = (_proposal(at, "undo", seat, "agreed"),)
    assert at.live.undoing
    at.play(Action(UNDO, 1))


def somebody_is_away(at: Here) -> None:
    at.go(PLAYERS[1])
    long_ago = timezone.now() - timedelta(minutes=2)
    at.renew(1, last_seen=long_ago, missing_since=long_ago)


def a_line_breaks_that_was_silent_for_long(at: Here) -> None:
    """A heartbeat changes only the time at which a player was last seen, and no seat."""
    at.live.seats[1].last_seen = timezone.now() - timedelta(minutes=2)
    assert values(at) == fresh(at)
    at.go(PLAYERS[1])


def a_visitor_comes(at: Here) -> None:
    at.come(None)


def a_watcher_goes(at: Here) -> None:
    at.go(MEMBER)


def others_watch_elsewhere(at: Here) -> None:
    audience.take({"table": TABLE, "process": "other", "count": 3})


def the_cards_are_shuffled(at: Here) -> None:
    at.live.shuffling = LiveShuffle("m", "c", False, ("",) * 4, (False,) * 4)


def the_game_is_resigned(at: Here) -> None:
    at.live.resigned = 0


def the_table_closes(at: Here) -> None:
    at.live.state = "closed"


def it_becomes_a_table_by_invitation(at: Here) -> None:
    at.live.open = False


def it_belongs_to_an_event(at: Here) -> None:
    at.live.reserved = TableOwner("A match", "/")


def it_becomes_practice(at: Here) -> None:
    at.live.for_practice = True


def other_tables_play_its_deals(at: Here) -> None:
    at.live.sealed = True


def the_next_game_begins(at: Here) -> None:
    assert at.live.playing
    engine = Game(CLASSIC_24, 1, at.live.playing.engine._packs)
    at.live.playing = replace(at.live.playing, id=uuid.UUID(int=8), number=2, engine=engine)


def another_is_host(at: Here) -> None:
    at.live.host_id = MEMBER


def only_phrases_may_be_said(at: Here) -> None:
    at.live.talk = "phrases"


def something_is_said(at: Here) -> None:
    at.live.room = _room(words="Well played", phrase=None)


def a_phrase_is_said(at: Here) -> None:
    at.live.room = _room(words="", phrase=1)


def names_of_watchers_are_read(at: Here) -> None:
    audience.show_names(TABLE, dict.fromkeys(at.everybody, ("Hana", "Otto")))


def _room(*, words: str, phrase: int | None) -> Room:
    channel = TalkLine.Channel.PLAYERS
    return _hearing(Spoken(1, channel, PLAYERS[0], NAMES[4][0], phrase, words, timezone.now()))


def _hearing(*lines: Spoken) -> Room:
    known = (*PLAYERS, HOST, MEMBER)
    return Room(lines, known, watching=(), accounts=known, muted=(), sanctions=())


HAPPENINGS: tuple[Callable[[Here], None], ...] = (
    another_sits_down, a_seat_becomes_free, players_change_seats, the_house_sits_down,
    the_house_stands_in, somebody_takes_another_name, somebody_asks_for_a_seat, somebody_comes,
    somebody_proposes_to_resign, somebody_claims, somebody_takes_back, somebody_is_away,
    a_line_breaks_that_was_silent_for_long, a_visitor_comes, a_watcher_goes,
    others_watch_elsewhere, the_cards_are_shuffled, the_game_is_resigned, the_table_closes,
    it_becomes_a_table_by_invitation, it_belongs_to_an_event, it_becomes_practice,
    other_tables_play_its_deals, the_next_game_begins, another_is_host, only_phrases_may_be_said,
    something_is_said, a_phrase_is_said, names_of_watchers_are_read,
)  # fmt: skip
#: Nothing of the page depends on these alone.
UNSEEN = (another_is_host, it_becomes_a_table_by_invitation)


def playing_quietly() -> Here:
    """A table of which the scene and all pictures are kept."""
    at, rng = here(), Random(4)
    at.live.room = _hearing()
    assert at.live.playing
    engine = at.live.playing.engine
    while engine.deal.phase != "play" or len(engine.deal.plays) != 2:
        at.step(rng)
        values(at)
    assert at.live in viewing._quiet
    return at


@pytest.mark.parametrize("happens", HAPPENINGS, ids=lambda happens: happens.__name__)
def test_whatever_happens_is_shown_at_a_table_that_was_quiet(
    happens: Callable[[Here], None],
) -> None:
    at, rng = playing_quietly(), Random(5)
    before = values(at)
    happens(at)
    for _ in range(12):
        assert viewing.scene_of(at.live) == whole_scene(at)
        shown = values(at)
        assert shown == fresh(at)
        assert happens in UNSEEN or shown != before
        if at.live.playing and at.live.playing.engine.legal_actions():
            at.step(rng)


@pytest.mark.parametrize(
    "happens",
    [one for one in HAPPENINGS if one not in (somebody_takes_back, the_next_game_begins)],
    ids=lambda happens: happens.__name__,
)
def test_what_passes_again_is_no_longer_shown(happens: Callable[[Here], None]) -> None:
    """Whatever has happened, everything is as it was before, without a card played meanwhile."""
    at = playing_quietly()
    kept = {one: getattr(at.live, one) for one in _FIELDS}
    sockets = set(at.sockets)
    happens(at)
    assert values(at) == fresh(at)
    for one, value in kept.items():
        setattr(at.live, one, value)
    for player_id in sockets ^ set(at.sockets):
        (at.come if player_id in sockets else at.go)(player_id)
    audience.take({"table": TABLE, "process": "other", "count": 0})
    audience.show_names(TABLE, {})
    assert values(at) == fresh(at)


_FIELDS = (
    "seats", "requests", "seat_changes", "proposals", "shuffling", "state", "resigned", "open",
    "reserved", "for_practice", "sealed", "host_id", "talk", "room",
)  # fmt: skip


@pytest.mark.parametrize(
    "happens",
    [a_phrase_is_said, somebody_asks_for_a_seat, somebody_comes, somebody_proposes_to_resign],
    ids=lambda happens: happens.__name__,
)
def test_what_ends_by_time_alone_is_no_longer_shown(
    happens: Callable[[Here], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = playing_quietly()
    happens(at)
    shown = values(at)
    later = timezone.now() + timedelta(minutes=6)
    monkeypatch.setattr(timezone, "now", lambda: later)
    monkeypatch.setattr("time.time", later.timestamp)
    assert values(at) == fresh(at) != shown
    at.step(Random(9))
    assert values(at) == fresh(at)


@pytest.mark.parametrize(
    "happens",
    [somebody_proposes_to_resign, a_phrase_is_said, "goes"],
    ids=["somebody proposes to resign", "a phrase is said", "somebody goes"],
)
def test_a_timer_is_set_for_what_ends_by_time_before_it_is_first_shown(happens: Any) -> None:
    """`play.show` sets the table's timers before it makes pictures."""
    at = playing_quietly()
    assert viewing.next_change(at.live) is None
    if happens == "goes":
        at.go(PLAYERS[1])
        at.renew(1, missing_since=timezone.now())
    else:
        happens(at)
    assert viewing.next_change(at.live) is not None


# Who looks on ---------------------------------------------------------------------------------


def test_nobody_keeps_the_hand_of_a_seat_that_they_have_left() -> None:
    at = playing_quietly()
    assert at.live.playing
    hands = at.live.playing.engine.deal.hands
    assert all(hands)
    for seat in range(4):
        former = PLAYERS[seat]
        held = values(at)[former]["hand"]
        assert any(isinstance(row, str) for row in held)
        at.renew(seat, player_id=100 + seat, name=f"New {seat}")
        at.come(100 + seat)
        shown = viewing.pictures(at.live, [former, 100 + seat])
        assert not any(isinstance(row, str) for row in shown[former].own["hand"])
        assert shown[100 + seat].own["hand"] == held


def test_the_values_of_a_bounded_number_of_viewers_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "VIEWERS", 8)
    at, rng = playing_quietly(), Random(6)
    for visitor in range(1000, 1100):
        viewing.pictures(at.live, [visitor])
    (table,) = viewing._pictures[at.live].values()
    assert len(table._own) == 8
    for _ in range(6):
        at.step(rng)
        assert values(at) == fresh(at)
    assert len(table._own) == 8


def test_a_page_is_sent_what_it_lacks_though_its_viewer_was_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "VIEWERS", 2)
    at, rng = playing_quietly(), Random(7)
    page: dict[str, Any] = {}
    had, number = dict[str, Any](), 0
    for _ in range(12):
        mine = viewing.pictures(at.live, [PLAYERS[0]])[PLAYERS[0]]
        for text in mine.frames(number, had):
            _take(page, text)
        had, number = dict(mine.own) if rng.random() < 0.3 else mine.own, mine.table.number
        assert page == fresh(at)[PLAYERS[0]]
        viewing.pictures(at.live, [PLAYERS[1], PLAYERS[2], None])
        at.step(rng)


def _take(page: dict[str, Any], text: bytes) -> None:
    frame = json.loads(text)
    page |= frame.get("set", {}) | frame.get("own", {})
    for name, lines in frame.get("add", {}).items():
        page[name] = page[name] + lines
    page["stamp"] = frame["version"]


def test_changes_are_never_sent_to_a_page_that_shows_something_else() -> None:
    """What one page is sent of its viewer's own values is encoded once, for pages up to date."""
    at, rng = playing_quietly(), Random(8)
    for step in range(20):
        mine = viewing.pictures(at.live, [PLAYERS[0]])[PLAYERS[0]]
        if step % 5 == 0:
            older, number = mine.own, mine.table.number
            page = {**mine.table.values, **mine.own}
        else:
            copy = dict(page)
            for text in mine.frames(number, older):
                _take(copy, text)
            assert copy == fresh(at)[PLAYERS[0]]
        at.step(rng)


# What values are made from --------------------------------------------------------------------

#: What a scene may have instead, where a random evening has always the same.
OTHERWISE: dict[str, Any] = {
    "open": False, "reserved": TableOwner("A match", "/"), "practice": True, "spectators": 3,
    "sealed": True, "alone": 0, "hand_values": (9.0, 8.0), "arrivals": ("Ben has left: North.",),
    "house_replied": True, "shuffling": LiveShuffle("m", "c", False, ("",) * 4, (False,) * 4),
    "house_after": 12, "undone_at": 1, "delayed": True, "game_id": "another", "state": "closed",
}  # fmt: skip


def _check_made_from(one: View, other: View) -> None:
    """Check that what is made from equal things is equal."""
    casts = [cast_of(tuple(seat.name for seat in view.scene.seats)) for view in (one, other)]
    if casts[0] is not casts[1]:
        return
    cast = casts[0]
    spectators = [view.observation and view.observation.public for view in (one, other)]
    scenes = (one.scene, other.scene)
    for part in frames._PARTS:
        reads = [part.reads(*both) for both in zip(scenes, spectators, strict=True)]
        if reads[0] is not None and reads[0] == reads[1]:
            shared = [part.values(*both, cast) for both in zip(scenes, spectators, strict=True)]
            assert shared[0] == shared[1]
    if waiting_reads(one) == waiting_reads(other):
        assert waiting_values(one, cast) == waiting_values(other, cast)
    asked = asked_reads(one)
    if asked is not None and asked == asked_reads(other):
        assert asked_values(one, cast) == asked_values(other, cast)


@every_rule_set
def test_values_differ_only_where_something_differs_that_they_are_made_from(rules: RuleSet) -> None:
    rng = Random(41)
    moments = list(evening(rules, seed=41))
    for shown in rng.sample(moments, min(50, len(moments))):
        later = rng.choice(moments)
        for one, another in zip(shown, later, strict=True):
            for field in Scene._fields:
                for value in (getattr(another.scene, field), OTHERWISE.get(field)):
                    if value is not None:
                        scene = one.scene._replace(**{field: value})
                        _check_made_from(one, one._replace(scene=scene))  # FIELD
            _check_made_from(one, one._replace(observation=another.observation))
            _check_made_from(one, one._replace(viewer=another.viewer._replace(asked=1)))
            _check_made_from(one, one._replace(viewer=one.viewer._replace(refused=True)))
            _check_made_from(one, one._replace(watching=("Otto",)))
            _check_made_from(one, one._replace(talk=Talk(spoken=("Thank you", "", "", ""))))

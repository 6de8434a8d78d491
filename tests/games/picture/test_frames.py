"""A table's values and their frames: what pages are sent makes each the page drawn afresh."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise
from random import Random
from typing import Any

import pytest

from games.engine.observation import SECOND_ROUND
from games.engine.rules import HEADS_UP, JOKER_33, RULE_SETS, RuleSet
from games.live.state import LiveShuffle, TableOwner
from games.picture import page as drawing
from games.picture.frames import KEPT, OwnPicture, TablePicture
from games.picture.scene import GUEST, HOUSE, PROGRAM, Clock, SeatRequest, SeatView, View, Viewer
from games.picture.values import Values
from games.picture.wording import Play, Reader
from tests.games.picture.pages import (
    Browser,
    Element,
    Line,
    Page,
    draw,
    drawn_from,
    enabled,
    page,
    read,
    shared_start,
    shown_at,
    whole_page,
)
from tests.games.picture.scenes import (
    EAST,
    NASTY,
    NORTH,
    PEOPLE,
    SOUTH,
    deal,
    evening,
    every_rule_set,
    gathering,
    moments,
    scene,
    view,
    views,
)
from tests.volume import volume

PLAY = ("order", "discard TD")


def fresh(shown: list[View]) -> list[Values]:
    """The values of some views with nothing kept from before."""
    table = TablePicture()
    pictures = [shown_at(table, one) for one in shown]
    return [{**table.values, **picture.own} for picture in pictures]


# The sum of frames --------------------------------------------------------------------------


@every_rule_set
def test_the_frames_of_a_socket_make_its_whole_page(rules: RuleSet) -> None:
    table = TablePicture()
    lines: list[Line] = []
    for shown in evening(rules, seed=19):
        pictures = [shown_at(table, one) for one in shown]
        if not lines:
            lines = [Line(Browser(picture)) for picture in pictures]
            for line, picture in zip(lines, pictures, strict=True):
                line.opened(picture)
        for line, picture, whole in zip(lines, pictures, fresh(shown), strict=True):
            sent = line.shown(picture)
            assert line.browser.values == whole
            assert not any('"table"' in frame for frame in sent)


@every_rule_set
def test_a_page_that_missed_frames_is_the_whole_page_again(rules: RuleSet) -> None:
    """One to forty pictures are missed, by a page at a time or while the picture is made anew."""
    rng, table = Random(20), TablePicture()
    lines: list[Line | None] = [None] * (rules.players + 1)
    away = [0] * len(lines)
    healed = {"frames": 0, "whole": 0, "anew": 0}
    for step, shown in enumerate(evening(rules, seed=20, games=4)):
        if step % 60 == 59:
            table = TablePicture()  # as another process, or a later one, has it
        pictures = [shown_at(table, one) for one in shown]
        for seat, (picture, whole) in enumerate(zip(pictures, fresh(shown), strict=True)):
            line = lines[seat]
            if away[seat]:
                away[seat] -= 1
                continue
            if line is None:
                line = lines[seat] = Line(Browser(picture))
                line.opened(picture)
            elif line.browser.table != table.name:
                healed["anew"] += 1
                (sent,) = line.opened(picture)
                assert '"from":0,' in sent
            elif (missed := table.number - line.browser.number) > 1:
                sent = "".join(line.opened(picture))
                assert ('"from":0,' in sent) == (missed > KEPT)
                healed["whole" if missed > KEPT else "frames"] += 1
            else:
                line.shown(picture)
            assert line.browser.values == whole
            away[seat] = rng.choice([0, 0, 0, rng.randrange(1, 20), rng.randrange(20, 40)])
    assert all(healed.values()), healed


def test_a_frame_sent_again_brings_own_values_that_have_changed_since() -> None:
    """What a page says that it has comes while the next frame is under way to it."""

    def view_at(commitments: tuple[str, str], *, frozen: bool) -> View:
        shuffling = LiveShuffle("a match", "c0", frozen, commitments, (False, False))
        table = scene(HEADS_UP, state="shuffling", version=0, shuffling=shuffling)
        return View(table, Viewer(0), None)

    table = TablePicture()
    opened = shown_at(table, View(scene(HEADS_UP, state="gathering"), Viewer(0), None))
    line = Line(Browser(opened))
    line.opened(opened)
    asked = shown_at(table, view_at(("", ""), frozen=False))
    line.shown(asked)
    assert table.number == 2
    assert asked.own["shuffle"] == "commitment"
    line.said(1)
    told = shown_at(table, view_at(("aa", "bb"), frozen=True))
    assert table.number == 2  # nothing but the viewer's own has changed
    assert told.own["shuffle"] == "number"
    said = list(line.browser.said)
    line.shown(told, again=True)
    assert line.browser.values == {**table.values, **told.own}
    assert line.browser.said == said


@every_rule_set
def test_a_slow_socket_is_sent_all_it_lacks_at_once(rules: RuleSet) -> None:
    """Without a word of its page: it has only taken nothing for a while."""
    table, rng = TablePicture(), Random(21)
    line: Line | None = None
    for shown in evening(rules, seed=21):
        pictures = [shown_at(table, one) for one in shown]
        if line is None:
            line = Line(Browser(pictures[1]))
            line.opened(pictures[1])
        elif rng.random() < 0.1:
            line.shown(pictures[1])
            assert line.browser.values == fresh(shown)[1]


@every_rule_set
def test_each_news_is_said_once_and_in_order(rules: RuleSet) -> None:
    table = TablePicture()
    line: Line | None = None
    news: list[str | Play] = []
    for game in moments(rules, seed=22):
        picture = shown_at(table, views(game)[-1])
        if line is None:
            line = Line(Browser(picture))
            line.opened(picture)
        line.shown(picture)
        news.append(table.news)
    assert line is not None
    assert line.browser.said == [after for before, after in pairwise(news) if after != before]


def test_as_many_frames_as_are_kept_lead_on_and_no_more() -> None:
    table = TablePicture()
    for number in range(2 * KEPT):
        shown_at(table, view(deal(), None, version=number))
    assert table.number == 2 * KEPT
    assert len(table.frames_after(KEPT)) == KEPT
    assert b'"from":0' not in table.frames_after(KEPT)[0]
    for older in (KEPT - 1, 1, 0, -1, 2 * KEPT + 1, 10**30):
        (whole,) = table.frames_after(older)
        start = f'"version":"1.{2 * KEPT - 1}","from":0,"to":{2 * KEPT},"table":'
        assert whole.decode().startswith(start)
    assert table.frames_after(2 * KEPT) == []


def test_the_same_picture_again_makes_no_frame() -> None:
    table = TablePicture()
    for _ in range(3):
        picture = shown_at(table, view(deal(), SOUTH))
    assert table.number == 1
    assert picture.frames(1, picture.own) == []


def test_what_only_one_viewer_is_asked_makes_no_frame_for_all() -> None:
    table = TablePicture()
    before = shown_at(table, View(scene(), Viewer(None), deal().observe()))
    asks = shown_at(table, View(scene(), Viewer(None, asked=EAST), deal().observe()))
    assert table.number == 1
    (frame,) = asks.frames(1, before.own)
    assert frame.startswith(b'{"version":"1.7","own":')
    assert b"You have asked for a seat: East." in frame
    assert "to" not in json.loads(frame)


def test_no_two_pictures_have_one_name() -> None:
    assert len({TablePicture().name for _ in range(100)}) == 100


def test_one_play_changes_few_values() -> None:
    made = deal(*PLAY)
    table = TablePicture()
    before = dict(shown_at(table, view(made, SOUTH, version=3)).own) | table.values
    made.push(made.legal_actions()[0])
    after = dict(shown_at(table, view(made, SOUTH, version=4)).own) | table.values
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {
        "stamp", "turn", "held.0", "spot.0", "trick", "log.deal", "line",
    }  # fmt: skip


def test_a_frame_holds_only_what_has_changed() -> None:
    made = deal(*PLAY)
    table = TablePicture()
    picture = shown_at(table, view(made, SOUTH, version=3))
    whole = table.frames_after(0)[0]
    shown_before = picture.own
    made.push(made.legal_actions()[0])
    picture = shown_at(table, view(made, SOUTH, version=4))
    (frame,) = picture.frames(1, shown_before)
    assert len(frame) < len(whole) / 4
    fields = json.loads(frame)
    assert "own" not in fields
    assert set(fields["add"]) == {"log.deal"}
    assert len(fields["add"]["log.deal"]) == 2  # the trick's head and the card
    assert "log.deal" not in fields["set"]


@pytest.mark.parametrize("key", ["k1", None])
def test_only_the_acting_page_is_sent_the_confirmation(key: str | None) -> None:
    table = TablePicture()
    made = deal(*PLAY)
    at = shown_at(table, view(made, NORTH, version=3))
    own = at.own
    made.push(made.legal_actions()[0])
    shown = view(made, NORTH, version=4)
    assert shown.observation is not None
    table.show(shown.scene, shown.observation.public, key)
    at.show(shown)
    (frame,) = at.frames(1, own, "k1")
    assert json.loads(frame).get("done") == key
    assert "done" not in json.loads(at.frames(1, own)[0])
    assert "done" not in json.loads(at.frames(1, own, "another")[0])


# The whole page -----------------------------------------------------------------------------


def states(rules: RuleSet) -> Iterator[list[View]]:
    """An evening, and what a table can show that an evening may not."""
    yield from evening(rules, seed=11)
    everybody = (*range(rules.players), None)
    shuffling = LiveShuffle("m", "c", False, ("",) * rules.players, (False,) * rules.players)
    game = next(moments(rules, seed=11))
    for state, thrown in (("shuffling", shuffling), ("closed", None)):
        table = scene(rules, state=state, shuffling=thrown)
        yield [View(table, Viewer(seat), None) for seat in everybody]
        yield [View(table, Viewer(seat), game.observe(seat)) for seat in everybody]
    for resigned in (0, 1):
        yield [view(game, seat, resigned=resigned, state="finished") for seat in everybody]
    bidding = (one for seed in count(11) for one in moments(rules, seed))
    second = next(one for one in bidding if one.observe().phase == SECOND_ROUND)
    yield [view(second, seat) for seat in everybody]
    *_, over = moments(rules, 11)
    fields = {"state": "finished", "records": over.records, "hand_values": (9.0, 8.0)}
    yield [view(over, seat, **fields) for seat in everybody]
    names = [one.name for one in scene(rules).seats]
    guests = tuple(SeatView(name, GUEST, same_address=True) for name in names)
    programs = tuple(SeatView(name, PROGRAM) for name in names)
    private = scene(rules, state="gathering", open=False, seats=guests)
    reserved = scene(rules, state="gathering", seats=programs, reserved=TableOwner("A match", "/"))
    for table in (private, reserved):
        yield [View(table, Viewer(seat, seat == 0, "word"), None) for seat in everybody]
    yield [View(scene(rules), Viewer(None, asked=1), game.observe())]
    yield [View(scene(rules), Viewer(None, refused=True), game.observe())]


@every_rule_set
def test_the_same_values_are_always_there_and_each_is_on_the_page(rules: RuleSet) -> None:
    """So a frame never takes a value away, and no spot names one that is not."""
    keys: set[tuple[frozenset[str], frozenset[str]]] = set()
    spots: set[str] = set()
    for shown in states(rules):
        table = TablePicture()
        pictures = [shown_at(table, one) for one in shown]
        keys |= {(frozenset(table.values), frozenset(one.own)) for one in pictures}
        if not spots:  # the same on every page but for whose it is
            for one, picture in zip(shown, pictures, strict=True):
                spots |= spots_in(read(drawn_from(one, table.values, picture.own)))
    ((shared, own),) = keys
    assert not shared & own
    read_from_others = {"cards", "last.title", *(f"cards.{at}" for at in range(rules.players))}
    assert spots <= shared | own | read_from_others
    in_cards = {"hand", "hand.choose", "hand.taken", "barred", "why", "who"}
    of_others = {f"side.{side}" for side in (0, 1)} if rules.players > 2 else set()
    above_the_stage = {"practice", "deals.at"}
    of_solo_tables = {"deals", "steps"}
    assert (shared | own) - spots <= in_cards | of_others | above_the_stage | of_solo_tables


def whole_values(table: TablePicture, picture: OwnPicture) -> Values:
    """All values of a page as they are read."""
    return Reader(table.values).read({**table.values, **picture.own})


def spots_in(inside: tuple[Element | str, ...]) -> set[str]:
    """The values that spots name, without those in the rows of lists, which have their own."""
    found: set[str] = set()
    for one in inside:
        if isinstance(one, Element):
            names = [one.get(f"data-{kind}") or "" for kind in ("text", "show", "each", "pip")]
            names += [re.split("[:=]", spec)[1] for spec in (one.get("data-set") or "").split()]
            found |= {name.lstrip("!") for name in names if name}
            found |= set() if one.get("data-each") else spots_in(one.inside)
    return found


def test_every_row_has_a_template_and_every_template_a_row() -> None:
    templates = str(drawing.row_templates())
    asked = {"person", "word", "suit", "talk_muted"}  # words of the log; who has muted somebody
    asked |= {"deal_line", "deal_step"}  # of solo tables
    for rules in RULE_SETS.values():
        for shown in states(replace(rules, target=2, deals=None)):
            table = TablePicture()
            pictures = [shown_at(table, one) for one in shown]
            asked |= {*_rows_in([whole_values(table, one) for one in pictures])}
    page_html = str(drawn_from(shown[0], table.values, pictures[0].own))
    asked |= set(re.findall(r'data-with="(\w+)"', page_html + templates))
    assert asked == set(re.findall(r'<template id="row-(\w+)">', templates))


def _rows_in(value: Any) -> Iterator[str]:
    """The templates that rows name."""
    if isinstance(value, dict):
        if "as" in value:
            yield value["as"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _rows_in(one)


@every_rule_set
def test_a_page_has_unique_ids_and_no_inline_styles(rules: RuleSet) -> None:
    for shown in evening(rules, seed=12, games=volume(1, 1, 2)):
        table = TablePicture()
        for one in shown:
            picture = shown_at(table, one)
            html = drawn_from(one, table.values, picture.own)
            ids = re.findall(r' id="([^"]*)"', html)
            assert len(ids) == len(set(ids))
            assert not any("style" in attributes for _, attributes in Page(html).elements)


@every_rule_set
def test_what_is_kept_of_earlier_pictures_changes_nothing(rules: RuleSet) -> None:
    """Forwards through an evening and then backwards, as no table ever goes."""
    kept = TablePicture()
    moments_shown = list(evening(rules, seed=15))
    for shown in (*moments_shown, *reversed(moments_shown[-100:])):
        for one, values in zip(shown, fresh(shown), strict=True):
            picture = shown_at(kept, one)
            assert {**kept.values, **picture.own} == values


# What everybody is sent ---------------------------------------------------------------------


@every_rule_set
def test_what_everybody_is_sent_is_the_same_whoever_it_is_made_for(rules: RuleSet) -> None:
    """One table, many sockets: without its viewer's own values each frame is one text."""
    table = TablePicture()
    lines: list[Line] = []
    for shown in evening(rules, seed=23):
        assert len({one.observation and one.observation.public for one in shown}) == 1
        pictures = [shown_at(table, one) for one in shown]
        if not lines:
            lines = [Line(Browser(picture)) for picture in pictures]
            for line, picture in zip(lines, pictures, strict=True):
                line.opened(picture)
        sent = [
            tuple(shared_start(frame) for frame in line.shown(picture) if '"to":' in frame)
            for line, picture in zip(lines, pictures, strict=True)
        ]
        assert len(set(sent)) == 1


@every_rule_set
def test_no_sentence_that_everybody_reads_calls_anybody_you(rules: RuleSet) -> None:
    """Neither in a value nor in what is read out; it names people."""
    for shown in evening(rules, seed=24):
        table = TablePicture()
        shown_at(table, shown[0])
        values = whole_values(table, shown_at(table, shown[0]))
        for text in (
            Reader(values).news(table.news),
            *_texts_in([values[name] for name in table.values]),
        ):
            assert not re.search(r"\b(you|your|yours|us|them|we)\b", text, re.IGNORECASE), text


def _texts_in(value: Any) -> Iterator[str]:
    """All texts of a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value if isinstance(value, list) else value.values():
            yield from _texts_in(one)


@every_rule_set
def test_nothing_on_a_spectators_page_calls_him_you(rules: RuleSet) -> None:
    for game in moments(rules, seed=21):
        text = whole_page(views(game)[-1]).text
        assert not re.search(r"\byour?\b", text, re.IGNORECASE), text


@every_rule_set
def test_own_values_are_in_no_frame_for_all(rules: RuleSet) -> None:
    table = TablePicture()
    for game in moments(rules, seed=25):
        for one in views(game):
            own = shown_at(table, one).own
        everybody = table.frames_after(0) + table.frames_after(max(1, table.number - 9))
        for text in everybody:
            fields = json.loads(b"{%b}" % text)
            assert "own" not in fields
            assert not {*fields.get("set", {}), *fields.get("add", {})} & own.keys()


@every_rule_set
def test_a_spectator_is_given_no_action(rules: RuleSet) -> None:
    for game in moments(rules, seed=15):
        parts = draw(views(game)[-1])
        assert enabled(parts) == set()
        assert page(views(game)[-1], "hand").all("button") == []


# Names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [SOUTH, NORTH, None])
@pytest.mark.parametrize("kind", ["person", GUEST, HOUSE])
def test_a_name_is_never_markup(kind: str, seat: int | None) -> None:
    """The page has the same elements with the same attributes as for a name that is none."""
    made = deal("pass", "pass", "pass", "order", "discard TD", "play 9C", "play AD")
    pages = []
    for name in (NASTY, "Benjamin Okafor"):
        seats = (SeatView(name, kind), *PEOPLE[1:])
        shown = view(
            made, seat, seats=seats, wait=0,
            requests=(SeatRequest(4, name, False, EAST),), arrival=f"{name} has left: North.",
        )  # fmt: skip
        found = whole_page(shown)
        pages.append([(tag, sorted(attributes)) for tag, attributes in found.elements])
        assert name in found.text
    assert pages[0] == pages[1]
    assert not any("onload" in attributes for _, attributes in pages[0])


def test_a_name_is_unescaped_in_a_frame() -> None:
    names = ('Maeve "the ace"', "Бен", "Maeve \\u2028\u2028'", "</ol>&amp;")
    seats = tuple(SeatView(name, "person") for name in names)
    picture = shown_at(TablePicture(), gathering(SOUTH)._replace(scene=scene(seats=seats)))
    browser = Browser(shown_at(TablePicture(), gathering(SOUTH)))
    Line(browser).opened(picture)
    assert [browser.values[f"name.{seat}"] for seat in range(4)] == [*names]


def test_a_table_of_another_size_starts_from_nothing() -> None:
    table = TablePicture()
    for rules, seats in ((JOKER_33, 4), (HEADS_UP, 2), (JOKER_33, 4)):
        table.show(scene(rules, state="gathering"), None)
        assert len([name for name in table.values if name.startswith("held.")]) == seats


def test_a_turn_clock_that_only_goes_on_makes_no_frame() -> None:
    """Else every heartbeat of a timed table would cost all its pages a frame."""
    table, at_table = TablePicture(), view(deal(), None, clock=Clock(30, 1000.5))
    seen = at_table.observation
    table.show(at_table.scene, seen)
    number = table.number
    table.show(at_table.scene._replace(clock=Clock(30, 1000.5)), seen)
    assert table.number == number
    assert table.values["ends"] == "1000.5"
    table.show(at_table.scene._replace(clock=Clock(30, 1017.0)), seen)  # somebody has more time now
    assert table.number == number + 1
    assert b'"ends":"1017.0"' in table.frames_after(number)[0]

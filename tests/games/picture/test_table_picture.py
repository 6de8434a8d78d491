"""A table's present picture: what pages are sent makes each the page that would be drawn afresh."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.live.state import Shuffling
from games.picture import draw as drawing
from games.picture.cast import cast_of
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    Asks,
    Clock,
    Consent,
    Scene,
    SeatView,
    Told,
    View,
    Viewer,
)
from games.picture.table_picture import KEPT, TablePicture
from tests.games.picture.pages import (
    OWN,
    Browser,
    Line,
    Page,
    draw,
    enabled,
    frames_without_own,
    page_of,
    read,
    shown_at,
)
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    NORTH,
    PEOPLE,
    SOUTH,
    deal,
    every_rule_set,
    gathering,
    moments,
    scene,
    view,
    views,
)

PLAY = ("order", "discard TD")
NASTY = '<b>x" data-card="KH\' onload=alert(1)\\u2028'


def evening(rules: RuleSet, seed: int, games: int = 2) -> Iterator[list[View]]:
    """A table that waits and then plays random games, while all sorts of things happen."""
    rng = Random(seed)
    table = scene(rules)
    waiting = table._replace(state="gathering", game_id="", game_number=0, version=0)
    for _ in range(3):
        waiting = happened(waiting, rng)
        yield [View(waiting, Viewer(seat), None) for seat in (*range(rules.players), None)]
    for number in range(1, games + 1):
        for game in moments(rules, seed + number):
            table = happened(table, rng)._replace(
                state="finished" if game.standing.over else "playing",
                records=game.records,
                version=game.version,
                game_number=number,
            )
            yield [
                View(table, Viewer(seat, invite_token="word"), game.observe(seat))
                for seat in (*range(rules.players), None)
            ]


def happened(table: Scene, rng: Random) -> Scene:
    """A table's scene after something has happened besides the cards, or nothing."""
    at = rng.randrange(table.rules.players)
    seat = table.seats[at]
    others = [
        seat._replace(away=not seat.away),
        seat._replace(stand_in=not seat.stand_in),
        SeatView(NASTY, GUEST),
        SeatView("Rowan", HOUSE),
        SeatView(NAMES[table.rules.players][at], "person"),
        SeatView("", EMPTY),
    ]
    seats = [*table.seats]
    seats[at] = rng.choice(others) if rng.random() < 0.2 else seat
    asks = Asks(4, NASTY, True, at)
    others_than = tuple(other for other in range(table.rules.players) if other != at)
    consent = Consent(7, rng.choice(["resign", "claim", "undo"]), at, others_than[:1])
    told = Told(
        rng.randrange(1, 3), rng.randrange(20), table.version - rng.randrange(2),
        rng.choice(["leave", "resign", "claim", "undo"]),
        rng.choice(["open", "agreed", "declined", "withdrawn", "lapsed"]), NASTY, NASTY,
    )  # fmt: skip
    return table._replace(
        seats=tuple(seats),
        wait=rng.choice([None, None, None, 0, 42]),
        clock=rng.choice([None, None, Clock(30, None), Clock(30, rng.randrange(300) / 10)]),
        asking=rng.choice([(), (), (), (asks,)]),
        coming=rng.choice(["", "", "", f"{NASTY} has left: North."]),
        consent=rng.choice([None, None, None, consent]),
        told=(*table.told, told)[-3:] if rng.random() < 0.1 else table.told,
        claimed=rng.choice([-1, -1, -1, at]),
        resigned=rng.choice([-1] * 9 + [at % 2]),
        undo=rng.choice([(), (at,)]),
        spent=rng.choice([(), (at,)]),
    )


def drawn(rules: RuleSet, seed: int) -> Iterator[tuple[View, Mapping[str, str]]]:
    """What every seat and a spectator are shown of every moment of an evening, and its parts.

    What is the same for all is drawn once a moment; nothing is kept of an earlier one.
    """
    for shown in evening(rules, seed):
        table = TablePicture()
        for one in shown:
            yield one, draw(one, table)


def fresh(shown: list[View]) -> list[dict[str, Any]]:
    """The pages of some views as they are drawn with nothing kept."""
    table = TablePicture()
    return [read_parts(draw(one, table)) for one in shown]


def read_parts(parts: Any) -> dict[str, Any]:
    """Parts as a browser has them."""
    return {name: read(html)[0] for name, html in parts.items()}


# The sum of frames --------------------------------------------------------------------------


@every_rule_set
def test_the_frames_of_a_socket_make_its_whole_page(rules: RuleSet) -> None:
    table = TablePicture()
    lines: list[Line] = []
    for shown in evening(rules, seed=19):
        pictures = [shown_at(table, one) for one in shown]
        if not lines:
            lines = [Line(Browser(picture, rules)) for picture in pictures]
            for line, picture in zip(lines, pictures, strict=True):
                line.opened(picture)
        for line, picture, whole in zip(lines, pictures, fresh(shown), strict=True):
            sent = line.shown(picture)
            assert line.browser.parts == whole
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
                line = lines[seat] = Line(Browser(picture, rules))
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
            assert line.browser.parts == whole
            away[seat] = rng.choice([0, 0, 0, rng.randrange(1, 20), rng.randrange(20, 40)])
    assert all(healed.values()), healed


def test_a_frame_sent_again_brings_own_parts_that_have_changed_since() -> None:
    """What a page says that it has comes while the next frame is under way to it."""

    def view_at(commitments: tuple[str, str], *, frozen: bool) -> View:
        shuffling = Shuffling("a match", "c0", frozen, commitments, (False, False))
        table = scene(HEADS_UP, state="shuffling", version=0, shuffling=shuffling)
        return View(table, Viewer(0), None)

    table = TablePicture()
    opened = shown_at(table, gathering(0))
    line = Line(Browser(opened, HEADS_UP))
    line.opened(opened)
    asked = shown_at(table, view_at(("", ""), frozen=False))
    line.shown(asked)
    assert table.number == 2
    assert "commitment" in asked.own["shuffle"]
    line.said(1)
    told = shown_at(table, view_at(("aa", "bb"), frozen=True))
    assert table.number == 2  # nothing but the viewer's own has changed
    assert "number" in told.own["shuffle"]
    said = list(line.browser.said)
    line.shown(told, again=True)
    assert line.browser.parts == {name: read(html)[0] for name, html in told.parts.items()}
    assert line.browser.said == said


@every_rule_set
def test_a_slow_socket_is_sent_all_it_lacks_at_once(rules: RuleSet) -> None:
    """Without a word of its page: it has only taken nothing for a while."""
    table, rng = TablePicture(), Random(21)
    line: Line | None = None
    for shown in evening(rules, seed=21):
        pictures = [shown_at(table, one) for one in shown]
        if line is None:
            line = Line(Browser(pictures[1], rules))
            line.opened(pictures[1])
        elif rng.random() < 0.1:
            line.shown(pictures[1])
            assert line.browser.parts == fresh(shown)[1]


@every_rule_set
def test_each_news_is_said_once_and_in_order(rules: RuleSet) -> None:
    table = TablePicture()
    line: Line | None = None
    news: list[str] = []
    for game in moments(rules, seed=22):
        picture = shown_at(table, views(game)[-1])
        if line is None:
            line = Line(Browser(picture, rules))
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
    assert '"from":0' not in table.frames_after(KEPT)[0]
    for older in (KEPT - 1, 1, 0, -1, 2 * KEPT + 1, 10**30):
        (whole,) = table.frames_after(older)
        assert whole.startswith(f'"version":"1.{2 * KEPT - 1}","from":0,"to":{2 * KEPT},"table":')
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
    assert frame.startswith('{"version":"1.7","own":')
    assert "You have asked for a seat: East." in frame
    assert '"to"' not in frame


def test_no_two_pictures_have_one_name() -> None:
    assert len({TablePicture().name for _ in range(100)}) == 100


def test_one_play_changes_few_parts() -> None:
    made = deal(*PLAY)
    table = TablePicture()
    before = draw(view(made, SOUTH, version=3), table)
    made.push(made.legal_actions()[0])
    after = draw(view(made, SOUTH, version=4), table)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"stamp", "turn", "backs-0", "spot-0", "trick-name", "log-deal", "line"}


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
    assert '"own"' not in frame
    assert frame.count("<li") == 2  # the trick's head and the card
    assert '"log":' in frame
    assert "log-deal" not in frame


# The whole page -----------------------------------------------------------------------------


@every_rule_set
def test_every_part_is_one_element_with_its_own_id(rules: RuleSet) -> None:
    for name, html in {part for _, parts in drawn(rules, seed=11) for part in parts.items()}:
        part = Page(html)
        assert part.roots == 1
        assert part.elements[0][1]["id"] == name
        assert not any("style" in attributes for _, attributes in part.elements)


@every_rule_set
def test_no_id_stands_twice_on_a_page(rules: RuleSet) -> None:
    for _, parts in drawn(rules, seed=12):
        ids = re.findall(r' id="([^"]*)"', "".join(parts.values()))
        assert len(ids) == len(set(ids))


@every_rule_set
def test_equal_views_give_equal_bytes(rules: RuleSet) -> None:
    """With nothing kept, and with the same values in other objects."""
    first = [parts for _, parts in drawn(rules, seed=14)]
    for kept in (cast_of, drawing._escaped, drawing.inside, drawing._card_word, drawing._suit_word):
        kept.cache_clear()
    assert [parts for _, parts in drawn(rules, seed=14)] == first


@every_rule_set
def test_what_is_kept_of_earlier_pictures_changes_nothing(rules: RuleSet) -> None:
    """Forwards through an evening and then backwards, as no table ever goes."""
    kept = TablePicture()
    pages = list(drawn(rules, seed=15))
    for shown, parts in (*pages, *reversed(pages[-200:])):
        if shown.observation is not None:
            assert draw(shown, kept) == parts


# What everybody is sent ---------------------------------------------------------------------


@every_rule_set
def test_what_everybody_is_sent_is_the_same_whoever_it_is_made_for(rules: RuleSet) -> None:
    """One table, many sockets: without its viewer's own parts each frame is one text."""
    table = TablePicture()
    lines: list[Line] = []
    for shown in evening(rules, seed=23):
        assert len({one.observation and one.observation.public for one in shown}) == 1
        pictures = [shown_at(table, one) for one in shown]
        if not lines:
            lines = [Line(Browser(picture, rules)) for picture in pictures]
            for line, picture in zip(lines, pictures, strict=True):
                line.opened(picture)
        sent = [
            tuple(frames_without_own(line.shown(picture)))
            for line, picture in zip(lines, pictures, strict=True)
        ]
        assert len(set(sent)) == 1


@every_rule_set
def test_no_sentence_that_everybody_reads_calls_anybody_you(rules: RuleSet) -> None:
    """Neither in a frame nor on a page, nor in what is read out; it names people."""
    for shown in evening(rules, seed=24):
        table = TablePicture()
        shown_at(table, shown[0])
        texts = [table.news]
        for _, html in table.parts():
            part = Page(html)
            texts += [part.text, *(str(of.get("aria-label", "")) for _, of in part.elements)]
        for text in texts:
            assert not re.search(r"\b(you|your|yours|us|them|we)\b", text, re.IGNORECASE), text


@every_rule_set
def test_nothing_on_a_spectators_page_calls_him_you(rules: RuleSet) -> None:
    for game in moments(rules, seed=21):
        text = page_of(draw(views(game)[-1])).text
        assert not re.search(r"\byour?\b", text, re.IGNORECASE), text


@every_rule_set
def test_own_parts_are_in_no_frame_for_all(rules: RuleSet) -> None:
    table = TablePicture()
    for game in moments(rules, seed=25):
        for one in views(game):
            shown_at(table, one)
        assert not set(dict(table.parts())) & set(OWN)
        everybody = "".join(table.frames_after(0) + table.frames_after(max(1, table.number - 9)))
        assert not re.search(rf"id='({'|'.join(OWN)})'", everybody)
        assert '"own"' not in everybody


@every_rule_set
def test_a_spectator_is_given_no_action(rules: RuleSet) -> None:
    for game in moments(rules, seed=15):
        parts = draw(views(game)[-1])
        assert enabled(parts) == set()
        assert page_of(parts, "hand").all("button") == []


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
            asking=(Asks(4, name, False, EAST),), coming=f"{name} has left: North.",
        )  # fmt: skip
        table = TablePicture()
        picture = shown_at(table, shown)
        pages.append(
            [(tag, sorted(attributes)) for tag, attributes in page_of(picture.parts).elements]
        )
        browser = Browser(picture, CLASSIC_24)
        before = dict(browser.parts)
        Line(browser).opened(picture)
        table.name = "anew"
        Line(browser).opened(picture)
        assert browser.parts == before
    assert pages[0] == pages[1]
    assert not any("onload" in attributes for _, attributes in pages[0])


def test_a_name_stands_in_a_frame_as_it_is() -> None:
    names = ('Maeve "the ace"', "Бен", "Iris\\u2028\u2028'", "</ol>&amp;")
    seats = tuple(SeatView(name, "person") for name in names)
    table = TablePicture()
    picture = shown_at(table, gathering(SOUTH)._replace(scene=scene(seats=seats)))
    browser = Browser(shown_at(TablePicture(), gathering(SOUTH)), CLASSIC_24)
    Line(browser).opened(picture)
    for seat, name in enumerate(names):
        (_, word, _) = (*browser.parts[f"plate-{seat}"].inside, "", "")[:3]
        assert getattr(word, "inside", ()) == (name,)


def test_a_clock_that_only_goes_on_makes_no_frame_and_is_drawn_for_pages_to_come() -> None:
    """Else every heartbeat of a timed table would cost all its pages a frame."""
    table, at_table = TablePicture(), view(deal(), None, clock=Clock(30, 21.5))
    seen = at_table.observation
    table.show(at_table.scene, seen)
    number = table.number
    table.show(at_table.scene._replace(clock=Clock(30, 12.0)), seen)
    assert table.number == number
    assert 'data-left="12.0"' in dict(table.parts())["turn"]
    assert "data-left='12.0'" in table.frames_after(0)[0]
    table.show(at_table.scene._replace(clock=Clock(30, 29.0)), seen)  # somebody has more time now
    assert table.number == number + 1
    assert "data-left='29.0'" in table.frames_after(number)[0]

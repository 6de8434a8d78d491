"""Writing on the score card of a table in the room: who may, what is refused, and what follows.

Nobody needs an account, so the code and the people at the table are the only protection: a score
counts only when both sides have signed it, from two phones, while the round is played. What another
phone has written meanwhile is named in the refusal, never overwritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Q

from games.models import Player
from games.people import whereabouts
from tournaments.changes import row_images, row_locks
from tournaments.changes.row_locks import changed
from tournaments.events.notices import note
from tournaments.models import Act, Event, Pairing, PairingEntry, RoomTable, ScoreLine
from tournaments.refusals import RefusedError
from tournaments.results import corrections, matches, room_results
from tournaments.room_scores import cards
from tournaments.room_scores.cards import RoomCard, RoomGame, RoomHand

Kind = ScoreLine.Kind

#: The most lines on a card since it was cleared: a hundred hands, each changed several times.
MOST_LINES: Final = 600
MOST_CLEARED: Final = 10
SIDES: Final[Mapping[int, tuple[str, str]]] = {
    2: ("north", "south"),
    4: ("north–south", "east–west"),
}
TOOK: Final[Mapping[str, str]] = {
    cards.NONE: "no trick",
    cards.FEW: "too few tricks",
    cards.MADE: "three or four tricks",
    cards.MARCH: "all five tricks",
}


class Writer(NamedTuple):
    """Who writes: digests of the browser and its address, and the account's player if any.

    `elsewhere`: the browser has opened the card of another table of the event, too.
    """

    phone: str
    player: Player | None
    address: str = ""
    elsewhere: bool = False


class NewLine(NamedTuple):
    """A line as a phone sends it.

    `round` is the number of the round that the phone shows; `seen` the key of the line that it
    shows for the same hand or game, empty if none. `values` depends on the kind. `drawn` is the
    `draw_of` the match that the phone shows; empty from pages that did not send it yet.
    """

    key: str
    kind: str
    round: int
    side: int
    number: int
    seen: str
    values: Mapping[str, Any]
    said: str = ""
    drawn: str = ""


class _Card(NamedTuple):
    """A card that is written on, with its event locked, and who writes."""

    event: Event
    match: Pairing
    card: RoomCard
    now: datetime
    writer: Writer


def side_words(event: Event, side: int) -> str:
    return SIDES[event.rules.players][side]


def hand_words(event: Event, hand: RoomHand | RoomGame) -> str:
    """Return what was written: "east–west called, all five tricks alone, 4 points"."""
    if isinstance(hand, RoomGame):
        return f"{hand.points[0]}–{hand.points[1]}"
    if hand.scored == cards.NOBODY:
        return "thrown in"
    alone = " alone" * hand.alone + " against a lone defender" * hand.defended
    points = f"{hand.points} point{'s' * (hand.points != 1)}"
    to = "" if hand.scored == hand.caller else f" for {side_words(event, hand.scored)}"
    return f"{side_words(event, hand.caller)} called, {TOOK[hand.took]}{alone}, {points}{to}"


def present_match(event: Event, number: int) -> Pairing:
    """Return the match of the latest round at a table, with its entries.

    Raises RefusedError ``not_begun``, ``nobody`` or ``online`` if nobody plays there in the room.
    """
    round_ = event.played_rounds.order_by("-number").first()
    if round_ is None:
        words = f"Nobody plays yet: {event.name} has not begun. Come back when round 1 is drawn."
        raise RefusedError("not_begun", words)
    rows = Pairing.objects.select_related("round").prefetch_related("entries__entry")
    match = rows.filter(round=round_, number=number).first()
    if match is None:
        raise RefusedError("nobody", f"Nobody plays at table {number} in round {round_.number}.")
    if not match.in_room:
        raise RefusedError("online", f"Table {number} plays online in round {round_.number}.")
    return match


def draw_of(match: Pairing) -> str:
    """Return a digest of a match and who was drawn into which seat; prefetch its entries.

    A round that is drawn again has the same number, but its tables have other matches.
    """
    drawn = sorted((one.side, one.position, one.entry_id) for one in match.entries.all())
    return hashlib.sha256(repr((match.pk, drawn)).encode()).hexdigest()[:12]


def lines_of(match: Pairing) -> list[ScoreLine]:
    return list(match.score_lines.select_related("player").order_by("pk"))


def side_of(match: Pairing, player: Player | None) -> int | None:
    """Return the side on which a player sits at a match; None if they do not."""
    if player is None:
        return None
    rows = PairingEntry.objects.filter(pairing=match, entry__players__player=player)
    return rows.values_list("side", flat=True).first()


def accounts_at(match: Pairing) -> str:
    """Return the names of those at a match who have an account, "Ada or Ben"; empty if nobody."""
    return " or ".join(one.name for one in matches.seated(match) if one.user_id is not None)


def plays_elsewhere(match: Pairing, player: Player | None) -> bool:
    """Return whether a player sits at another table in the same round."""
    rows = PairingEntry.objects.filter(round=match.round_id, entry__players__player=player)
    return player is not None and rows.exclude(pairing=match).exists()


def write(table: RoomTable, line: NewLine, writer: Writer, now: datetime) -> None:
    """Write a line on the card of the match being played at a table; do nothing if it is there.

    The second signature under the same score decides the match. Raises RefusedError, and changes
    nothing: ``round``, ``seats`` and ``decided`` if it comes too late, ``other`` if another phone
    was faster, and more by kind.
    """
    with row_locks.locked(table.event) as event:
        known = ScoreLine.objects.filter(key=line.key).select_related("pairing__round").first()
        if known is not None:
            _check_repeated(known, event, table, line, writer)
            return
        match = present_match(event, table.number)
        _check_open(event, match, line)
        lines = lines_of(match)
        _check_writer(event, match, line, writer, lines)
        card = _Card(event, match, cards.card_of(event, match, lines), now, writer)
        if card.card.lines >= MOST_LINES and line.kind != Kind.CLEAR:
            words = f"This card has {MOST_LINES} lines: clear it, or ask the director to go on."
            raise RefusedError("full", words)
        values = _VERBS[Kind(line.kind)](card, line)
        if values is None:
            return
        stored = ScoreLine.objects.create(
            pairing=match,
            key=line.key,
            kind=line.kind,
            side=line.side,
            number=line.number,
            values=values,
            said=line.said,
            phone=writer.phone,
            address=writer.address if line.kind == Kind.SIGN else "",
            player=writer.player,
            at=now,
        )
        _apply(card, stored, [*lines, stored])
        changed(event)


# Who may ---------------------------------------------------------------------------------------


def _check_repeated(
    known: ScoreLine, event: Event, table: RoomTable, line: NewLine, writer: Writer
) -> None:
    there = (known.pairing.round.event_id, known.pairing.number, known.kind, known.number)
    same = there == (event.pk, table.number, line.kind, line.number)
    if not same or known.phone != writer.phone:
        raise RefusedError("key", "This entry has the key of another one. Write it again.")


def _check_open(event: Event, match: Pairing, line: NewLine) -> None:
    if line.round != match.round.number:
        words = f"Round {line.round} is over. Only the director changes it."
        raise RefusedError("round", words)
    if line.drawn and line.drawn != draw_of(match):
        words = f"Others have been drawn to table {match.number} since. This was not stored."
        raise RefusedError("seats", words)
    if event.state != Event.State.RUNNING:
        raise RefusedError("not running", f"{event.name} is not being played.")
    if match.state == Pairing.State.DECIDED:
        words = f"The score of table {match.number} stands. Only the director changes it."
        raise RefusedError("decided", words)


def _check_writer(
    event: Event, match: Pairing, line: NewLine, writer: Writer, lines: Sequence[ScoreLine]
) -> None:
    own = side_of(match, writer.player)
    if own is not None and own != line.side:
        words = f"You sit {side_words(event, own)}, and write for that side only."
        raise RefusedError("side", words, 403)
    if own is None and plays_elsewhere(match, writer.player):
        words = f"You play at another table in round {match.round.number}."
        raise RefusedError("elsewhere", words, 403)
    # Hands belong to both sides; who has signed or disputed speaks for one of them.
    for spoken in lines:
        if spoken.kind not in (Kind.SIGN, Kind.DISPUTE) or spoken.side == line.side:
            continue
        if spoken.phone == writer.phone or (writer.player and spoken.player_id == writer.player.pk):
            words = (
                f"This phone has signed for {side_words(event, spoken.side)}. The other side "
                "needs its own phone."
            )
            raise RefusedError("same phone", words, 403)


# What is written ---------------------------------------------------------------------------------


def _hand(on: _Card, line: NewLine) -> Mapping[str, Any] | None:
    if on.card.games:
        words = "This card has the final score. Take it back to write hand by hand."
        raise RefusedError("by game", words)
    took, alone = line.values["took"], line.values["alone"]
    if took == cards.PASSED and not cards.counts_passed(on.event, on.match):
        raise RefusedError("took", "A hand that is thrown in is dealt again here.", 422)
    if took not in cards.worth(on.event.rules):
        raise RefusedError("took", "Choose “too few tricks”: taking none counts the same.", 422)
    if alone and not on.event.rules.alone:
        raise RefusedError("alone", "Nobody plays alone by these rules.", 422)
    if line.values.get("defended") and not (alone and on.event.rules.defend_alone):
        words = "Only a lone hand can be defended alone, and only where the rules allow it."
        raise RefusedError("defended", words, 422)
    new = cards.hand_of(on.event.rules, line.number, line.key, line.values)
    return line.values if _is_new(on, line, new) else None


def _game(on: _Card, line: NewLine) -> Mapping[str, Any] | None:
    if on.card.hands:
        words = "This card is kept hand by hand. Take its hands back to write only the score."
        raise RefusedError("by hand", words)
    points, lone = line.values["points"], line.values["lone"]
    new = RoomGame(line.number, line.key, tuple(points), tuple(lone))
    return line.values if _is_new(on, line, new) else None


def _is_new(on: _Card, line: NewLine, new: RoomHand | RoomGame) -> bool:
    """Return False if the same stands there already; refuse what is out of order."""
    what = _what(new).capitalize()
    present = on.card.written.get(line.number)
    if present is not None and present == replace(new, key=present.key):
        return False
    if present is not None and present.key != line.seen:
        words = f"{what} was written on another phone: {hand_words(on.event, present)}."
        raise RefusedError("other", f"{words} Yours was not stored.")
    if present is None and line.seen:
        words = f"{what} was taken back on another phone. Yours was not stored."
        raise RefusedError("other", words)
    if present is None and on.card.complete:
        raise RefusedError("over", f"The match is over: {what.lower()} is one too many.")
    if present is None and line.number != on.card.next:
        raise RefusedError("gap", f"{what} cannot be written before number {on.card.next}.")
    return True


def _what(written: RoomHand | RoomGame) -> str:
    kind = "hand" if isinstance(written, RoomHand) else "game"
    return f"{kind} {written.number}"


def _take_back(on: _Card, line: NewLine) -> Mapping[str, Any] | None:
    last = on.card.written.get(on.card.next - 1)
    if last is None or last.number < line.number:
        return None  # it is gone already
    if last.number > line.number:
        words = f"{_what(last).capitalize()} was written since. Nothing was taken back."
        raise RefusedError("other", words)
    if last.key != line.seen:
        words = f"{_what(last).capitalize()} was written on another phone:"
        words = f"{words} {hand_words(on.event, last)}. It was not taken back."
        raise RefusedError("other", words)
    return {}


def _sign(on: _Card, line: NewLine) -> Mapping[str, Any] | None:
    card = on.card
    if [list(score) for score in card.scores] != line.values["scores"]:
        words = f"The score is {score_words(card)} now. Look at it and sign again."
        raise RefusedError("other", words)
    lone = list(card.lone)
    if line.values.get("lone", lone) != lone:  # a page from before it was named sends none
        words = f"The lone marches are {lone[0]}–{lone[1]} now. Look at them and sign again."
        raise RefusedError("other", words)
    ended, why = cards.ending(on.event, on.match, card, on.event.paused or on.now)
    if not ended:
        raise RefusedError("not over", why or "The match is not over, so it cannot be signed yet.")
    seated = side_of(on.match, on.writer.player) == line.side
    here = seated or not on.writer.elsewhere
    own, other = card.signed.get(line.side), card.signed.get(1 - line.side)
    if own is not None and other is None and (own.here or not here):
        return None
    if other is not None and not other.here and not here and (names := accounts_at(on.match)):
        words = (
            f"Both phones have been at other tables. One has to be {names}’s: log in there"
            " and sign again, or ask the director to enter the score."
        )
        raise RefusedError("stranger", words, 403)
    signed = {"scores": line.values["scores"], "lone": lone, "ended": ended}
    return {**signed, "seated": seated, "here": here}


def _dispute(on: _Card, line: NewLine) -> Mapping[str, Any]:
    signed = on.card.signer
    if signed is None or signed.side == line.side:
        raise RefusedError(
            "unsigned", "You can dispute a score only after the other side has signed it."
        )
    if line.number and line.number not in on.card.written:
        raise RefusedError("number", f"Nothing is written at number {line.number}.", 422)
    return {}


def why_not_cleared(match: Pairing, card: RoomCard, side: int, player: Player | None) -> str:
    """Return why a side cannot clear a card, or an empty string.

    Where somebody has an account, only such a player does, and neither do signatures of phones
    without one stop them.
    """
    own = side_of(match, player) == side
    if not own and (names := accounts_at(match)):
        return f"Only {names}, logged in, can clear this card; or call the director."
    other = card.signed.get(1 - side)
    if other is not None and (other.seated or not own):
        return "The other side has signed this score: say that it is wrong, and the director comes."
    if card.cleared >= MOST_CLEARED:
        return f"This card was cleared {MOST_CLEARED} times. Only the director can go on with it."
    return ""


def _clear(on: _Card, line: NewLine) -> Mapping[str, Any] | None:
    if not on.card.lines:
        return None
    if why := why_not_cleared(on.match, on.card, line.side, on.writer.player):
        raise RefusedError("clear", why, 403)
    return {}


_VERBS: Final[Mapping[Kind, Callable[[_Card, NewLine], Mapping[str, Any] | None]]] = {
    Kind.HAND: _hand,
    Kind.GAME: _game,
    Kind.TAKE_BACK: _take_back,
    Kind.SIGN: _sign,
    Kind.DISPUTE: _dispute,
    Kind.CLEAR: _clear,
}
#: What phones write.
WRITTEN: Final = tuple(_VERBS)


# What follows ------------------------------------------------------------------------------------


def _apply(on: _Card, stored: ScoreLine, lines: Sequence[ScoreLine]) -> None:
    """Refuse an impossible score, and decide the match if both sides have signed it."""
    event, match = on.event, on.match
    card = cards.card_of(event, match, lines)
    if stored.kind == Kind.GAME and (card.complete or card.games_to_win == 1):
        ended, why = cards.ending(event, match, card, on.event.paused or on.now)
        if not ended:
            over = (
                f"A game to {event.rules.target} is not over at {card.points[0]}–{card.points[1]}."
            )
            raise RefusedError("result", why or over, 422)
    where = f"Round {match.round.number}, table {match.number}, in the room"
    if stored.kind == Kind.DISPUTE:
        said = f"{where}: {side_words(event, stored.side)} dispute {score_words(card)}."
        note(event, f"{said} {stored.said}".strip(), stored.player)
    if stored.kind != Kind.SIGN or len(card.signed) < 2:
        return
    ruling = cards.ruling_of(event, match, card, card.signed[stored.side].ended)
    room_results.decide(event, match, ruling, on.now)
    by = " and ".join(
        f"{side_words(event, side)} ({card.signed[side].name or 'a phone without an account'})"
        for side in (0, 1)
    )
    note(event, f"{where}: {corrections.in_words(values_of(match))}, signed by {by}.")


def values_of(match: Pairing) -> dict[str, Any]:
    """Return a decided match as `corrections.in_words` takes it."""
    return {
        "winner": match.winner,
        "points": match.points,
        "games": match.games_won,
        "how": match.how,
        "scores": match.scores,
    }


def forget_addresses(now: datetime) -> None:
    """Delete the hashes of addresses that are old enough, in rows kept with acts as well.

    Rows kept with an act are older than it, so those of long ago were done on earlier days.
    """
    before = now - whereabouts.KEPT
    ScoreLine.objects.filter(at__lt=before).exclude(address="").update(address="")
    with_addresses = Q(rows_text__regex='"address": "[^"]')
    acts = Act.objects.filter(at__gte=now - 4 * whereabouts.KEPT)
    for act, images in row_images.acts_with_rows(acts, with_addresses):
        for model, _image, values in images:
            if model is not ScoreLine or not values.get("address"):
                continue
            # Of a line that was only changed, the time was not kept.
            at = datetime.fromisoformat(values["at"]) if "at" in values else act.at
            if at < before:
                values["address"] = ""
        act.save(update_fields=["kept"])


def score_words(card: RoomCard) -> str:
    return f"{card.shown[0]}–{card.shown[1]}"

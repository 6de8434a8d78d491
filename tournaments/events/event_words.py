"""An event's format, length and state in words."""

from __future__ import annotations

from typing import Final, NamedTuple

from games import rule_words
from tournaments.formats.registry import KNOCK_OUTS
from tournaments.models import Event
from tournaments.prize_money import amount_in_words
from tournaments.times import clock_time, zone_name

#: Who owns the results of a place that a substitute takes over.
SUBSTITUTES: Final = (
    "If a substitute takes over, points, place and prize stay with whoever had the place first."
)
MATCHES: Final = {
    Event.Match.GAME: "",
    Event.Match.BEST_OF_3: "best of three games",
    Event.Match.BEST_OF_5: "best of five games",
    Event.Match.DEALS: "",
}


class Tag(NamedTuple):
    """A short state. tone: CSS class of its colours. mark: name of an icon, or "dot"."""

    words: str
    tone: str = ""
    mark: str = ""


TAGS: Final = {
    Event.State.DRAFT: Tag("Draft", "warn"),
    Event.State.ANNOUNCED: Tag("Announced", "info"),
    Event.State.REGISTRATION: Tag("Registration open", "good", "dot"),
    Event.State.CHECK_IN: Tag("Check-in", "good", "dot"),
    Event.State.READY: Tag("Registration closed", "info"),
    Event.State.RUNNING: Tag("Running", "good", "dot"),
    Event.State.FINISHED: Tag("Finished", "good", "check"),
    Event.State.CANCELLED: Tag("Cancelled", "bad"),
}
MISSED: Final = Tag("Missed its start", "warn", "clock")


def provisional(event: Event) -> Tag:
    """Return the tag of an event whose results can still change: "Provisional until 21:40 …"."""
    if event.final_at is None:
        return Tag("Provisional", "warn", "clock")
    zone = event.club.zone
    until = f"{clock_time(event.final_at, zone)} {zone_name(zone)}"
    return Tag(f"Provisional until {until}", "warn", "clock")


def facts(event: Event, entries: int, qualified: int = 0) -> list[str]:
    """Return short facts about an event: format, rules, match, place, entries, rated, money."""
    pieces = [
        format_in_words(event, entries, qualified),
        game_in_words(event),
        MATCHES[Event.Match(event.match)],
        place_in_words(event),
        counted(event, entries) if entries else "",
        "rated" if event.rated else "not rated",
        entry_in_words(event),
    ]
    return [piece for piece in pieces if piece]


def format_in_words(event: Event, entries: int, qualified: int) -> str:
    """Return the format with its length: "Swiss, 5 rounds"; arguments as for `facts`."""
    name = event.get_format_display()
    begun = event.started is not None and entries > 1
    rounds = event.round_count(entries) if begun else event.rounds
    if not event.is_knock_out and rounds:
        name = f"{name}, {plural(rounds, 'round')}"
    if event.second_stage:
        second = KNOCK_OUTS[event.second_stage].name.lower()
        then = f"then {second} for {qualified or event.qualifiers or 'all'}"
        name = f"{name}, {f'without {second}' if dropped(event, qualified) else then}"
    return name


def dropped(event: Event, qualified: int) -> bool:
    """Return whether an event was played without the second stage that was announced."""
    played = event.final_at is not None or event.state == Event.State.FINISHED
    return bool(event.second_stage) and played and not qualified


def place_in_words(event: Event) -> str:
    """Return "at The Old Mill" or "some tables in the room"; empty if it is online."""
    if event.place == Event.Place.ONLINE:
        return ""
    there = f"at {event.venue}" if event.venue else "in the room"
    return there if event.place == Event.Place.ROOM else f"some tables {there}"


def game_in_words(event: Event) -> str:
    if event.match == Event.Match.DEALS and event.deals:
        return f"{event.rules.name}, {plural(event.deals, 'hand')}"
    return rule_words.brief(event.rules)


def entry_in_words(event: Event) -> str:
    """Return what an entry costs, "entry 5.00 EUR"; empty if nothing."""
    if not event.entry_money:
        return ""
    return f"entry {amount_in_words(event.entry_money, event.currency)} {event.currency}"


def counted(event: Event, entries: int) -> str:
    return plural(entries, "player" if event.team_size == 1 else "partnership")


def entrant(event: Event) -> str:
    return "Player" if event.team_size == 1 else "Partnership"


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def total_rounds(event: Event, entries: int, qualified: int = 0) -> int | None:
    """Return how many rounds an event has in total, without cuts; None with fewer than two entries.

    A second final of a double elimination is not counted.
    """
    if entries < 2:
        return None
    first = event.round_count(entries) or 0
    if event.knock_out is None or dropped(event, qualified):
        return first
    if event.is_knock_out:
        return event.knock_out.rounds(entries)
    through = qualified or min(event.qualifiers or entries, entries)
    return first + event.knock_out.rounds(through // 2 if event.individual else through)


def ties_rule(event: Event) -> str:
    """Return what follows a tie, in a sentence or two; empty where no match can be tied."""
    limited = event.round_minutes is not None
    if event.started is not None and not limited:  # a director can limit a round
        limited = event.played_rounds.filter(ends__isnull=False).exists()
    possible = event.match == Event.Match.DEALS or limited
    if not possible or event.first_stage.duplicate or event.is_knock_out:
        return ""
    article = "Before the knock-out a" if event.second_stage else "A"
    if event.ties != Event.Ties.HAND:
        return f"{article} tied match is half a win for each side."
    words = f"{article} tied table plays one more hand, until one side is ahead."
    if limited and event.place != Event.Place.ROOM:
        words += " Online a tie stands five minutes after the round’s time."
    return words


def late_rule(event: Event) -> str:
    """Return whether somebody can be let in late, and what rounds that they missed are worth."""
    if event.first_stage.no_late_entry:
        return ""
    worth = ("does not count", "counts as half a win", "counts as a win")[event.late_half_wins]
    return f"Directors can let in who comes late; a round missed {worth}."

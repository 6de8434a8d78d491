"""The API's representation of a table.

Like the page, it is built only from a view, which holds nothing that its viewer may not know; see
`games.engine.observation`.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from ninja import Field, Schema

from games.api.games import (
    OUTCOMES,
    SEATS,
    DealOut,
    RulesRef,
    deal_out,
    points_by_side,
    rules_ref,
)
from games.api.values import one_of
from games.bots import levels
from games.engine import observation as phases
from games.engine.actions import Action, action_text
from games.engine.cards import TRUMP_TEXTS, card_text, cards_in
from games.engine.observation import Observation
from games.engine.seats import COMPASS
from games.models import Proposal, Table
from games.picture.scene import EMPTY, GUEST, HOUSE, PERSON, PROGRAM, View

SeatName = Literal["North", "East", "South", "West"]
PHASES: Final = (
    phases.CUTTING,
    phases.NAMING,
    phases.SWAPPING,
    phases.FOLDING,
    phases.FIRST_ROUND,
    phases.SECOND_ROUND,
    phases.DISCARDING,
    phases.ASKING,
    phases.GIVING,
    phases.DEFENDING,
    phases.PLAYING,
    phases.DONE,
)
PROPOSED: Final = (Proposal.Kind.RESIGN.value, Proposal.Kind.CLAIM.value, Proposal.Kind.UNDO.value)
KINDS: Final = (PERSON, GUEST, HOUSE, PROGRAM, EMPTY)
CARD: Final = "Rank and suit, such as `9C`, `TS` or `JD`; the joker is `Jo`, or `2S` as the Benny."


class SitterOut(Schema):
    """A seat and who has it."""

    seat: Annotated[str, one_of(SEATS)]
    name: str = Field(description="Empty where nobody has it.")
    kind: Annotated[str, one_of(KINDS)]
    program_of: str = Field(description="Whose program it is; empty for all others.")
    stand_in: bool = Field(description="Whether a house player plays for whoever has it.")
    away: bool = Field(description="Whether whoever has it has gone and not come back.")


class SeatRequestOut(Schema):
    """Somebody who asks those who play for a seat."""

    id: int
    seat: Annotated[str, one_of(SEATS)]
    name: str
    guest: bool


class ProposalOut(Schema):
    """What somebody proposes to those who play."""

    id: int
    kind: Annotated[str, one_of(PROPOSED)] = Field(
        description="To give the game up for a side; to play the rest of a hand out whose result "
        "cannot change; to undo what its proposer did last."
    )
    seat: Annotated[str, one_of(SEATS)]
    awaited: list[Annotated[str, one_of(SEATS)]] = Field(description="Who has still to agree.")


class Call(Schema):
    """One call of the bidding, or answer to another question."""

    seat: Annotated[str, one_of(SEATS)]
    action: str


class Play(Schema):
    """A card that was played."""

    seat: Annotated[str, one_of(SEATS)]
    card: str = Field(description=CARD)


class TrickOut(Schema):
    """A complete trick."""

    plays: list[Play]
    winner: Annotated[str, one_of(SEATS)]


class Result(Schema):
    """How a deal ended."""

    outcome: Annotated[str, one_of(OUTCOMES)]
    points: list[int] = Field(description="What it was worth to each side.")


class HandOut(Schema):
    """The present deal as its viewer may know it."""

    number: int = Field(description="From 1; deals that were thrown in or folded count.")
    dealer: Annotated[str, one_of(SEATS)]
    phase: Annotated[str, one_of(PHASES)]
    hand: list[str] = Field(description="Your own cards; empty for a spectator.")
    held: list[int] = Field(description="How many cards each seat holds.")
    turn_up: str | None = Field(description="The card turned up; null before the deal.")
    turn_up_at: str
    turned_suit: str | None = Field(description="The suit it offers: C, D, H or S.")
    calls: list[Call]
    answers: list[Call] = Field(
        description="To the questions that only some rules ask: a farmer’s hand, folding, the "
        "partner’s best card, defending alone; without the cards that you may not see."
    )
    trump: str | None = Field(
        description="C, D, H or S, `NT` (no trump) or `LNT` (low no trump); null before it is made."
    )
    maker: str | None
    alone: bool
    sitting_out: str | None = Field(description="A lone maker’s partner.")
    defender: str | None = Field(
        description="Who defends alone against a lone maker; the partner sits out too."
    )
    folded: list[str] = Field(description="The hand that was folded, which everybody sees.")
    discard: str | None = Field(description="The card you have discarded yourself.")
    plays: list[Play] = Field(description="On the table in the present trick.")
    tricks: list[TrickOut]
    result: Result | None


class TableView(Schema):
    """A table as its viewer may know it."""

    id: int
    version: str = Field(
        description="The number of its game and of what has happened in it, such as `1.17`: "
        "what an action is decided on."
    )
    rules: RulesRef
    state: Annotated[str, one_of(Table.State.values)]
    open: bool = Field(description="Whether it stands in the lobby for everybody.")
    event: str = Field(description="Its name if it belongs to an event; else empty.")
    rated: bool = Field(description="Whether its game is a rated quick game.")
    seats: list[SitterOut]
    requests: list[SeatRequestOut] = Field(
        description="Who asks for a seat in the running game; anybody who sits there may answer."
    )
    proposal: ProposalOut | None = Field(description="What can be answered now, if anything.")
    may_claim: bool = Field(
        description="Whether you may claim the rest of the hand: it follows from what you know."
    )
    may_undo: bool = Field(
        description="Whether you may propose to undo what you did last: in the same hand, while "
        "no other person has acted since. House players take back what they did after it."
    )
    resigned: int | None = Field(
        description="The side that has given the present game up: 0, 1 or null."
    )
    seat: str | None = Field(description="Your own; null for a spectator.")
    invitation: str = Field(description="The word that lets others in; empty for a spectator.")
    turn_seconds: int | None = Field(description="How long anybody may take, if limited.")
    house_after: int | None = Field(
        description="After how many seconds the house plays for somebody who has gone, until they "
        "are back; null: only when it is asked to."
    )
    house_level: Annotated[str, one_of(levels.LEVELS)] = Field(
        description="How strong the house players of the table are."
    )
    delayed: bool = Field(
        description="Whether you see it as it was two hands ago, having no seat at such a table."
    )
    spectators: int = Field(description="How many people without a seat watch.")
    game: str | None = Field(description="The present game; null before the first.")
    turn: str | None = Field(description="Whose turn it is; null when it is nobody's.")
    legal: list[str] = Field(description="What you may do now, as actions are sent.")
    score: list[int] = Field(description="Of both sides, north’s first.")
    over: bool = Field(description="Whether the present game has ended.")
    winner: int | None = Field(description="0: north’s side; 1: east’s; null: nobody yet.")
    deal: HandOut | None = Field(description="The present deal; null before the first.")
    deals: list[DealOut] = Field(description="Those of this game that have ended.")


def table_view(view: View) -> TableView:
    scene, seen = view.scene, view.observation
    names = COMPASS[scene.rules.players]
    standing = seen.standing if seen else None
    consent, resigned = scene.consent, scene.resigned >= 0
    winner = standing.winner if standing else -1
    if resigned:
        winner = 1 - scene.resigned
    return TableView(
        id=scene.table_id,
        version=scene.stamp,
        rules=rules_ref(scene.rules),
        state=scene.state,
        open=scene.open,
        event=scene.reserved.title if scene.reserved and not view.rated else "",
        rated=view.rated,
        seats=[
            SitterOut(
                seat=name,
                name=seat.name,
                kind=seat.kind,
                program_of=seat.program_of,
                stand_in=seat.stand_in,
                away=seat.away,
            )
            for name, seat in zip(names, scene.seats, strict=True)
        ],
        requests=[
            SeatRequestOut(id=one.request, seat=names[one.position], name=one.name, guest=one.guest)
            for one in scene.requests
        ],
        proposal=ProposalOut(
            id=consent.proposal,
            kind=consent.kind,
            seat=names[consent.position],
            awaited=[names[seat] for seat in consent.awaited],
        )
        if consent
        else None,
        may_claim=view.may_claim,
        may_undo=view.may_undo,
        resigned=scene.resigned if resigned else None,
        seat=names[view.viewer.seat] if view.viewer.seat is not None else None,
        invitation=view.viewer.invite_token,
        turn_seconds=scene.clock.seconds if scene.clock else None,
        house_after=scene.house_after,
        house_level=scene.house_level,
        delayed=scene.delayed,
        spectators=scene.spectators,
        game=scene.game_id or None,
        turn=_seat(names, seen.turn) if seen and not resigned else None,
        legal=[action_text(action) for action in seen.legal] if seen and not resigned else [],
        score=list(standing.score) if standing else [0, 0],
        over=resigned or (standing is not None and standing.over),
        winner=winner if winner >= 0 else None,
        deal=_deal(seen, names) if seen else None,
        deals=[deal_out(record, names) for record in scene.records],
    )


def _deal(seen: Observation, names: Sequence[str]) -> HandOut:
    result = seen.result
    return HandOut(
        number=seen.standing.deal_number,
        dealer=names[seen.dealer],
        phase=seen.phase,
        hand=[card_text(card) for card in cards_in(seen.hand)],
        held=list(seen.held),
        turn_up=_card(seen.turn_up),
        turn_up_at=seen.turn_up_at,
        turned_suit=TRUMP_TEXTS[seen.turned_suit] if seen.turned_suit >= 0 else None,
        calls=_said(seen.calls, names),
        answers=_said(seen.answers, names),
        trump=TRUMP_TEXTS[seen.trump] or None,
        maker=_seat(names, seen.maker),
        alone=seen.alone,
        sitting_out=_seat(names, seen.sitting_out[0] if seen.sitting_out else -1),
        defender=_seat(names, seen.defender),
        folded=[card_text(card) for card in cards_in(seen.folded)],
        discard=_card(seen.discard),
        plays=_plays(seen.plays, names),
        tricks=[
            TrickOut(plays=_plays(trick.plays, names), winner=names[trick.winner])
            for trick in seen.tricks
        ],
        result=Result(outcome=result.outcome, points=points_by_side(result)) if result else None,
    )


def _said(actions: Sequence[tuple[int, Action]], names: Sequence[str]) -> list[Call]:
    return [Call(seat=names[seat], action=action_text(action)) for seat, action in actions]


def _plays(plays: tuple[tuple[int, int], ...], names: Sequence[str]) -> list[Play]:
    return [Play(seat=names[seat], card=card_text(card)) for seat, card in plays]


def _seat(names: Sequence[str], seat: int) -> str | None:
    return names[seat] if seat >= 0 else None


def _card(card: int) -> str | None:
    return card_text(card) if card >= 0 else None

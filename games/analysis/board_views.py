"""The pages of the analysis board: a position, its values, its lines, and playing on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Any, Final, NamedTuple, TypeAlias

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games.analysis import analysing, playing_on, showing
from games.analysis.completing import PositionError
from games.analysis.lines import Board, letter, parting
from games.analysis.open_line import best_line
from games.analysis.positions import BoardPosition
from games.analysis.refusing import asked_hands, hands_held, refusal
from games.analysis.valuing import STEPS, choice_named, has_choices
from games.answers import SeeOther, by_script, refused
from games.engine.actions import Action
from games.engine.observation import PLAYING
from games.numbers import parse_number
from games.people import identity, limits
from games.people.old_words import wants_old_words
from games.picture import phrases
from games.review import wording
from games.sockets import metrics

View: TypeAlias = Callable[[HttpRequest, Board], HttpResponse]

BUSY: Final = "The house is busy; press again in a moment."
TOO_MANY_HANDS: Final = "Many hands were opened from here; open the next in ten minutes."
TOO_HASTY: Final = "That was a lot at once; wait a minute, then play on."
NOT_YOURS: Final = "Somebody else asked for this, and only they can stop it."
NO_CHOICE: Final = "Choose one of the cards or calls shown."


def of_board(view: View) -> Callable[[HttpRequest], HttpResponse]:
    """Read the board of a request's query, or of a form's field `board`.

    What a position lacks or has wrong is answered with its reason. Nothing of a position equal to a
    hand that is being played is shown or worked out.
    """

    @never_cache
    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        query = (
            QueryDict(request.POST.get("board", "")) if request.method == "POST" else request.GET
        )
        back = resolve_url("analysis")
        try:
            board = Board.parse(query.dict())
            back = _address(board)
            return _refusal(request, board) or view(request, board)
        except PositionError as error:
            return refused(request, error.reason, 422, back)

    return answered


def _refusal(request: HttpRequest, board: Board, since: int | None = None) -> HttpResponse | None:
    """Return the page that says why a position is not opened now, or None.

    since: the step from which on all positions of the line are asked about, not only the last.
    """
    hands = {
        f"{hand.cards:x}-{hand.kept:x}-{hand.turn_up}-{hand.deals}"
        for position in (board.root, board.here)
        for hand in asked_hands(position)
    }
    if not limits.may_open_hands(request, hands):
        return refused(request, TOO_MANY_HANDS, 429, resolve_url("analysis"))
    steps = range(board.step if since is None else since, board.step + 1)
    why = _why_not(request, board.root, *(board.position(board.line, step) for step in steps))
    if not why:
        return None
    metrics.analyses.labels("refused").inc()
    if by_script(request) and request.method != "POST":
        return HttpResponseClientRefresh()  # the page itself says why
    context = {"why": why, "link": _link(request, board)}
    return render(request, "games/analysis/refused.html", context, status=409)


def _why_not(request: HttpRequest, *positions: BoardPosition) -> str:
    return refusal(*positions, held=hands_held(identity.player_of(request)))


def _link(request: HttpRequest, board: Board) -> str:
    return request.build_absolute_uri(_address(board))


def _address(board: Board) -> str:
    return f"{resolve_url('analysis_board')}?{board.query}"


@require_safe
@of_board
def board_page(request: HttpRequest, board: Board) -> HttpResponse:
    """Show the board at a step (`at`), with another line beside it (`with`)."""
    old_words = wants_old_words(request.user, request.COOKIES)
    table, where = showing.table(board, old_words=old_words)
    context = {
        "board": board,
        "headline": showing.headline(board),
        "table": table,
        "where": where,
        "steps": showing.steps(board),
        "lines": showing.lines(board, old_words=old_words),
        "worth": _worth(request, board),
        "can_finish": board.here.deal() is not None and not showing.over(board),
        "open": _open(request, board, shown="open" in request.GET),
        "compared": _compared(request, board, old_words=old_words),
        "link": _link(request, board),
        "address": _address(board),
    }
    return render(request, "games/analysis/board.html", context)


# The values ---------------------------------------------------------------------------------


@require_safe
@of_board
def worth(request: HttpRequest, board: Board) -> HttpResponse:
    """Show how far the values have got."""
    return HttpResponse(_worth(request, board))


@require_POST
@of_board
def ask(request: HttpRequest, board: Board) -> HttpResponse:
    """Have the choices of the position valued, or go on with it."""
    seen = board.here.seen()
    if not has_choices(seen):
        return refused(request, "There is nothing to choose here.", 422, _address(board))
    who, later = limits.caller(request), None
    if analysing.find(seen) is None:
        later = limits.more_analyses_from(who, timezone.now())
    if later is None:
        analysing.ask(board.here, seen, who)
    return _answer(request, board, later=later)


@require_POST
@of_board
def stop(request: HttpRequest, board: Board) -> HttpResponse:
    """End one's asking for the values; what is there stays."""
    row = analysing.find(board.here.seen())
    if row and row.due and not analysing.stop(row.key, limits.caller(request)):
        return refused(request, NOT_YOURS, 403, _address(board))
    return _answer(request, board)


def _answer(request: HttpRequest, board: Board, **more: Any) -> HttpResponse:
    if by_script(request):
        return HttpResponse(_worth(request, board, **more))
    if more.get("later") is not None:
        asked = limits.ANALYSES_IN_AN_HOUR
        until = timezone.localtime(more["later"])
        why = f"That was {asked} this hour. More at {until:%H:%M}."
        return refused(request, why, 429, _address(board))
    return SeeOther(_address(board))


def _worth(request: HttpRequest, board: Board, **more: Any) -> str:
    """Draw what the choices are worth so far, or why there is nothing to say."""
    context = {"board": board, "most": STEPS[-1], "asked": limits.ANALYSES_IN_AN_HOUR, **more}
    try:
        seen = board.here.seen()
    except PositionError as error:
        context["why_not"] = showing.over(board) or error.reason
    else:
        seen = phrases.worded(seen, old=wants_old_words(request.user, request.COOKIES))
        row = analysing.find(seen) if has_choices(seen) else None
        found = analysing.worth_of(seen, row)
        made = row is not None and row.made is not None
        context |= {
            "seen": seen,
            "row": row,
            "may_stop": row is not None and analysing.asks(row.key, limits.caller(request)),
            "has_choices": has_choices(seen),
            "who": showing.cast(board)[seen.turn].short,
            "found": found and showing.shown_worth(seen, found, at_the_end=made),
            "plain": showing.unvalued(seen),
            "is_cards": wording.is_of_cards(seen.legal[0]),
            "begins": request.user.is_authenticated,
        }
    return render_to_string("games/analysis/_worth.html", context, request)


# The lines ----------------------------------------------------------------------------------


class Played(NamedTuple):
    """A choice that the house is to answer: the board with all hands known, and what was done.

    The house plays until it is the `seat`'s turn; -1 for to the end.
    """

    board: Board
    done: tuple[Action, ...]
    seat: int


@require_POST
async def play_on(request: HttpRequest) -> HttpResponse:
    """Play a choice (`action`), which the house answers, or let the house play to the end.

    No thread of the pages waits for the house.
    """
    begun: list[Played] = []
    response = await sync_to_async(of_board(partial(_begin, begun)))(request)
    if not begun:
        return response
    ((board, done, seat),) = begun
    position = board.here._replace(actions=(*board.here.actions, *done))
    try:
        answers = await playing_on.house_answers(position, seat)
    except PositionError as error:
        return await sync_to_async(refused)(request, error.reason, 422, _address(board))
    except playing_on.HouseBusyError:
        return await sync_to_async(refused)(request, BUSY, 503, _address(board))
    # What the house did in another seat tells as much of its cards as the board would there.
    return await sync_to_async(_at)(request, board.played_on((*done, *answers)), board.step)


def _begin(begun: list[Played], request: HttpRequest, board: Board) -> HttpResponse:
    """Put down what the house is to answer; else return the answer to the press."""
    text = request.POST.get("action", "")
    if not limits.may_play_on(limits.caller(request)):
        return refused(request, TOO_HASTY, 429, _address(board))
    played = Played(board, (), -1)
    if text:
        action = choice_named(board.here.seen(), text)
        if action is None:
            return refused(request, NO_CHOICE, 422, _address(board))
        known = board.follows(action)
        if known is not None:
            return _at(request, known)
        played = Played(board, (action,), board.seat)
    begun.append(played._replace(board=_with_all_hands(board)))
    return HttpResponse()


def _at(request: HttpRequest, board: Board, since: int | None = None) -> HttpResponse:
    return _refusal(request, board, since) or SeeOther(_address(board))


def _with_all_hands(board: Board) -> Board:
    """Return the board with the cards dealt that are not known at this step."""
    if not board.here.completed().unknown:
        return board
    whole = playing_on.with_all_hands(board.here)
    known = len(board.root.actions)
    root = whole._replace(actions=whole.actions[:known])
    return board._replace(root=root)


def _compared(request: HttpRequest, board: Board, *, old_words: bool) -> dict[str, Any] | None:
    """Return the open line beside the one asked for, with the values where they part."""
    other = parse_number(request.GET.get("with", ""))
    if other is None or other not in range(len(board.lines)) or other == board.line:
        return None
    step = parting(board.lines[board.line].actions, board.lines[other].actions)
    at = board.position(board.line, step)
    values: dict[Action, str] = {}
    with suppress(PositionError):
        seen = at.seen()
        valued = None if _why_not(request, at) else analysing.worth_of(seen, analysing.find(seen))
        for one in valued.choices if valued else ():
            values[one.action] = f"{wording.points(one.value)} ± {one.error:.2f}"
    return {
        "title": " and ".join(letter(number) for number in sorted((board.line, other))),
        "rows": showing.parted(board, other, values, old_words=old_words),
        "at": _address(board.at(board.line, step)),
        "valued": bool(values),
    }


# With all hands open ------------------------------------------------------------------------


@require_safe
@of_board
def open_line(request: HttpRequest, board: Board) -> HttpResponse:
    """Show the best line with all hands open; it is worked out when somebody opens it."""
    shown = _open(request, board, shown=True)
    return HttpResponse(shown["drawn"] if shown else "")


def _open(request: HttpRequest, board: Board, *, shown: bool) -> dict[str, Any] | None:
    """Return the block of the best line, or None if a hand is not known or nothing is to play."""
    deal = board.here.deal()
    if deal is None or deal.phase != PLAYING:
        return None
    drawn = ""
    if shown:
        line = best_line(deal)
        if line is not None:
            here, on = board.here, line.deal.actions[len(deal.actions) :]
            turns = [(*here.actions, *on[:step]) for step in range(len(on))]
            drawn = _why_not(request, *(here._replace(actions=turn) for turn in turns))
        if line is not None and not drawn:
            context = {
                "tricks": showing.tricks(line.deal, showing.cast(board)),
                "said": showing.open_sums(line),
            }
            drawn = render_to_string("games/analysis/_open_line.html", context, request)
    return {"drawn": drawn, "shown": shown}

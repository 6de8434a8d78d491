"""Making reviews: asking for one, and the work on those asked for.

A review is a row that a worker takes up (`games.review.claims`) and keeps by storing every hand. If
the worker dies, another goes on after the last hand stored; that is no failed try.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from django.utils import timezone

from games.engine.actions import NEXT, parse_action
from games.models import Game, GameEvent, Player, Review
from games.records.game_files import played_of
from games.review import claims, puzzles
from games.review.embargo import embargo_on
from games.review.reports import VERSION, GameReport, from_data, judge_as_data
from games.sockets import metrics
from games.subprocesses.client import Worker, WorkerLostError, WorkerTimeoutError

log = structlog.get_logger(__name__)

#: How long a worker may take for one hand before another may take the review up.
LEASE: Final = timedelta(minutes=2)
#: Seconds after which the judging of a hand, about half a second's work, ends a review as failed.
HAND_LIMIT: Final = 60.0
#: How far the judging stands back for other processes.
NICENESS: Final = 10
#: Tries that end with an error until a review counts as failed.
MAX_TRIES: Final = 4
FAILED: Final = "It could not be made."
TOO_LONG: Final = "It took too long and was stopped."

Clock = Callable[[], datetime]


def may_start(game: Game) -> bool:
    """Return True if asking for the review of a game would start work on it."""
    review = Review.objects.filter(game=game).defer("result").first()
    if review is not None and not _is_to_be_made_again(review):
        return False
    return game.ended is not None and not embargo_on(game)


def _is_to_be_made_again(review: Review) -> bool:
    return review.version != VERSION or review.failed


def ask(game: Game) -> Review | None:
    """Return the review of a game, asked for now unless it is there or under way.

    None if the game is running or an embargo is on it. A review by an older version of the judging
    is made again, and a failed one tried again.
    """
    if game.ended is None or embargo_on(game):
        return None
    with transaction.atomic():
        review, new = Review.objects.get_or_create(game=game, defaults={"version": VERSION})
        if new:
            metrics.reviews.labels("asked").inc()
            return review
        review = Review.objects.select_for_update().get(pk=review.pk)
        if _is_to_be_made_again(review):
            review.version, review.asked, review.due = VERSION, timezone.now(), timezone.now()
            review.tries = review.done = 0
            review.result, review.made, review.error = [], None, ""
            review.save()
            metrics.reviews.labels("asked").inc()
        return review


def report_of(game: Game) -> GameReport | None:
    """Return the report of a game's review; None if there is none yet, or not to be shown yet."""
    review = Review.objects.filter(game=game, made__isnull=False).first()
    if review is None or embargo_on(game):
        return None
    return from_data(review.result)


def own_part(game: Game, seat: int) -> list[dict[str, Any]]:
    """Return a seat's decisions in the review of a game as data, for its player."""
    review = getattr(game, "review", None)
    if review is None or review.made is None or embargo_on(game):
        return []
    return [one for one in review.result if one["seat"] == seat]


def review_due(clock: Clock = timezone.now) -> int:
    """Make the reviews that are due; return how many were made."""
    made = 0
    while (review := claims.claim(Review.objects.all(), clock(), LEASE)) is not None:
        try:
            made += _make(review, clock)
        except WorkerTimeoutError:
            log.warning("review took too long", game=str(review.pk))
            _fail(review, TOO_LONG)
        except WorkerLostError as error:
            log.warning("review's worker lost", game=str(review.pk), reason=str(error))
            _try_again(review)
        except Exception:
            log.exception("review failed", game=str(review.pk), tries=review.tries + 1)
            _try_again(review)
    return made


def _make(review: Review, clock: Clock) -> bool:
    """Judge the hands that are left; return False if another worker has taken over."""
    game = Game.objects.select_related("table").get(pk=review.game_id)
    played, others = played_of(game), _stood_in(game)
    if not claims.store(review, clock() + LEASE, hands=len(played.deals)):
        return False
    with Worker(judge_as_data, NICENESS) as judge:
        for deal in played.deals[review.done :]:
            judged = judge.ask(HAND_LIMIT, deal, str(game.pk), others.get(deal.number, ()))
            result = [*review.result, *judged]
            if not claims.store(review, clock() + LEASE, done=review.done + 1, result=result):
                return False
    return _finish(review, game, clock())


def _finish(review: Review, game: Game, now: datetime) -> bool:
    with transaction.atomic():
        if not claims.store(review, None, made=now):
            return False
        puzzles.make(game, review.result)
    metrics.reviews.labels("made").inc()
    metrics.review_seconds.observe((now - review.asked).total_seconds())
    return True


def _try_again(review: Review) -> None:
    """Let a review that failed be tried again at once, or end it after the last try."""
    tries = review.tries + 1
    if tries >= MAX_TRIES:
        _fail(review, FAILED, tries=tries)
    else:
        claims.store(review, timezone.now(), tries=tries)


def _fail(review: Review, why: str, **values: object) -> None:
    if claims.store(review, None, error=why, **values):
        metrics.reviews.labels("failed").inc()


def _stood_in(game: Game) -> Mapping[int, frozenset[int]]:
    """Return, by hand, the steps at which somebody else acted for a seat's player."""
    seats = {seat.position: seat.player for seat in game.seats.select_related("player")}
    found: defaultdict[int, set[int]] = defaultdict(set)
    hand, step = 1, 0
    for text, seat, player, by in game.line_of_play("action", "seat", "player", "by"):
        if parse_action(text).kind == NEXT:
            hand, step = hand + 1, 0
            continue
        owner = seats.get(seat)
        if owner is not None and not _acted(owner, player, by):
            found[hand].add(step)
        step += 1
    return {hand: frozenset(steps) for hand, steps in found.items()}


def _acted(owner: Player, player: int | None, by: str) -> bool:
    """Return True if a seat's player acted; house players act at their own seats by nature."""
    if by == GameEvent.By.PERSON:
        return player in (None, owner.pk)
    return owner.kind == Player.Kind.HOUSE

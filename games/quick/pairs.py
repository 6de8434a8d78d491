"""Two people who look for a quick game as partners: one asks, by name or by link, the other agrees.

From then on both are in the queue, as one party (`games.quick.queue`). Locks are taken in one
order: the pair, the rows of the queue by their players, a table.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.dispatch import Signal

from games.models import Avoidance, Mute, Pair, Player, Seeker
from games.people import friends
from games.people.traces import Origin
from games.quick import queue
from games.quick.queue import Wish
from games.refusals import VerbError

#: How long a friend may take to answer.
OPEN_FOR: Final = timedelta(minutes=5)
#: How long a request or pair is kept that is over, for its page to say so.
KEPT: Final = timedelta(minutes=10)
#: How often it is stored that the page of whoever asks is open.
SEEN_EVERY: Final = timedelta(seconds=5)

#: Sent after the commit with `pair`, for whatever tells a person that they are asked.
asked: Final = Signal()


class PairError(VerbError):
    pass


def ask(
    by: Player, to: Player | None, wish: Wish, where: Origin, now: datetime, *, throws_in: bool
) -> Pair:
    """Ask a friend to play as partners, or whoever has the link; it replaces an earlier request.

    A friend who has asked for the same game is agreed with. The one who asks leaves the queue.
    Raises PairError: ``no account``, ``two-handed``, ``not a friend``, ``apart``, ``looking``,
    ``playing``, ``asked``.
    """
    _check_may_ask(by, to, wish)
    if to is not None:
        theirs = Pair.objects.filter(_open_at(now), by=to, to=by, declined=False)
        same = theirs.filter(
            rules=wish.rules.key, turn_seconds=wish.turn_seconds, rated=wish.rated
        ).first()
        if same is not None:
            return accept(by, same.token, where, now, throws_in=throws_in)
    _leave_queue(by)
    take_back(by)
    try:
        with transaction.atomic():
            pair = Pair.objects.create(
                by=by,
                to=to,
                rules=wish.rules.key,
                turn_seconds=wish.turn_seconds,
                rated=wish.rated,
                throws_in=throws_in,
                asked=now,
                seen=now,
                until=now + OPEN_FOR,
                # The one asked does not hear of it if they do not want to hear of the other.
                declined=to is not None and _kept_from(to, by),
                **queue.digests(where)._asdict(),
            )
            if to is not None and not pair.declined:
                transaction.on_commit(lambda: asked.send(Pair, pair=pair))
    except IntegrityError:
        raise PairError("asked", "You have just asked somebody already.") from None
    return pair


def accept(
    player: Player, token: str, where: Origin, now: datetime, *, throws_in: bool = False
) -> Pair:
    """Agree to play as partners: both are in the queue from now on. Repeating it is harmless.

    Raises PairError: ``gone``, ``yourself``, ``no account``, ``apart``, ``looking``, ``playing``,
    ``same person``.
    """
    pair = Pair.objects.filter(token=token).select_related("by__user").first()
    if pair is not None and pair.by_id == player.pk:
        raise PairError("yourself", "This is your own link: send it to your partner.")
    if pair is not None and _looks_with(player, pair.by):
        return pair
    if pair is None or not _open_to(player, now).filter(pk=pair.pk).exists():
        raise _gone()
    _check_may_accept(player, pair, queue.digests(where))
    _leave_queue(player)
    try:
        pair = _agree(pair, player, queue.digests(where), now, throws_in=throws_in)
    except PairError:
        if _looks_with(player, pair.by):  # both have agreed, each to what the other asked
            return pair
        raise
    for one in (pair.by, player):
        queue.leave_finished(one)
    take_back(player)
    if _kept_from(player, pair.by) or _kept_from(pair.by, player):  # chosen at this moment
        queue.leave(player)
        raise _gone()
    return pair


def take_back(player: Player) -> None:
    """Take back what a player has asked; repeating it is harmless.

    Somebody who has agreed at this moment stays the partner; `queue.leave` ends that.
    """
    mine = Pair.objects.filter(by=player, agreed=None, left_by=None)
    if mine.exists():  # on SQLite a query needs no write lock
        _delete(mine, wait=True)


def decline(player: Player, number: int) -> None:
    """Say no to a request, of which the one who asked hears nothing; repeating it is harmless."""
    Pair.objects.filter(pk=number, to=player, agreed=None).update(declined=True)


def part(by: Player, other: Player) -> None:
    """End what is between two people of whom one does not want to see or hear the other."""
    between = Q(by=by, to=other) | Q(by=other, to=by)
    Pair.objects.filter(between, agreed=None).update(declined=True)
    if Seeker.objects.filter(pair__in=Pair.objects.filter(between), player=by).exists():
        queue.leave(by)


def of_link(token: str, now: datetime) -> Pair | None:
    """Return the open request with a link that was made for whoever has it."""
    found = Pair.objects.filter(_open_at(now), token=token, to=None)
    return found.select_related("by").first()


def asked_by(player: Player, now: datetime) -> Pair | None:
    """Return a player's request that waits for an answer, and note that their page is open."""
    mine = Pair.objects.filter(_open_at(now), by=player).select_related("to").first()
    if mine is not None and now - mine.seen >= SEEN_EVERY:
        Pair.objects.filter(pk=mine.pk).update(seen=now)
    return mine


def told(player: Player, now: datetime) -> str:
    """Return why a player's search with a partner is over, once, or nothing."""
    over = Q(by=player) | Q(to=player)
    left = Pair.objects.filter(over, left_by__isnull=False).exclude(left_by=player)
    unanswered = Pair.objects.filter(by=player, agreed=None, left_by=None, until__lte=now)
    for rows, words in (
        (left, "{} has left the queue, so your search together is over."),
        (unanswered, "{} has not answered."),
    ):
        one = rows.select_related("to", "left_by").first()
        if one is not None:
            _delete(rows)
            other = one.left_by or one.to
            return words.format(other.name if other is not None else "Nobody with your link")
    return ""


def forget(now: datetime) -> None:
    """Delete requests and pairs that are over, also those whose rows were taken from the queue."""
    looking = Exists(Seeker.objects.filter(pair=OuterRef("pk")))
    old = Pair.objects.filter(~looking, until__lte=now - KEPT)
    if old.exists():
        _delete(old)


def _open_at(now: datetime) -> Q:
    return Q(agreed=None, left_by=None, until__gt=now)


def _open_to(player: Player, now: datetime) -> QuerySet[Pair]:
    to = Q(to=None) | Q(to=player, declined=False)
    return Pair.objects.filter(_open_at(now), to).exclude(by=player)


def _delete(rows: QuerySet[Pair], *, wait: bool = False) -> None:
    """Delete those rows that are still so once they are locked; those in use only with `wait`."""
    with transaction.atomic():
        held = rows.order_by("pk").select_for_update(of=("self",), skip_locked=not wait)
        Pair.objects.filter(pk__in=[one.pk for one in held]).delete()


def _agree(pair: Pair, player: Player, here: Origin, now: datetime, *, throws_in: bool) -> Pair:
    with transaction.atomic():
        held = Pair.objects.select_for_update(of=("self",)).select_related("by")
        mine = held.filter(_open_at(now), Q(to=None) | Q(to=player), pk=pair.pk).first()
        if mine is None or _kept_from(player, mine.by) or _kept_from(mine.by, player):
            raise _gone()
        mine.to, mine.agreed = player, now
        mine.save(update_fields=["to", "agreed"])
        _enter_queue(mine, player, here, now, throws_in=throws_in)
    return mine


def _looks_with(player: Player, other: Player) -> bool:
    between = Q(pair__by=player, pair__to=other) | Q(pair__by=other, pair__to=player)
    return Seeker.objects.filter(between, player=player).exists()


def _check_may_ask(by: Player, to: Player | None, wish: Wish) -> None:
    if not friends.may_have_friends(by):
        raise PairError("no account", "You need an account to play with a partner of your choice.")
    if wish.rules.players != 4:
        raise PairError("two-handed", "This game is for two: it has no partners.")
    if to is not None and not friends.are_friends(by, to.pk):
        raise PairError("not a friend", f"You and {to.name} are not friends.")
    if to is not None and _kept_from(by, to):
        raise PairError("apart", f"You have muted {to.name}; change that first.")
    _check_is_free(by, "You look", "You are playing a quick game; finish or leave it first.")


def _check_may_accept(player: Player, pair: Pair, here: Origin) -> None:
    by = pair.by
    if pair.to is not None and not friends.are_friends(player, by.pk):
        raise _gone()
    if _kept_from(by, player):
        raise _gone()
    if _kept_from(player, by):
        raise PairError("apart", f"You have muted {by.name}, or do not want to meet them.")
    if pair.rated and not friends.may_have_friends(player):
        raise PairError("no account", "Rated games need an account.")
    same_address = here.address != "" and here.address == pair.address
    if here.session and here.session == pair.session:
        raise PairError("same person", "This browser has asked: open the link in another one.")
    if same_address and player.user_id is None:
        raise PairError(
            "same person",
            f"You and {by.name} come from one address. Log in, so that nobody sees two hands.",
        )
    _check_is_free(player, "You look", "You are playing a quick game; finish or leave it first.")
    _check_is_free(by, f"{by.name} looks", f"{by.name} is playing at another table now.")


def _check_is_free(player: Player, looks: str, playing: str) -> None:
    if Seeker.objects.filter(player=player, pair__isnull=False).exists():
        raise PairError("looking", f"{looks} for a game with another partner already.")
    if queue.seated_at(player) is not None:
        raise PairError("playing", playing)


def _leave_queue(player: Player) -> None:
    if queue.leave(player, alone=True) is not None:
        raise PairError("playing", "You have just got a seat at a table; finish that game first.")


def _enter_queue(
    pair: Pair, player: Player, here: Origin, now: datetime, *, throws_in: bool
) -> None:
    """Put both into the queue, in the order of their ids; raise PairError if one is in it."""
    soon = now + queue.gather_for()
    # Nobody is late with a seat for somebody whose page is closed.
    due = soon if pair.seen > now - queue.PAIR_HERE_WITHIN else now + queue.RATED_GONE_AFTER
    same = {
        "pair": pair,
        "rules": pair.rules,
        "turn_seconds": pair.turn_seconds,
        "rated": pair.rated,
        "since": now,
        "due": due,
    }
    theirs = {"throws_in": pair.throws_in, "seen": pair.seen} | {
        "session": pair.session,
        "address": pair.address,
    }
    mine = {"throws_in": throws_in, "seen": now, **here._asdict()}
    rows = sorted(((pair.by, theirs), (player, mine)), key=lambda row: row[0].pk)
    for one, own in rows:
        _, new = Seeker.objects.get_or_create(same | own, player=one)
        if not new:
            who = "You look" if one == player else f"{one.name} looks"
            raise PairError("looking", f"{who} for another game at this moment.")
        if queue.seated_at(one) is not None:
            who = "You have" if one == player else f"{one.name} has"
            raise PairError("playing", f"{who} just got a seat at another table.")


def _kept_from(player: Player, other: Player) -> bool:
    """Return True if a player does not want to meet or hear another."""
    return (
        Avoidance.objects.filter(by=player, other=other).exists()
        or Mute.objects.filter(by=player, other=other).exists()
    )


def _gone() -> PairError:
    return PairError("gone", "This request is no longer open.")

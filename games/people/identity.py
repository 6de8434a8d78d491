"""The player behind a request: an account's player or the session's guest."""

import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from asgiref.sync import sync_to_async
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from games.links import holds_address
from games.lookalikes import mixed_in_words, mixed_word, skeleton_of, unseen
from games.models import Player, User
from games.models.people import NAME_LENGTH
from games.people import bans, names, online
from games.people.names import friendly_name
from games.sockets import audience, hub

PLAYER_KEY = "player_id"  # in the session: the guest's Player
NO_ADDRESS = "A name has no links, addresses or phone numbers."
NO_SEMICOLON = "A name has no semicolon: in lists it separates names."


def player_of(request: HttpRequest) -> Player | None:
    """Return the player of a request, or None for a visitor who has not sat down yet.

    Creates an account's player on first use. A session's guest counts only while logged out. The
    session of a closed account has no player. Sockets use `games.people.socket_identities`.
    An account's player counts as here (`games.people.online`).
    """
    user, session = request.user, request.session
    if user.is_authenticated:
        player = None
        with suppress(Player.DoesNotExist):
            player = user.player  # cached for the request
        player = player or player_of_user(user)
        online.note(player.pk)
        return player
    key = session.get(PLAYER_KEY)
    if key is None or SESSION_KEY in session:
        return None
    return guests([key]).first()


async def aplayer_of(request: HttpRequest) -> Player | None:
    return await sync_to_async(player_of)(request)


def player_of_user(user: User) -> Player:
    player = Player.objects.filter(user=user).first()
    if player is not None:
        return player
    try:
        with transaction.atomic():
            return Player.objects.create(user=user, name=friendly_name())
    except IntegrityError:  # a concurrent request created it or took the name
        return player_of_user(user)


@contextmanager
def new_guest(session: SessionBase, beside: Iterable[str] = ()) -> Iterator[Player]:
    """Create a guest for the session, with a friendly name unlike those of the others at the table.

    An exception in the block rolls the guest back. Raises PermissionDenied for a closed account.
    """
    bans.refuse_guest(session)
    with transaction.atomic():
        guest = Player.objects.create(name=friendly_name(beside))
        yield guest
    session.cycle_key()  # prevent session fixation
    session[PLAYER_KEY] = guest.pk


def make_guest(session: SessionBase) -> Player:
    with new_guest(session) as guest:
        return guest


def rename(player: Player, name: str) -> None:
    """Rename a player and update their tables; raise ValidationError as `free_name` does."""
    before, player.name = player.name, free_name(name, player)
    if player.name == before:
        return
    try:
        with transaction.atomic():
            player.save(update_fields=["name"])
            names.record_past_name(player, before)
    except IntegrityError as error:  # taken by a concurrent request
        player.name = before
        raise _taken(name) from error
    _show_at_tables(player)


def leave_cut_to_table(player: Player, cut_for_me: bool) -> None:
    player.cut_for_me = cut_for_me
    player.save(update_fields=["cut_for_me"])
    _show_at_tables(player)


def choose_packets(player: Player, *, reverse: bool) -> None:
    """Set the order in which the player deals packets, from the next game on."""
    player.reverses_packets = reverse
    player.save(update_fields=["reverses_packets"])


def ask_for_pace(player_id: int, *, quick: bool) -> None:
    player = Player.objects.filter(pk=player_id).exclude(quick=quick).first()
    if player is not None:
        player.quick = quick
        player.save(update_fields=["quick"])
        _show_at_tables(player)


def show_name_watching(player: Player, *, named: bool) -> None:
    """Set whether the player's name is shown while they watch a table; open tables follow."""
    if player.named_watching == named:
        return
    player.named_watching = named
    player.save(update_fields=["named_watching"])
    transaction.on_commit(partial(audience.choose_again, [player.pk]))


def stand_for(player: Player, country: str) -> None:
    player.country = country
    player.save(update_fields=["country"])


def keep_record(player: Player, *, private: bool) -> None:
    player.private = private
    player.save(update_fields=["private"])


def _show_at_tables(player: Player) -> None:
    for table_id in player.seats.exclude(table__state="closed").values_list("table", flat=True):
        transaction.on_commit(partial(hub.announce, table_id))


def checked_name(name: str) -> str:
    """Return `name` with whitespace normalized; raise ValidationError.

    It needs 1 to 30 visible characters, at least one of them a letter, digit or symbol. It has no
    semicolon, and neither links nor addresses, since letters to others name who caused them.
    """
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(tidy) <= NAME_LENGTH:
        raise ValidationError(f"A name has 1 to {NAME_LENGTH} characters.", code="length")
    if unseen(tidy):
        raise ValidationError(
            "A name has letters or digits, and nothing invisible.", code="invisible"
        )
    if ";" in tidy:
        raise ValidationError(NO_SEMICOLON, code="semicolon")
    if holds_address(tidy):
        raise ValidationError(NO_ADDRESS, code="link")
    return tidy


def free_name(name: str, player: Player | None = None) -> str:
    """Return the normalized name; raise ValidationError if it is not `player`'s to take."""
    if player is not None and name.strip() == player.name:
        return player.name  # kept, also if it is older than a check
    tidy = checked_name(name)
    if word := mixed_word(tidy):
        raise ValidationError(mixed_in_words(word), code="mixed")
    if not names.free(tidy, player):
        raise _taken(tidy)
    return tidy


def _taken(name: str) -> ValidationError:
    return ValidationError(
        f"“{name}” is taken, or looks like a name that is. Choose another, or add to it.",
        code="taken",
    )


def keep_guest(request: HttpRequest, user: User, name: str) -> Player:
    """Turn the session's guest, or a new player, into the account's player.

    If the name was taken since it was chosen at sign-up, the player gets a friendly one.
    """
    key = request.session.pop(PLAYER_KEY, None)
    try:
        with transaction.atomic():
            return _own(user, key, checked_name(name))
    except IntegrityError:
        return _own(user, key, friendly_name())


def _own(user: User, guest: int | None, name: str) -> Player:
    """Assign the guest (or a new player) to the account; IntegrityError if the name is taken."""
    if guest is not None:
        before = guests([guest]).values_list("name", flat=True).first()
        if guests([guest]).update(user=user, name=name, skeleton=skeleton_of(name)):
            player = Player.objects.get(pk=guest)
            names.record_past_name(player, before or "")
            return player
    return Player.objects.create(user=user, name=name)


def guests(keys: Iterable[int]) -> QuerySet[Player]:
    return Player.objects.filter(pk__in=keys, user=None, kind=Player.Kind.PERSON, former=False)

"""Replaying every unfinished game from its events, to verify that a database is usable."""

from cryptography.fernet import Fernet, InvalidToken

from euchre_site.backups.errors import BackupError
from games.engine import shuffle as shuffles
from games.engine.actions import parse_action
from games.engine.errors import EngineError
from games.engine.game import Game as Engine
from games.models import Game, GameEvent, Shuffle
from games.shuffle.dealing import Packs


def replay_games(database: str, deal_key: str) -> int:
    """Replay every unfinished game; return their number.

    database: an alias in `connections`. Raises BackupError, which names the game, never a card.
    """
    sealer = Fernet(deal_key)
    for shuffle in Shuffle.objects.using(database).only("secret", "commitment").iterator():
        secret = _decrypt(sealer, shuffle.secret, f"the shuffle of game {shuffle.pk}")
        if shuffles.commit(shuffle.pk.bytes, secret) != bytes(shuffle.commitment):
            raise BackupError(f"the shuffle of game {shuffle.pk} does not match its commitment")
    games = Game.objects.using(database).filter(state=Game.State.PLAYING)
    needed = ("rules_data", "secret", "mixed", "first_dealer", "version", "turn", "deal_number")
    number = 0
    for game in games.only(*needed, "score_0", "score_1").iterator():
        _replay(database, game, _decrypt(sealer, game.secret, f"game {game.pk}"))
        number += 1
    return number


def _decrypt(sealer: Fernet, sealed: bytes | memoryview, what: str) -> bytes:
    try:
        return sealer.decrypt(bytes(sealed))
    except InvalidToken:
        raise BackupError(f"DEAL_KEY does not decrypt {what}") from None


def _replay(database: str, game: Game, secret: bytes) -> None:
    engine = Engine(game.rules, game.first_dealer, Packs(game.rules, secret, bytes(game.mixed)))
    events = GameEvent.objects.using(database).filter(game=game.pk).order_by("seq")
    for seq, action in events.values_list("seq", "action").iterator():
        try:
            if seq != engine.version + 1:
                raise BackupError(f"game {game.pk} lacks its event {engine.version + 1}")
            engine.push(parse_action(action))
        except EngineError:  # its message names cards
            raise BackupError(f"game {game.pk} cannot be replayed at event {seq}") from None
    standing = engine.standing
    result = (engine.version, engine.turn, standing.deal_number, *standing.score)
    if result != (game.version, game.turn, game.deal_number, game.score_0, game.score_1):
        raise BackupError(f"game {game.pk} does not match its events")

"""Whether a database could go on: every game that is not over is played again from its events."""

from cryptography.fernet import Fernet, InvalidToken

from euchre_site.backups.errors import BackupError
from games.engine import shuffle as shuffles
from games.engine.actions import parse_action
from games.engine.errors import EngineError
from games.engine.game import Game as Engine
from games.models import Game, GameEvent, Shuffle
from games.shuffle.dealing import Packs


def refuse_unplayable(database: str, deal_key: str) -> int:
    """Play every unfinished game again; return how many there are.

    Args:
        database: the alias of the database.
        deal_key: the DEAL_KEY that it had.

    Raises:
        BackupError: one cannot go on; it names the game and never a card.
    """
    sealer = Fernet(deal_key)
    for shuffle in Shuffle.objects.using(database).only("secret", "commitment").iterator():
        secret = _opened(sealer, shuffle.secret, f"the shuffle of game {shuffle.pk}")
        if shuffles.commit(shuffle.pk.bytes, secret) != bytes(shuffle.commitment):
            raise BackupError(f"the shuffle of game {shuffle.pk} is not the one promised")
    games = Game.objects.using(database).filter(state=Game.State.PLAYING)
    needed = ("rules_data", "secret", "mixed", "first_dealer", "version", "turn", "deal_number")
    number = 0
    for game in games.only(*needed, "score_0", "score_1").iterator():
        _play_again(database, game, _opened(sealer, game.secret, f"game {game.pk}"))
        number += 1
    return number


def _opened(sealer: Fernet, sealed: bytes | memoryview, what: str) -> bytes:
    try:
        return sealer.decrypt(bytes(sealed))
    except InvalidToken:
        raise BackupError(f"DEAL_KEY does not open {what}") from None


def _play_again(database: str, game: Game, secret: bytes) -> None:
    """Play a game from its events; raise BackupError unless it then stands as its row says."""
    engine = Engine(game.rules, game.first_dealer, Packs(game.rules, secret, bytes(game.mixed)))
    events = GameEvent.objects.using(database).filter(game=game.pk).order_by("seq")
    for seq, action in events.values_list("seq", "action").iterator():
        try:
            if seq != engine.version + 1:
                raise BackupError(f"game {game.pk} lacks its event {engine.version + 1}")
            engine.push(parse_action(action))
        except EngineError:  # whose words name cards
            raise BackupError(f"game {game.pk} cannot be played again at event {seq}") from None
    standing = engine.standing
    stands = (engine.version, engine.turn, standing.deal_number, *standing.score)
    if stands != (game.version, game.turn, game.deal_number, game.score_0, game.score_1):
        raise BackupError(f"game {game.pk} does not stand as its events say")

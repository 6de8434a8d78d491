"""What the browsers of players throw into shuffles."""

import secrets

from games.engine import shuffle as euf1
from games.models import Player, Shuffle, Table
from games.shuffle import shuffling


def shuffle_of(at: Table) -> Shuffle:
    """The shuffle of a table's next game."""
    return at.shuffles.get()


class Browser:
    """What a player's browser throws in."""

    def __init__(self, who: Player, at: Table, position: int) -> None:
        self.who, self.at, self.position = who, at, position
        self.number = secrets.token_bytes(32)

    def promise(self, shuffle: Shuffle) -> bytes:
        """Its commitment to its number."""
        commitment = bytes(shuffle.commitment)
        return euf1.commit_seat(shuffle.pk.bytes, commitment, self.position, self.number)

    def commit(self) -> None:
        """Commit itself."""
        shuffle = shuffle_of(self.at)
        shuffling.commit(self.at.pk, self.who.pk, shuffle.pk, self.promise(shuffle))

    def reveal(self) -> None:
        """Tell its number."""
        shuffling.reveal(self.at.pk, self.who.pk, shuffle_of(self.at).pk, self.number)

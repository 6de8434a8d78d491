"""People as the API names them, and texts that are one of a few words."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

from ninja import Field, Schema

from games.models import Player
from games.records.reading import ListedPerson

PERSON: Final = Player.Kind.PERSON.value
GUEST: Final = "guest"


def one_of(words: Iterable[str]) -> Any:
    """Return what says in the document that an answer's text is one of these words."""
    return Field(json_schema_extra={"enum": list(words)})


class PlayerRef(Schema):
    """Somebody who plays."""

    id: int
    name: str
    kind: Annotated[str, one_of([*Player.Kind.values, GUEST])] = Field(
        description="A person with an account, a guest, a house player of this site, or "
        "somebody’s program."
    )


def ref_of(player: Player) -> PlayerRef:
    """Return a player as the API names him."""
    return PlayerRef(id=player.pk, name=player.name, kind=GUEST if player.guest else player.kind)


def ref_of_person(person: ListedPerson) -> PlayerRef:
    """Do as `ref_of` for somebody of a list."""
    return PlayerRef(id=person.player_id, name=person.name, kind=person.mark or PERSON)

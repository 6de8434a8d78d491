"""What happened, in codes, becomes the sentences that a page shows and a screen reader hears."""

from __future__ import annotations

from typing import Any

import pytest

from games.engine.cards import CARDS, UNNAMED, card_text
from games.picture import phrases
from games.picture.wording import PHRASES, TRUMPS, Reader

WHO = ["Ben", "Jonah", "Maeve", "Iris"]
IN_DIAMONDS: dict[str, Any] = {"who": WHO, "trump": "d"}


def test_every_card_has_its_name_under_every_trump() -> None:
    for trump, letter in enumerate(("c", "d", "h", "s", None)):
        reader = Reader({"who": WHO, "trump": letter})
        for card in range(CARDS):
            assert reader.card(card_text(card)) == phrases.card_name(card, trump)
    assert trump == UNNAMED
    assert list(TRUMPS) == ["c", "d", "h", "s"]


@pytest.mark.parametrize(
    ("code", "css", "label"),
    [
        ("9S", "card", "9 of Spades, played by Maeve"),
        ("9S led", "card led", "9 of Spades, led by Maeve"),
        ("AD winning", "card winning", "Ace of Diamonds, trump, played by Maeve, winning so far"),
        ("JH led won", "card led winning",
         "Jack of Hearts, left bower, led by Maeve, won the trick"),
        ("JD wanted", "card wanted", "Jack of Diamonds, right bower, played by Maeve, asked back"),
    ],
)  # fmt: skip
def test_a_spot_says_who_played_the_card_and_what_became_of_it(
    code: str, css: str, label: str
) -> None:
    row = Reader(IN_DIAMONDS).spot(code, 2)
    assert (row["class"], row["label"]) == (css, label)


def test_a_card_and_a_trick_are_news() -> None:
    reader = Reader(IN_DIAMONDS)
    assert reader.news([0, "KD"]) == "Ben plays King of Diamonds, trump."
    assert reader.news([0, "9C", 3]) == "Ben plays 9 of Clubs. Iris wins the trick."
    assert reader.news("Hand 2. Ben deals.") == "Hand 2. Ben deals."


def test_another_language_is_another_table() -> None:
    german = {
        **PHRASES,
        "JH": "Herzbube",
        "left": "linker Bauer ({0})",
        "plays": "{0} spielt: {1}.",
        "takes": "Der Stich geht an {2}: {0} spielt {1}.",
        "turn": "{0} ist an der Reihe.",
    }
    reader = Reader(IN_DIAMONDS, german)
    assert reader.news([1, "JH"]) == "Jonah spielt: linker Bauer (Herzbube)."
    assert (
        reader.news([1, "JH", 1])
        == "Der Stich geht an Jonah: Jonah spielt linker Bauer (Herzbube)."
    )
    assert reader.say("turn", WHO[3]) == "Iris ist an der Reihe."

"""Ratings in words."""

from datetime import timedelta

import pytest
from django.template import Context, Template

from games.models import Player
from tests.tournaments.build import NOON, rating
from tournaments.models import RatingChange
from tournaments.rating_formula import START, Skill
from tournaments.ratings import words as rating_words
from tournaments.ratings.words import ChangeWords

WON, LOST, TIED = 0, 1, -1
NBSP = "\N{NO-BREAK SPACE}"


def change(
    name: str = "",
    partner: str = "Ben",
    *,
    winner: int = WON,
    expected: float = 0.41,
    before: float = 1500,
    after: float = 1507,
) -> ChangeWords:
    """What a game did to a player of side 0."""
    row = RatingChange(
        side=0, winner=winner, expected=expected,
        mu_before=before, sigma_before=120, mu_after=after, sigma_after=118,
    )  # fmt: skip
    return ChangeWords(row, name, partner)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (change(), "You gained 7: the two of you were expected to win 41 % and won."),
        (
            change("Iris", winner=LOST, after=1497, expected=0.71),
            "Iris lost 3: Iris and Ben were expected to win 71 % and lost.",
        ),
        (
            change(partner="", winner=TIED, after=1499, expected=0.6),
            "You lost 1: you were expected to win 60 % and tied.",
        ),
        (
            change("Iris", partner="", after=1500.4, expected=0.999),
            "Iris stayed at 1500: Iris was expected to win over 99 % and won.",
        ),
    ],
)
def test_a_change_is_one_sentence(changed: ChangeWords, words: str) -> None:
    assert changed.sentence.replace(NBSP, " ") == words


def test_change_equals_the_difference_of_shown_numbers() -> None:
    one = change(before=1500.4, after=1500.6)
    assert (one.points, one.signed) == (1, "+1")
    assert change(before=1500.4, after=1491.2).signed == "\N{MINUS SIGN}9"
    assert change(before=1500.4, after=1500.4).signed == "0"


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.58, "58 %"), (0.004, "under 1 %"), (0.005, "under 1 %"), (0.996, "over 99 %")],
)
def test_chance_is_never_certain(chance: float, words: str) -> None:
    assert rating_words.percent(chance) == words.replace(" %", f"{NBSP}%")


def test_a_rating_says_whether_it_is_settled() -> None:
    assert rating_words.in_words(START) == "1500 ± 90, not settled yet"
    assert rating_words.in_words(Skill(1623.4, 61.2)) == "1623 ± 61, settled"


def test_unsettled_rating_has_a_mark_and_words_for_screen_readers() -> None:
    page = Template("{% load rating %}{% rating skill %}")
    unsure = page.render(Context({"skill": START}))
    assert f'<b class="rate">1500</b> <span class="dev">±{NBSP}90</span>' in unsure
    assert 'title="not settled yet" aria-hidden="true">?</abbr>' in unsure
    assert '<span class="unseen">, not settled yet</span>' in unsure
    assert "not settled" not in page.render(Context({"skill": Skill(1600, 79.9)}))


@pytest.mark.django_db
def test_rest_unsettles_the_shown_rating() -> None:
    mine = rating(Player.objects.create(name="Maeve"), 1600, 60)
    assert rating_words.present(mine, NOON) == Skill(1600, 60)
    later = rating_words.present(mine, NOON + timedelta(days=100))
    assert later.sigma == pytest.approx((60**2 + 170) ** 0.5)


def test_every_pool_has_a_name_and_a_slug() -> None:
    assert rating_words.pool_name("joker online") == "Euchre with the joker"
    assert rating_words.pool_name("old pack by post") == "Old pack by post"
    assert rating_words.pool_slug("heads-up online") == "heads-up-online"

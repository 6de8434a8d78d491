"""Names that look alike have one skeleton, and what cannot be seen is found."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from games.lookalikes import SKELETON_LENGTH, mixed_word, skeleton_of, unseen
from games.people import identity


@pytest.mark.parametrize(
    "copy",
    [
        "maeve",
        "MAEVE",
        "Ma eve",
        "Maeve.",
        "Maévê",
        "Мaeve",  # Cyrillic М
        "Mаеve",  # Cyrillic а, е
        "Ｍａｅｖｅ",  # full width
        "𝕄𝕒𝕖𝕧𝕖",
        "Μaeve",  # Greek Μ
        "rnaeve",
        "МАЕVЕ",
    ],
)
def test_lookalikes_of_a_name_have_its_skeleton(copy: str) -> None:
    assert skeleton_of(copy) == skeleton_of("Maeve")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Director", "D1rectοr"), ("Jonah", "J0nah"), ("Ian", "lan"), ("Rowan", "Rovvan")],
)
def test_digits_and_pairs_of_letters_that_pass_for_others(one: str, other: str) -> None:
    assert skeleton_of(one) == skeleton_of(other)


def test_names_that_differ_stay_apart() -> None:
    names = ["Maeve", "Ben", "Iris", "Jonah", "Otto", "Ana", "Anna", "Ben 2", "李明", "山田", "🦊"]
    assert len({skeleton_of(name) for name in names}) == len(names)


@given(st.text(min_size=1, max_size=30))
def test_every_name_has_one(name: str) -> None:
    skeleton = skeleton_of(name)
    assert 0 < len(skeleton) <= SKELETON_LENGTH


@pytest.mark.parametrize(
    "name",
    [
        "\u3164",  # Hangul filler
        "Maeve\u115f",
        "\uffa0\uffa0",
        "\u2800",  # braille pattern without a dot
        "Maeve\U0001d159",  # null notehead
        "Maeve\ufffc",  # the place of an object
        "\u0301",  # an accent on nothing
        "Maeve \u0301",
        "Maeve\ufe0f",  # variation selectors
        "Maeve\U000e0100",
        "\u202eevaeM",  # right to left
        "Ma\u200bve",
        "M\u0301\u0302\u0303\u0304aeve",
        "...",
        "-",
    ],
)
def test_names_that_cannot_be_seen_are_refused(name: str) -> None:
    assert unseen(name)


@pytest.mark.parametrize(
    "name",
    [
        "Maeve",
        "Zoë",
        "Zoe\u0308",
        "O’Neil",
        "Anna-Lena",
        "李明",
        "นิรันดร์",
        "नमस्ते",
        "Việt",
        "🦊",
        "7",
    ],
)
def test_names_that_can_be_seen_are_allowed(name: str) -> None:
    assert not unseen(name)


@pytest.mark.parametrize("name", ["Beп", "Anna Beп", "Αlice", "Оlga", "Ωmega 3"])
def test_a_word_of_several_alphabets(name: str) -> None:
    assert mixed_word(name) in name.split()
    with pytest.raises(ValidationError, match="mixes letters of different alphabets"):
        identity.free_name(name)


@pytest.mark.parametrize(
    "name", ["Ben", "Анна Smith", "Zoë O’Neill-2", "Tシャツ", "漢字かな", "☃ 7", "ʻOkina"]
)
def test_words_of_one_alphabet_each(name: str) -> None:
    assert mixed_word(name) == ""

"""How entry money is shared: everything adds up, whatever the entries, ties and prizes."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import prize_money
from tournaments.prize_money import MoneyError, PlacePrize, Shares, Terms

HALVES = (PlacePrize(percent=50), PlacePrize(percent=30), PlacePrize(percent=20))


def straight(entries: int) -> dict[int, int]:
    """Everybody on a place of their own."""
    return {entry: entry for entry in range(1, entries + 1)}


def shared(terms: Terms, places: dict[int, int], **figures: dict[int, int]) -> Shares:
    lone, euchres = figures.get("lone", {}), figures.get("euchres", {})
    return prize_money.share(terms, len(places), places, lone, euchres)


@st.composite
def terms(draw: st.DrawFn) -> Terms:
    """Any terms that an event can have."""
    entry = draw(st.integers(1, 100_000))
    club = draw(st.integers(0, entry))
    lone = draw(st.integers(0, entry - club))
    euchre = draw(st.integers(0, entry - club - lone))
    amounts = draw(st.lists(st.integers(1, 500_000).map(PlacePrize), max_size=4))
    cuts = sorted(draw(st.sets(st.integers(1, 99), max_size=4)))
    percents = [after - before for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
    shares = [PlacePrize(percent=one) for one in percents] if draw(st.booleans()) else []
    return Terms(entry, club, lone, euchre, tuple(draw(st.permutations(amounts + shares))))


@st.composite
def results(draw: st.DrawFn) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """Places with ties anywhere, lone hands and euchres."""
    groups = draw(st.lists(st.integers(1, 5), max_size=12))
    places: dict[int, int] = {}
    for size in groups:
        place = len(places) + 1
        places |= {place + at: place for at in range(size)}
    figures = st.fixed_dictionaries({entry: st.integers(0, 6) for entry in places})
    return places, draw(figures), draw(figures)


@given(terms(), results(), st.integers(0, 5))
def test_what_is_paid_in_is_paid_out_to_the_last_penny(
    agreed: Terms, played: tuple[dict[int, int], ...], withdrawn: int
) -> None:
    places, lone, euchres = played
    entries = len(places) + withdrawn
    shares = prize_money.share(agreed, entries, places, lone, euchres)
    parts = (shares.prizes, shares.lone, shares.euchre)
    won = sum(sum(part.values()) for part in parts)
    assert shares.paid_in == entries * agreed.entry == won + shares.to_club
    assert won == sum(map(shares.of_entry, places))
    assert shares.left >= 0
    assert all(amount >= 0 for part in parts for amount in part.values())
    # What is left is odd pennies only, if every prize is won and percentages divide the rest.
    if any(prize.percent for prize in agreed.prizes) and len(places) >= len(agreed.prizes):
        assert shares.left <= len(agreed.prizes) + 3 * len(places)


@given(terms(), results())
def test_those_who_share_a_place_get_the_same_and_as_much_as_their_places_together(
    agreed: Terms, played: tuple[dict[int, int], ...]
) -> None:
    places, lone, euchres = played
    shares = prize_money.share(agreed, len(places), places, lone, euchres)
    for place in set(places.values()):
        same = [shares.prizes.get(entry, 0) for entry, at in places.items() if at == place]
        pooled = sum(shares.by_place[place - 1 : place - 1 + len(same)])
        assert set(same) == {pooled // len(same)}


@given(terms(), st.integers(0, 300))
def test_prizes_are_never_more_than_there_is_and_percentages_are_exact(
    agreed: Terms, entries: int
) -> None:
    fund = entries * agreed.to_prizes
    amounts = prize_money.prizes_of(agreed.prizes, fund)
    assert sum(amounts) <= fund
    rest = max(0, fund - sum(prize.amount for prize in agreed.prizes))
    for prize, amount in zip(agreed.prizes, amounts, strict=True):
        if prize.percent:
            exact = Fraction(rest * prize.percent, 100)
            assert exact - 1 < amount <= exact
        else:
            assert amount == prize.amount or not rest


class TestShares:
    def test_percentages(self) -> None:
        shares = shared(Terms(500, 100, prizes=HALVES), straight(12))
        assert shares.prizes == {1: 2400, 2: 1440, 3: 960}
        assert (shares.paid_in, shares.club, shares.left) == (6000, 1200, 0)

    def test_amounts_first_and_the_rest_in_percent(self) -> None:
        prizes = (PlacePrize(2000), PlacePrize(percent=75), PlacePrize(percent=25))
        assert shared(Terms(500, prizes=prizes), straight(8)).prizes == {1: 2000, 2: 1500, 3: 500}

    def test_amounts_reach_as_far_as_the_money(self) -> None:
        shares = shared(Terms(500, prizes=(PlacePrize(1500), PlacePrize(1000))), straight(4))
        assert shares.prizes == {1: 1500, 2: 500}

    def test_a_tie_pools_its_places_and_the_odd_penny_is_left(self) -> None:
        shares = shared(Terms(100, prizes=HALVES), {1: 1, 2: 2, 3: 2, 4: 2, 5: 5})
        assert shares.by_place == (250, 150, 100)
        assert (shares.prizes, shares.left) == ({1: 250, 2: 83, 3: 83, 4: 83}, 1)

    def test_a_pot_is_shared_by_the_best_and_goes_to_the_prizes_without_any(self) -> None:
        agreed = Terms(300, 0, 100, 100, (PlacePrize(percent=100),))
        shares = shared(agreed, straight(3), lone={1: 2, 2: 0, 3: 2}, euchres={1: 0, 2: 0})
        assert shares.lone == {1: 150, 3: 150}
        assert (shares.euchre, shares.prizes) == ({}, {1: 600})

    def test_a_prize_that_nobody_wins_goes_to_the_club(self) -> None:
        shares = shared(Terms(100, prizes=HALVES), straight(2))
        assert (shares.prizes, shares.to_club) == ({1: 100, 2: 60}, 40)


class TestWords:
    @pytest.mark.parametrize(
        ("text", "currency", "amount"),
        [("5", "EUR", 500), ("5.00", "EUR", 500), (" 0,5 ", "GBP", 50), ("500", "JPY", 500),
         ("1.25", "KWD", 1250), ("0", "USD", 0)],
    )  # fmt: skip
    def test_an_amount_is_read(self, text: str, currency: str, amount: int) -> None:
        assert prize_money.read_amount(text, currency) == amount
        written = prize_money.amount_in_words(amount, currency).replace(",", "")
        assert prize_money.read_amount(written, currency) == amount

    @pytest.mark.parametrize("text", ["-1", "5.005", "five", "1e3", "٣", "", "1000000"])
    def test_no_amount(self, text: str) -> None:
        with pytest.raises(MoneyError):
            prize_money.read_amount(text, "EUR")

    @pytest.mark.parametrize("text", ["50%; 30%; 20%", "50%,30%,20%", "50% 30% 20%"])
    def test_prizes_are_read_as_they_are_written(self, text: str) -> None:
        assert prize_money.read_prizes(text, "EUR") == HALVES

    def test_prizes_are_stored_and_written(self) -> None:
        prizes = prize_money.read_prizes("40,00; 60%, 40%", "EUR")
        assert prize_money.prizes_from(prize_money.stored_prizes(prizes)) == prizes
        assert prize_money.prizes_in_words(prizes, "EUR") == "40.00; 60%; 40%"

    @pytest.mark.parametrize("text", ["0%", "101%", "x%", "50 %", "first"])
    def test_no_prizes(self, text: str) -> None:
        with pytest.raises(MoneyError):
            prize_money.read_prizes(text, "EUR")

"""Score cards by phone: what is written and signed, and who could cheat."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.engine.rules import HEADS_UP, RuleSet
from games.models import Performance, Player, User
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.room_scores.cards_of import (
    EAST,
    NORTH,
    card_of,
    dispute,
    drawn,
    game,
    hand,
    match_of,
    player_at,
    send,
    sign,
    table_of,
)
from tournaments.acts import correcting, drawing_again, penalties, undoing
from tournaments.acts.penalties import Penalty
from tournaments.entering import leaving_running_event
from tournaments.models import Club, Event, Pairing, ScoreLine
from tournaments.refusals import RefusedError
from tournaments.results.penalties import RENEGE
from tournaments.room_scores import card_page, cards, writing
from tournaments.room_scores.writing import Writer

pytestmark = pytest.mark.django_db

SKUNK = RuleSet(key="house-rules", name="Skunk", skunk=4)


def with_account(player: Player, name: str) -> None:
    """Give somebody at a table an account."""
    player.name = name
    player.user = User.objects.create_user(f"{name.lower()}@example.org")
    player.save()


def played(club: Club, **fields: Any) -> Event:
    """Two hands at table 1: 1–4, with a lone march."""
    event = drawn(club, **fields)
    hand(event, 1, 0)
    hand(event, 2, 1, cards.MARCH, alone=True)
    return event


class TestResult:
    def test_both_signatures_under_the_same_score_decide_the_match(self, club: Club) -> None:
        event = played(club)
        assert match_of(event).state == Pairing.State.PLAYING
        sign(event, (1, 4))
        assert match_of(event).state == Pairing.State.PLAYING, "one side is not enough"
        sign(event, (1, 4), side=1)
        match = match_of(event)
        assert (match.state, match.how, match.winner) == ("decided", "played", 1)
        assert (match.points, match.lone_hands, match.scores) == ((1, 4), (0, 1), [[1, 4]])
        assert Performance.objects.filter(result=1).count() == 2
        text = event.notices.latest("pk").text
        assert text == (
            "Round 1, table 1, in the room: 1–4, signed by north–south (a phone without an account)"
            " and east–west (a phone without an account)."
        )
        build.step(event, NOON)
        assert event.played_rounds.count() == 2

    def test_a_change_takes_signatures_away(self, club: Club) -> None:
        event = drawn(club)
        key = hand(event, 1, 0)
        hand(event, 2, 1)
        sign(event, (1, 1))
        hand(event, 1, 0, cards.MARCH, seen=key, by=EAST, side=1)
        assert card_of(event).signed == {}
        with pytest.raises(RefusedError, match="The score is 2–1 now"):
            sign(event, (1, 1), side=1)
        sign(event, (2, 1), side=1)
        sign(event, (2, 1))
        assert match_of(event).points == (2, 1)

    def test_lone_marches_are_signed_with_the_score(self, club: Club) -> None:
        event = drawn(club)
        key = game(event, 1, 4, 1, lone=(1, 0))
        shown = card_of(event)
        assert (shown.points, shown.lone) == ((4, 1), (1, 0))
        game(event, 1, 4, 1, lone=(0, 0), seen=key, by=EAST, side=1)
        with pytest.raises(RefusedError, match="The lone marches are 0–0 now"):
            sign(event, (4, 1), lone=(1, 0))
        sign(event, (4, 1), lone=(0, 0))
        sign(event, (4, 1), lone=(0, 0), side=1)
        assert match_of(event).lone_hands == (0, 0)

    def test_only_a_match_that_is_over_can_be_signed(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        with pytest.raises(RefusedError, match="not over"):
            sign(event, (1, 0))
        hand(event, 2, 0)
        with pytest.raises(RefusedError, match="hand 3 is one too many"):
            hand(event, 3, 0)

    def test_the_last_hand_is_taken_back_and_written_again(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        key = hand(event, 2, 0)
        send(event, "take_back", {}, number=2, seen=key)
        assert (list(card_of(event).hands), card_of(event).points) == ([1], (1, 0))
        hand(event, 2, 1, cards.FEW)
        assert card_of(event).points == (3, 0)
        assert event.played_rounds.get().pairings.get().score_lines.count() == 4

    def test_the_final_score_of_a_game(self, club: Club) -> None:
        event = drawn(club, match=Event.Match.GAME)
        with pytest.raises(RefusedError, match="is won with"):
            game(event, 1, 9, 4)
        with pytest.raises(RefusedError, match="not over at 4–3"):
            game(event, 1, 4, 3)
        assert not ScoreLine.objects.exists()
        game(event, 1, 6, 3, lone=(1, 0))
        with pytest.raises(RefusedError, match="has the final score"):
            hand(event, 1, 0)
        sign(event, (6, 3))
        sign(event, (6, 3), side=1)
        assert (match_of(event).points, match_of(event).lone_hands) == ((6, 3), (1, 0))

    def test_several_games_hand_by_hand(self, club: Club) -> None:
        event = drawn(club, match=Event.Match.BEST_OF_3)
        for number in range(1, 4):
            hand(event, number, 0, cards.MARCH)
        for number in range(4, 7):
            hand(event, number, 1, cards.MARCH)
        assert (card_of(event).shown, card_of(event).complete) == ((1, 1), False)
        for number in range(7, 10):
            hand(event, number, 1, cards.FEW)
        scores = (6, 0), (0, 6), (6, 0)
        sign(event, *scores)
        sign(event, *scores, side=1)
        assert (match_of(event).games_won, match_of(event).scores) == (
            (2, 1),
            list(map(list, scores)),
        )

    def test_games_of_a_match_by_their_scores(self, club: Club) -> None:
        event = drawn(club, match=Event.Match.BEST_OF_3)
        game(event, 1, 5, 2)
        game(event, 2, 5, 4)
        sign(event, (5, 2), (5, 4))
        sign(event, (5, 2), (5, 4), side=1)
        assert match_of(event).games_won == (2, 0)

    def test_heads_up(self, club: Club) -> None:
        event = drawn(club, 2, rules=HEADS_UP, format="round_robin", minimum=2, rounds=None)
        hand(event, 1, 0)
        hand(event, 2, 1)
        with pytest.raises(RefusedError, match="Nobody plays alone"):
            hand(event, 2, 1, alone=True, seen="x" * 8)
        sign(event, (1, 1))
        sign(event, (1, 1), side=1)
        assert "signed by north (" in event.notices.latest("pk").text

    def test_a_skunk_is_another_outcome_only_where_it_counts_more(self, club: Club) -> None:
        event = drawn(club, rules=SKUNK)
        hand(event, 1, 0, cards.NONE)
        assert card_of(event).points == (0, 4)
        assert card_of(event).euchres == (0, 1)
        other = drawn(club)
        with pytest.raises(RefusedError, match="taking none counts the same"):
            hand(other, 1, 0, cards.NONE)

    def test_a_hand_thrown_in_counts_only_among_a_number_of_hands(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, cards.NOBODY, cards.PASSED)
        hand(event, 2, 0)
        sign(event, (1, 0))
        with pytest.raises(RefusedError, match="dealt again"):
            hand(drawn(club, match=Event.Match.GAME), 1, cards.NOBODY, cards.PASSED)

    @pytest.mark.parametrize("own_trump", [False, True])
    def test_a_stuck_dealer_throws_a_hand_in_only_without_a_trump_of_their_own(
        self, club: Club, own_trump: bool
    ) -> None:
        rules = RuleSet(key="house-rules", name="Ours", stick_the_dealer=True, own_trump=own_trump)
        event = drawn(club, rules=rules)
        if own_trump:
            hand(event, 1, cards.NOBODY, cards.PASSED)
            assert card_of(event).points == (0, 0)
        else:
            with pytest.raises(RefusedError, match="dealt again"):
                hand(event, 1, cards.NOBODY, cards.PASSED)

    def test_a_knock_out_match_of_hands_goes_on_while_it_is_tied(self, club: Club) -> None:
        event = drawn(club, format="single_elimination", rounds=None, minimum=2)
        hand(event, 1, 0)
        hand(event, 2, 1)
        with pytest.raises(RefusedError, match=r"tied at 1–1\. Play one more hand"):
            sign(event, (1, 1))
        hand(event, 3, 0, cards.MARCH)
        sign(event, (3, 1))
        sign(event, (3, 1), side=1)
        assert match_of(event).winner == 0

    def test_the_round_s_time_ends_a_match(self, club: Club) -> None:
        event = drawn(club, match=Event.Match.GAME, round_minutes=20)
        hand(event, 1, 0)
        with pytest.raises(RefusedError, match="not over"):
            sign(event, (1, 0))
        late = NOON + 21 * MINUTE
        sign(event, (1, 0), now=late)
        sign(event, (1, 0), side=1, now=late)
        assert (match_of(event).how, match_of(event).points) == (Pairing.How.TIME, (1, 0))

    @pytest.mark.parametrize(
        "fields",
        [
            {"match": "deals", "deals": 8},
            {"match": "game"},
            {"match": "best_of_3"},
            {"match": "deals", "deals": 5, "rules": SKUNK},
            {"match": "deals", "deals": 4, "format": "single_elimination", "rounds": None},
        ],
    )
    def test_whatever_is_played_can_be_signed_at_its_end(self, club: Club, fields: Any) -> None:
        event = drawn(club, **{"minimum": 2, **fields})
        match, rules = match_of(event), event.rules
        for seed in range(40):
            rng = Random(seed)
            lines: list[ScoreLine] = []
            card = cards.card_of(event, match, lines)
            while not card.complete:
                took = rng.choice([one for one in cards.worth(rules) if " " not in one])
                if took == cards.PASSED and not cards.counts_passed(event, match):
                    continue
                caller = cards.NOBODY if took == cards.PASSED else rng.randrange(2)
                values = {"caller": caller, "took": took, "alone": rng.random() < 0.2}
                lines.append(ScoreLine(key=str(len(lines)), kind="hand", side=0,
                                       number=len(lines) + 1, values=values))  # fmt: skip
                card = cards.card_of(event, match, lines)
            assert cards.ending(event, match, card, NOON) == ("played", ""), (seed, card.scores)
            assert not card.surplus


class TestRulesOfClubs:
    """Lone hands count by the event's own rules."""

    RULES = RuleSet(
        key="club", name="Club", alone_made=0, alone_euchre=4, defend_alone=True, lone_defence=5
    )

    @pytest.mark.parametrize(
        ("took", "how", "score"),
        [
            (cards.FEW, {}, (0, 2)),
            (cards.FEW, {"alone": True}, (0, 4)),
            (cards.FEW, {"alone": True, "defended": True}, (0, 5)),
            (cards.MADE, {"alone": True}, (0, 0)),
            (cards.MARCH, {"alone": True, "defended": True}, (4, 0)),
        ],
    )
    def test_a_lone_hand_is_worth_what_the_rules_say(
        self, club: Club, took: str, how: dict[str, bool], score: tuple[int, int]
    ) -> None:
        event = drawn(club, minimum=2, rules=self.RULES)
        hand(event, 1, 0, took, **how)
        card = cards.card_of(event, match_of(event), ScoreLine.objects.order_by("pk"))
        assert card.points == score
        assert card.hands[1].defended == how.get("defended", False)
        assert not card.surplus

    def test_nobody_defends_alone_where_the_rules_do_not_say_so(self, club: Club) -> None:
        event = drawn(club, minimum=2)
        with pytest.raises(RefusedError, match="Only a lone hand can be defended"):
            hand(event, 1, 0, alone=True, defended=True)
        event = drawn(club, minimum=2, rules=self.RULES)
        with pytest.raises(RefusedError, match="Only a lone hand can be defended"):
            hand(event, 1, 0, defended=True)


class TestOnce:
    def test_a_line_sent_twice_is_stored_once(self, club: Club) -> None:
        event = drawn(club)
        key = hand(event, 1, 0)
        hand(event, 1, 0, key=key)
        assert ScoreLine.objects.count() == 1
        hand(event, 2, 0)
        sign(event, (2, 0))
        last = sign(event, (2, 0), side=1)
        sign(event, (2, 0), side=1, key=last)
        hand(event, 1, 0, key=key)
        assert ScoreLine.objects.count() == 4, "also after the match is decided"

    def test_the_key_of_another_line_is_refused(self, club: Club) -> None:
        event = drawn(club, 8)
        key = hand(event, 1, 0)
        for more in ({"at": 2}, {"by": EAST}):
            with pytest.raises(RefusedError, match="the key of another one"):
                hand(event, 1, 0, key=key, **more)
        with pytest.raises(RefusedError, match="the key of another one"):
            hand(event, 2, 0, key=key)
        assert ScoreLine.objects.count() == 1

    def test_the_same_hand_from_two_phones_stands_once(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        hand(event, 1, 0, by=EAST, side=1)
        assert ScoreLine.objects.count() == 1

    def test_another_hand_from_a_slower_phone_is_refused_in_words(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        with pytest.raises(RefusedError) as refused:
            hand(event, 1, 1, cards.FEW, by=EAST, side=1)
        assert refused.value.message == (
            "Hand 1 was written on another phone: north–south called, three or four tricks,"
            " 1 point. Yours was not stored."
        )
        assert card_of(event).points == (1, 0)

    def test_a_change_of_what_was_changed_or_taken_back_is_refused(self, club: Club) -> None:
        event = drawn(club)
        first = hand(event, 1, 0)
        second = hand(event, 1, 1, seen=first)
        with pytest.raises(RefusedError, match="written on another phone"):
            hand(event, 1, 0, cards.MARCH, seen=first, by=EAST, side=1)
        with pytest.raises(RefusedError, match="It was not taken back"):
            send(event, "take_back", {}, number=1, seen=first)
        send(event, "take_back", {}, number=1, seen=second)
        send(event, "take_back", {}, number=1, seen=second, by=EAST)
        with pytest.raises(RefusedError, match="taken back on another phone"):
            hand(event, 1, 0, seen=second)
        with pytest.raises(RefusedError, match="before number 1"):
            hand(event, 2, 0)

    def test_a_card_has_room_for_many_lines_but_not_for_all(
        self, club: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(writing, "MOST_LINES", 1)
        event = drawn(club)
        hand(event, 1, 0)
        with pytest.raises(RefusedError, match="clear it, or ask the director"):
            hand(event, 2, 0)
        send(event, "clear", {}, by=Writer("phone", player_at(event, 0)))
        hand(event, 1, 1)


class TestCheating:
    def test_one_phone_does_not_sign_for_both(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4))
        with pytest.raises(RefusedError, match="its own phone"):
            sign(event, (1, 4), side=1, by=NORTH)
        with pytest.raises(RefusedError, match="its own phone"):
            dispute(event, by=NORTH)
        assert match_of(event).state == Pairing.State.PLAYING

    def test_not_even_after_a_change(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        key = hand(event, 2, 0)
        sign(event, (2, 0))
        hand(event, 2, 1, seen=key)
        with pytest.raises(RefusedError, match="its own phone"):
            sign(event, (1, 1), side=1, by=NORTH)

    def test_one_account_does_not_sign_for_both_on_two_phones(self, club: Club) -> None:
        event, otto = played(club), member("Otto")
        sign(event, (1, 4), by=Writer("one", otto))
        with pytest.raises(RefusedError, match="its own phone"):
            sign(event, (1, 4), side=1, by=Writer("two", otto))

    def test_players_write_for_their_own_side(self, club: Club) -> None:
        event = played(club)
        east = Writer("phone", player_at(event, 1))
        with pytest.raises(RefusedError, match="You sit east–west"):
            sign(event, (1, 4), by=east)
        sign(event, (1, 4), side=1, by=east)
        assert f"({east.player}" not in event.notices.latest("pk").text, "not before it counts"

    def test_players_of_another_table_do_not_write(self, club: Club) -> None:
        event = drawn(club, 8)
        other = Writer("phone", player_at(event, 0, number=2))
        with pytest.raises(RefusedError, match="You play at another table"):
            hand(event, 1, 0, by=other)
        hand(event, 1, 0, by=other, at=2)

    def test_whoever_sits_out_can_write_for_the_table(self, club: Club) -> None:
        event = drawn(club, 5)
        idle = build.latest(event).sit_outs.get().entry.players.get().player
        hand(event, 1, 0, by=Writer("phone", idle))

    def test_nothing_is_written_for_a_round_that_is_over(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4))
        sign(event, (1, 4), side=1)
        with pytest.raises(RefusedError, match=r"table 1 stands\. Only the director"):
            hand(event, 1, 1, seen=card_of(event).hands[1].key)
        build.step(event, NOON)
        with pytest.raises(RefusedError, match=r"Round 1 is over\. Only the director"):
            hand(event, 1, 1)
        hand(event, 1, 1, round_=2)
        assert match_of(event).score_lines.count() == 1

    def test_nothing_kept_on_a_phone_is_written_for_others_drawn_since(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club, 8, format="progressive")
        shown = writing.draw_of(match_of(event))
        leaves = match_of(event).entries.all()[0].entry
        leaving_running_event.withdraw(leaves, ada, NOON, reason="Called away.")
        drawing_again.draw_again(event, ada, 1, reason="So.", override=False, now=NOON)
        with pytest.raises(RefusedError, match="Others have been drawn to table 1 since"):
            hand(event, 1, 0, drawn=shown)
        hand(event, 1, 0, drawn=writing.draw_of(match_of(event)))
        assert card_of(event).points == (1, 0)

    def test_a_table_that_has_moved_online_has_no_card(self, club: Club, ada: Player) -> None:
        event = drawn(club)
        match = match_of(event)
        match.in_room = False
        match.save()
        with pytest.raises(RefusedError, match="plays online"):
            hand(event, 1, 0)

    def test_a_table_without_a_match_has_no_card(self, club: Club) -> None:
        event = drawn(club)
        event.room_tables.create(number=7)
        with pytest.raises(RefusedError, match="Nobody plays at table 7 in round 1"):
            hand(event, 1, 0, at=7)

    def test_an_event_that_is_called_off_takes_no_scores(self, club: Club) -> None:
        event = drawn(club)
        Event.objects.filter(pk=event.pk).update(state=Event.State.CANCELLED)
        with pytest.raises(RefusedError, match="is not being played"):
            hand(event, 1, 0)


class TestClearing:
    """A stranger with the code has filled the card."""

    @pytest.fixture
    def event(self, club: Club) -> Event:
        """Two hands at a table where one player of each side has an account."""
        event = drawn(club)
        hand(event, 1, 0)
        hand(event, 2, 1, cards.MARCH, alone=True)
        for side, name in ((0, "Maeve"), (1, "Ben")):
            with_account(player_at(event, side), name)
        return event

    def test_a_side_that_sits_there_begins_again(self, event: Event) -> None:
        sign(event, (1, 4), side=1)
        send(event, "clear", {}, by=Writer("own phone", player_at(event, 0)))
        card = card_of(event)
        assert (card.written, card.signed, card.points, card.next) == ({}, {}, (0, 0), 1)
        hand(event, 1, 0, by=Writer("own phone", player_at(event, 0)))
        assert card_of(event).points == (1, 0)
        lines = [words for words, _by, _at in card_page.history_of(event, match_of(event))]
        assert lines[-2] == "Cleared the card", "what was there before can still be read"
        assert len(lines) == 5

    def test_a_stranger_does_not(self, event: Event) -> None:
        for writer in (NORTH, Writer("phone", member("Otto"))):
            with pytest.raises(RefusedError, match="Only Maeve or Ben, logged in, can clear"):
                send(event, "clear", {}, by=writer)
        assert card_of(event).points == (1, 4)

    def test_what_the_other_side_has_signed_itself_stays(self, event: Event) -> None:
        sign(event, (1, 4), side=1, by=Writer("phone of Ben", player_at(event, 1)))
        with pytest.raises(RefusedError, match="The other side has signed this score"):
            send(event, "clear", {}, by=Writer("phone", player_at(event, 0)))

    def test_where_nobody_has_an_account_a_phone_of_the_table_does(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4), side=1)
        with pytest.raises(RefusedError, match="The other side has signed this score"):
            send(event, "clear", {})
        dispute(event, side=0)
        send(event, "clear", {}, side=1, by=EAST)
        assert card_of(event).written == {}

    def test_final_scores_go_and_penalties_stay(self, club: Club, ada: Player) -> None:
        event = drawn(club, match=Event.Match.GAME)
        game(event, 1, 5, 3)
        penalties.give(match_of(event), Penalty(0, RENEGE), ada, reason="So.", now=NOON)
        send(event, "clear", {})
        assert card_of(event).games == {}
        hand(event, 1, 0)
        assert card_of(event).points == (1, 2)

    def test_it_is_done_so_often_and_no_more(
        self, club: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(writing, "MOST_CLEARED", 1)
        event = played(club)
        send(event, "clear", {})
        send(event, "clear", {})
        assert match_of(event).score_lines.filter(kind="clear").count() == 1, "nothing was there"
        hand(event, 1, 0)
        with pytest.raises(RefusedError, match="was cleared 1 times"):
            send(event, "clear", {})


class TestWhoSigns:
    """Of two signatures one comes from an account at the table, or a phone of this table only."""

    PASSING, ANOTHER = (
        Writer("passing", None, elsewhere=True),
        Writer("other", None, elsewhere=True),
    )

    @pytest.fixture
    def event(self, club: Club) -> Event:
        event = played(club)
        with_account(player_at(event, 0), "Maeve")
        return event

    def test_two_phones_from_other_tables_decide_nothing(self, event: Event) -> None:
        sign(event, (1, 4), by=self.PASSING)
        with pytest.raises(RefusedError, match="One has to be Maeve’s: log in there"):
            sign(event, (1, 4), side=1, by=self.ANOTHER)
        assert match_of(event).state == Pairing.State.PLAYING

    @pytest.mark.parametrize("second", ["a phone of the table", "whoever sits there"])
    def test_one_of_them_is_enough(self, event: Event, second: str) -> None:
        sign(event, (1, 4), side=1, by=self.PASSING)
        maeve = Writer("own", player_at(event, 0), elsewhere=True)
        sign(event, (1, 4), by=maeve if second == "whoever sits there" else NORTH)
        assert match_of(event).state == Pairing.State.DECIDED

    def test_the_side_with_the_account_signs_again_with_it(self, event: Event) -> None:
        sign(event, (1, 4), by=self.PASSING)
        sign(event, (1, 4), by=Writer("passing", player_at(event, 0), elsewhere=True))
        sign(event, (1, 4), side=1, by=self.ANOTHER)
        assert match_of(event).state == Pairing.State.DECIDED

    def test_an_account_that_sits_nowhere_is_a_phone_like_others(self, event: Event) -> None:
        sign(event, (1, 4), by=self.PASSING)
        otto = Writer("otto", member("Otto"), elsewhere=True)
        with pytest.raises(RefusedError, match="One has to be Maeve’s"):
            sign(event, (1, 4), side=1, by=otto)

    def test_where_nobody_has_an_account_phones_decide(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4), by=self.PASSING)
        sign(event, (1, 4), side=1, by=self.ANOTHER)
        assert match_of(event).state == Pairing.State.DECIDED


class TestDispute:
    def test_a_disputed_score_waits_for_the_director(self, club: Club, ada: Player) -> None:
        event = played(club)
        with pytest.raises(RefusedError, match="only after the other side has signed"):
            dispute(event)
        sign(event, (1, 4))
        with pytest.raises(RefusedError, match="only after the other side has signed"):
            dispute(event, side=0)
        dispute(event, said="A renege.", number=2)
        card = card_of(event)
        assert card.disputed is not None
        assert (card.disputed.side, card.disputed.hand) == (1, 2)
        assert event.notices.latest("pk").text == (
            "Round 1, table 1, in the room: east–west dispute 1–4. A renege."
        )
        assert match_of(event).state == Pairing.State.PLAYING
        correcting.set_result(match_of(event), ada, ruled(0, (3, 0)), reason="", now=NOON)
        with pytest.raises(RefusedError, match="Only the director"):
            sign(event, (1, 4), side=1)

    def test_it_can_be_taken_back(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4))
        dispute(event)
        sign(event, (1, 4), side=1)
        assert match_of(event).points == (1, 4)

    def test_whoever_has_signed_does_not_take_it_back_by_signing_again(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4))
        dispute(event, said="A renege.")
        sign(event, (1, 4))
        card = card_of(event)
        assert card.disputed is not None
        assert (card.disputed.said, match_of(event).state) == ("A renege.", Pairing.State.PLAYING)

    def test_it_is_settled_by_a_change_that_both_sign(self, club: Club) -> None:
        event = drawn(club)
        hand(event, 1, 0)
        key = hand(event, 2, 0)
        sign(event, (2, 0))
        dispute(event, number=2)
        hand(event, 2, 1, seen=key)
        assert card_of(event).disputed is None
        sign(event, (1, 1))
        sign(event, (1, 1), side=1)
        assert match_of(event).points == (1, 1)

    def test_a_hand_that_is_not_there_cannot_be_meant(self, club: Club) -> None:
        event = played(club)
        sign(event, (1, 4))
        with pytest.raises(RefusedError, match="Nothing is written at number 3"):
            dispute(event, number=3)


def test_a_match_that_is_opened_again_is_signed_again(club: Club, ada: Player) -> None:
    event = played(club)
    sign(event, (1, 4))
    correcting.set_result(match_of(event), ada, ruled(0, (3, 0)), reason="", now=NOON)
    undoing.undo(event.acts.latest("pk"), ada, NOON)
    assert match_of(event).state == Pairing.State.PLAYING
    sign(event, (1, 4), side=1)
    assert match_of(event).points == (1, 4)


def test_keys_of_other_events_do_not_open_a_table(club: Club) -> None:
    first, second = drawn(club), drawn(club)
    key = hand(first, 1, 0)
    with pytest.raises(RefusedError, match="the key of another one"):
        hand(second, 1, 0, key=key)
    assert table_of(first).code != table_of(second).code

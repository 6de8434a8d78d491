"""A matter from its opening to its appeal: who may do what, what follows, and all taken back."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from games.engine.rules import STICK_THE_DEALER
from games.models import Game
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.fair_play.story import (
    LATER,
    Story,
    letters_to,
    refused,
    result_of,
    staff,
    subjects_to,
)
from tournaments.acts import correcting
from tournaments.fair_play import matters
from tournaments.models import (
    FairPlayAct,
    FairPlayMatter,
    Pairing,
    RatingChange,
    RatingHold,
)
from tournaments.models.fair_play import KeptActError
from tournaments.ratings import moderation as rating_moderation
from tournaments.ratings import rating as rating_service
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

Kind = FairPlayAct.Kind
#: Before what was just done, by a clock that has been set back since.
EARLIER = LATER - timedelta(hours=1)
#: Somebody says something in a matter in which Ada has asked.
Say = Callable[[Story, FairPlayMatter, str], FairPlayAct]


def note(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    return matters.act(story.access(story.ada), matter, Kind.NOTE, words, LATER)


def take_back(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    asked = matter.acts.get(kind=Kind.ASK)
    return matters.take_back(story.access(story.ada), matter, asked.pk, words, LATER)


def answer(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    return matters.answer(matter, story.ben, words, LATER)


def appeal(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    return matters.appeal(matter, story.ben, words, LATER)


SAYINGS = [note, take_back, answer, appeal]


def allowed(story: Story, pairings: list[Pairing], words: str) -> FairPlayAct:
    """An appeal is allowed with these words; of these matches no result can be put back."""
    matter, dora = story.open(), story.access(story.dora)
    matter.games.set(Game.objects.filter(table__pairing__in=pairings))
    for pairing in pairings:
        matters.act(dora, matter, Kind.SET_ASIDE, "So.", LATER, pairing_id=pairing.pk)
        ruled = build.ruled(0, (10, 2))
        correcting.set_result(pairing, story.dora, ruled, reason="Seen.", now=LATER)
    matters.appeal(matter, story.ben, "I was at home.", LATER)
    made = matters.act(story.access(story.omar), matter, Kind.ALLOW, words, LATER)
    made.refresh_from_db()
    return made


@pytest.fixture(scope="module")
def written(lasting_database: None) -> Story:
    """The story, stored once for all tests here."""
    return Story()


@pytest.fixture
def story(written: Story) -> Story:
    return written.afresh()


class TestOpening:
    def test_matter_keeps_its_figures_and_games(self, story: Story) -> None:
        matter = story.open()
        assert matter.said.startswith("Two players came to this event from one address.")
        assert [game.table_id for game in matter.games.all()] == [story.pairing.table_id]
        assert matters.state_of(matter) == "Opened"

    def test_opening_a_matter_twice_returns_the_same(self, story: Story) -> None:
        assert story.open() == story.open(by=story.dora)
        assert FairPlayMatter.objects.count() == 1

    def test_each_player_has_a_matter_of_their_own(self, story: Story) -> None:
        assert story.open() != story.open(of=story.four[0])

    def test_involved_moderator_cannot_open_a_matter(self, story: Story) -> None:
        with refused("gone"):
            story.open(by=story.four[0])

    def test_matter_needs_a_sign(self, story: Story) -> None:
        with refused("gone"):
            story.open(of=story.four[2])
        with refused("gone"):
            matters.open_matter(story.access(story.ada), None, "made up", story.ben.pk, LATER)


class TestActs:
    def test_a_question_is_written_to_the_player_in_neutral_words(self, story: Story) -> None:
        story.act(story.open(), Kind.ASK)
        (letter,) = letters_to(story.ben)
        assert letter.subject == "A question about your games: The Old Mill"
        assert "is not an accusation" in letter.text
        assert "Asked the player by Moderator Ada: So." in letter.text
        assert "/you/fair-play/" in letter.text
        assert "Maeve" not in letter.text

    def test_a_club_may_keep_names_to_itself(self, story: Story) -> None:
        story.club.names_moderators = False
        story.club.save()
        story.act(story.open(), Kind.ASK)
        (letter,) = letters_to(story.ben)
        assert "Asked the player by Moderator: So." in letter.text

    def test_note_sends_no_letter(self, story: Story) -> None:
        story.act(story.open(), Kind.NOTE)
        assert letters_to(story.ben) == []

    def test_an_act_is_never_changed_or_removed(self, story: Story) -> None:
        act = story.act(story.open(), Kind.NOTE)
        act.words = "Otherwise."
        with pytest.raises(KeptActError):
            act.save()
        with pytest.raises(KeptActError):
            act.delete()
        assert FairPlayAct.objects.get().words == "So."

    def test_dismissed_matter_is_closed_until_undone(self, story: Story) -> None:
        matter = story.open()
        end = story.act(matter, Kind.DISMISS)
        with refused("closed"):
            story.act(matter, Kind.ASK)
        story.back(end, story.dora)
        story.act(matter, Kind.ASK)
        assert matters.state_of(matter) == "Asked, waiting for an answer"

    def test_matter_is_not_dismissed_during_an_appeal(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        with refused("appeal"):
            story.act(matter, Kind.DISMISS)
        assert matters.state_of(matter) == "Appealed, waiting for a decision"
        assert "A case about your games is closed: The Old Mill" not in subjects_to(story.ben)
        story.act(matter, Kind.UPHOLD, story.dora)
        story.act(matter, Kind.DISMISS)
        assert matters.state_of(matter) == "Closed: dismissed"

    def test_each_act_is_undone_once(self, story: Story) -> None:
        matter = story.open()
        for kind in (Kind.NOTE, Kind.ASK, Kind.HOLD, Kind.DISMISS):
            act = story.act(matter, kind)
            story.back(act)
            with refused("gone"):
                story.back(act)
        assert matters.state_of(matter) == "Opened"
        assert matter.acts.count() == 8

    def test_a_question_taken_back_before_it_was_sent_is_not_sent(self, story: Story) -> None:
        act = story.act(story.open(), Kind.ASK)
        story.back(act)
        assert subjects_to(story.ben) == ["A step in your case was taken back: The Old Mill"]


class TestWords:
    """What is said has 1 to `MAX_LENGTH` characters, whoever says it."""

    @pytest.fixture
    def matter(self, story: Story) -> FairPlayMatter:
        """One in which all can be said."""
        made = story.open()
        story.act(made, Kind.ASK)
        return made

    @pytest.mark.parametrize("say", SAYINGS)
    @pytest.mark.parametrize(
        "words", ["", " \n ", "x" * (matters.MAX_LENGTH + 1)], ids=["none", "blank", "too many"]
    )
    def test_empty_and_too_long_text_is_refused(
        self, story: Story, matter: FairPlayMatter, say: Say, words: str
    ) -> None:
        written = len(letters_to(story.ben))
        with pytest.raises(RefusedError) as raised:
            say(story, matter, words)
        assert (raised.value.code, raised.value.status) == ("words", 422)
        assert raised.value.message == "Write 1 to 1,000 characters."
        assert [act.kind for act in matter.acts.all()] == [Kind.ASK]
        assert len(letters_to(story.ben)) == written
        assert letters_to(story.ada) == letters_to(story.dora) == []

    @pytest.mark.parametrize("say", SAYINGS)
    def test_text_of_the_maximum_length_is_accepted(
        self, story: Story, matter: FairPlayMatter, say: Say
    ) -> None:
        words = "x" * matters.MAX_LENGTH
        made = say(story, matter, f" {words}\n")
        made.refresh_from_db()
        assert made.words == words


class TestRatingsWait:
    def test_held_games_are_not_rated_until_staff_decide(self, story: Story) -> None:
        assert RatingChange.objects.count() == 4
        matter = story.open()
        story.act(matter, Kind.HOLD)
        rating_service.catch_up()
        assert not RatingChange.objects.exists()
        hold = RatingHold.objects.get()
        assert hold.reason == RatingHold.Reason.CLUB
        assert rating_moderation.waiting()[0].found.startswith(f"Matter {matter.pk} of")
        rating_moderation.decide([hold.pk], staff(), "", LATER, let_through=True)
        rating_service.catch_up()
        assert RatingChange.objects.count() == 4

    def test_undone_hold_rates_games_normally(self, story: Story) -> None:
        before = list(RatingChange.objects.values_list("player", "mu_after").order_by("pk"))
        act = story.act(story.open(), Kind.HOLD)
        rating_service.catch_up()
        story.back(act)
        rating_service.catch_up()
        assert not RatingHold.objects.exists()
        after = list(RatingChange.objects.values_list("player", "mu_after").order_by("pk"))
        assert after == before

    def test_staff_decision_on_ratings_stays(self, story: Story) -> None:
        matter = story.open()
        act = story.act(matter, Kind.HOLD)
        hold = RatingHold.objects.get()
        rating_moderation.decide([hold.pk], staff(), "No.", LATER, let_through=False)
        story.back(act)
        assert RatingHold.objects.get().state == RatingHold.State.REFUSED
        with refused("not rated"):
            story.act(matter, Kind.HOLD)

    def test_an_unrated_match_cannot_wait(self, story: Story) -> None:
        Pairing.objects.update(rated=False)
        with refused("not rated"):
            story.act(story.open(), Kind.HOLD)


class TestSetAside:
    def test_set_aside_result_is_a_forfeit_and_can_be_restored(self, story: Story) -> None:
        before = result_of(story.pairing)
        matter = story.open()
        act = story.act(matter, Kind.SET_ASIDE, story.dora)
        side = story.pairing.entries.get(entry__players__player=story.ben).side
        story.pairing.refresh_from_db()
        assert (story.pairing.how, story.pairing.winner) == (Pairing.How.FORFEIT, 1 - side)
        story.back(act, story.dora)
        assert result_of(story.pairing) == before

    def test_who_played_as_a_substitute_is_on_the_side_that_they_played_on(
        self, story: Story
    ) -> None:
        """The seat has gone back to the owner of the place, or to another substitute."""
        line = story.event.entered_players.select_related("entry").get(player=story.ben)
        line.entry.substitutions.create(position=line.position, player=story.ben, until=1)
        line.player = member("Olga")
        line.save()
        side = story.pairing.entries.get(entry=line.entry).side
        story.act(story.open(), Kind.SET_ASIDE, story.dora)
        assert result_of(story.pairing)[0] == 1 - side

    def test_public_correction_omits_the_reason(self, story: Story) -> None:
        story.act(story.open(), Kind.SET_ASIDE, story.dora)
        assert [one.reason for one in story.pairing.corrections.all()] == [matters.SET_ASIDE]
        assert not story.event.notices.filter(text__contains="So.").exists()

    def test_only_directors_set_results(self, story: Story) -> None:
        matter = story.open()
        with refused("direct"):
            story.act(matter, Kind.SET_ASIDE, story.ada)
        act = story.act(matter, Kind.SET_ASIDE, story.dora)
        with refused("direct"):
            story.back(act, story.ada)

    def test_only_matches_of_the_sign_are_set_aside(self, story: Story) -> None:
        other = build.rated(*story.four, of=story.club, name="Friday")
        pairing = Pairing.objects.get(round__event=other)
        with refused("match"):
            matters.act(
                story.access(story.dora), story.open(), Kind.SET_ASIDE, "So.", LATER,
                pairing_id=pairing.pk,
            )  # fmt: skip
        assert not pairing.corrections.exists()

    def test_a_result_set_since_is_left_to_the_director(self, story: Story) -> None:
        act = story.act(story.open(), Kind.SET_ASIDE, story.dora)
        correcting.set_result(
            story.pairing, story.omar, build.ruled(0, (10, 2)), reason="Seen.", now=LATER
        )
        with refused("corrected"):
            story.back(act, story.dora)


class TestWhoJudges:
    def test_moderator_does_not_judge_their_own_match(self, story: Story) -> None:
        matter = story.open()
        maeve = story.four[0]
        for kind in (Kind.NOTE, Kind.ASK, Kind.HOLD, Kind.DISMISS):
            with refused("own table"):
                story.act(matter, kind, maeve)
        act = story.act(matter, Kind.ASK)
        with refused("own table"):
            story.back(act, maeve)
        assert "Ada, Dora or Omar can judge it." in matters.why_not_judge(matter, maeve)

    def test_staff_do_not_judge_their_own_match(self, story: Story) -> None:
        jonah = story.four[3]
        assert jonah.user is not None
        jonah.user.is_staff = True
        jonah.user.save()
        with refused("own table"):
            story.act(story.open(), Kind.DISMISS, jonah)

    def test_an_appeal_is_decided_by_another(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        with refused("own act"):
            story.act(matter, Kind.UPHOLD, story.ada)
        story.act(matter, Kind.ALLOW, story.dora)
        assert matters.state_of(matter) == "Closed: the appeal was allowed"
        assert not RatingHold.objects.exists()
        assert subjects_to(story.ben)[-1] == "Your appeal is decided: The Old Mill"

    def test_appeal_goes_to_staff_if_no_moderator_is_left(self, story: Story) -> None:
        sam = staff()
        matter = story.open()
        story.act(matter, Kind.ASK, story.ada)
        story.act(matter, Kind.HOLD, story.dora)
        story.act(matter, Kind.NOTE, story.omar)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        for one in (story.ada, story.dora, story.omar):
            with refused("own act"):
                story.act(matter, Kind.UPHOLD, one)
        made = story.act(matter, Kind.UPHOLD, sam)
        assert made.role == matters.STAFF
        assert RatingHold.objects.exists()
        assert "The player’s appeal: The Old Mill" in subjects_to(sam)

    def test_appeal_goes_to_staff_if_the_club_is_closed(self, story: Story) -> None:
        sam, matter = staff(), story.open()
        story.act(matter, Kind.HOLD)
        story.club.closed = LATER
        story.club.save()
        matter.refresh_from_db()
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        with refused("own act"):
            story.act(matter, Kind.ALLOW, story.dora)
        story.act(matter, Kind.ALLOW, sam)
        assert not RatingHold.objects.exists()
        assert "The player’s appeal: The Old Mill" in subjects_to(sam)

    def test_result_is_restored_on_appeal_by_a_director(self, story: Story) -> None:
        before = result_of(story.pairing)
        matter = story.open()
        story.act(matter, Kind.SET_ASIDE, story.dora)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        with refused("own act"):
            story.act(matter, Kind.ALLOW, story.ada)
        story.act(matter, Kind.ALLOW, story.omar)
        assert result_of(story.pairing) == before

    def test_appeal_succeeds_even_if_a_result_cannot_be_restored(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        story.act(matter, Kind.SET_ASIDE, story.dora)
        ruled = build.ruled(0, (10, 2))
        correcting.set_result(story.pairing, story.dora, ruled, reason="Seen.", now=LATER)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        made = story.act(matter, Kind.ALLOW, story.omar)
        assert not RatingHold.objects.exists()
        assert result_of(story.pairing)[0] == 0
        assert made.words.startswith("So. Not put back by itself: ")
        assert "A director has set another result since" in letters_to(story.ben)[-1].text
        assert matters.state_of(matter) == "Closed: the appeal was allowed"

    def test_results_not_restored_are_listed_while_they_fit(self, story: Story) -> None:
        where = (
            " Not put back by itself: Thursday euchre, round 1, table 1. "
            "A director has set another result since: correct it there."
        )
        words = "x" * (matters.MAX_LENGTH - len(where))
        assert allowed(story, [story.pairing], words).words == words + where

    @pytest.mark.parametrize("length", [matters.MAX_LENGTH - 110, matters.MAX_LENGTH])
    def test_results_not_restored_are_counted_if_too_many(self, story: Story, length: int) -> None:
        made = allowed(story, [story.pairing], "x" * length)
        left = " Not put back, and left to a director: 1 result."
        assert made.words == "x" * min(length, matters.MAX_LENGTH - len(left)) + left
        assert left in letters_to(story.ben)[-1].text

    def test_several_results_not_restored_are_listed(self, story: Story) -> None:
        other = build.rated(*story.four, of=story.club, name="Friday", rules=STICK_THE_DEALER)
        pairings = [story.pairing, Pairing.objects.get(round__event=other)]
        left = " Not put back, and left to a director: 2 results."
        words = allowed(story, pairings, "x" * matters.MAX_LENGTH).words
        assert words == "x" * (matters.MAX_LENGTH - len(left)) + left

    def test_same_moderator_decides_a_second_appeal(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.ASK)
        matters.appeal(matter, story.ben, "Why?", LATER)
        story.act(matter, Kind.UPHOLD, story.dora)
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "Why?", LATER)
        story.act(matter, Kind.ALLOW, story.dora)
        assert not RatingHold.objects.exists()


class TestThePlayersSay:
    def test_answer_is_mailed_to_the_asker(self, story: Story) -> None:
        matter = story.open()
        with refused("not asked"):
            matters.answer(matter, story.ben, "We live together.", LATER)
        story.act(matter, Kind.ASK)
        matters.answer(matter, story.ben, "We live together.", LATER)
        assert subjects_to(story.ada) == ["The player’s answer: The Old Mill"]
        assert matters.state_of(matter) == "Answered by the player"

    def test_number_of_answers_is_limited(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.ASK)
        for _answer in range(matters.MAX_ANSWERS):
            matters.answer(matter, story.ben, "Yes.", LATER)
        with refused("enough"):
            matters.answer(matter, story.ben, "Yes.", LATER)

    def test_appeal_is_made_once_and_needs_a_decision(self, story: Story) -> None:
        matter = story.open()
        with refused("nothing"):
            matters.appeal(matter, story.ben, "No.", LATER)
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "No.", LATER)
        with refused("once"):
            matters.appeal(matter, story.ben, "No.", LATER)
        assert subjects_to(story.dora) == ["The player’s appeal: The Old Mill"]

    def test_later_decision_can_be_appealed(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.ASK)
        matters.appeal(matter, story.ben, "Why?", LATER)
        story.act(matter, Kind.UPHOLD, story.dora)
        assert not matters.can_appeal(matter)
        assert matters.state_of(matter) == "Decided on appeal: upheld"
        story.act(matter, Kind.SET_ASIDE, story.dora)
        assert matters.state_of(matter) == "A result was set aside"
        assert matters.can_appeal(matter)
        matters.appeal(matter, story.ben, "That too.", LATER)
        assert matters.state_of(matter) == "Appealed, waiting for a decision"
        story.act(matter, Kind.UPHOLD, story.omar)
        assert not matters.can_appeal(matter)

    def test_appeal_decision_is_undone_by_its_maker(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "No.", LATER)
        made = story.act(matter, Kind.UPHOLD, story.dora)
        with refused("appeal"):
            story.back(made, story.ada)
        story.back(made, story.dora)
        assert matters.state_of(matter) == "Appealed, waiting for a decision"
        with refused("own act"):
            story.act(matter, Kind.UPHOLD, story.ada)


class TestClocks:
    """Acts stand in the order in which they came, also when a clock was set back meanwhile."""

    def test_decision_counts_with_a_clock_behind_its_appeal(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "I was at home.", LATER)
        dora = story.access(story.dora)
        matters.act(dora, matter, Kind.UPHOLD, "So.", EARLIER)
        for row in (matter, *matters.of_player(story.ben)):
            assert matters.state_of(row) == "Decided on appeal: upheld"
            assert not matters.waits_for_decision(row)
            assert not matters.can_appeal(row)
        with refused("no appeal"):
            matters.act(dora, matter, Kind.ALLOW, "So.", LATER)

    def test_appeal_waits_with_a_clock_behind_its_decision(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.ASK)
        matters.appeal(matter, story.ben, "Why?", LATER)
        story.act(matter, Kind.UPHOLD, story.dora)
        story.act(matter, Kind.HOLD)
        matters.appeal(matter, story.ben, "That too.", EARLIER)
        for row in (matter, *matters.of_player(story.ben)):
            assert matters.state_of(row) == "Appealed, waiting for a decision"
        with refused("once"):
            matters.appeal(matter, story.ben, "And that.", LATER)
        story.act(matter, Kind.ALLOW, story.dora)
        assert not RatingHold.objects.exists()

    def test_earlier_directors_result_is_restored(self, story: Story) -> None:
        for points, at in ((2, LATER), (4, EARLIER)):
            ruled = build.ruled(0, (10, points))
            correcting.set_result(story.pairing, story.dora, ruled, reason="Seen.", now=at)
        before = result_of(story.pairing)
        assert before[1] == (10, 4)
        self.set_aside_and_back(story, EARLIER, EARLIER)
        assert result_of(story.pairing) == before

    def test_played_result_is_restored_as_played(self, story: Story) -> None:
        before = result_of(story.pairing)
        assert before[-1] == Pairing.How.PLAYED
        self.set_aside_and_back(story, LATER, EARLIER)
        self.set_aside_and_back(story, EARLIER, EARLIER)
        assert result_of(story.pairing) == before

    def set_aside_and_back(self, story: Story, aside: datetime, back: datetime) -> None:
        matter, dora = story.open(), story.access(story.dora)
        key = story.pairing.pk
        act = matters.act(dora, matter, Kind.SET_ASIDE, "So.", aside, pairing_id=key)
        matters.take_back(dora, matter, act.pk, "No.", back)

    def test_a_result_set_since_is_left_to_the_director(self, story: Story) -> None:
        act = story.act(story.open(), Kind.SET_ASIDE, story.dora)
        ruled = build.ruled(0, (10, 2))
        correcting.set_result(story.pairing, story.omar, ruled, reason="Seen.", now=EARLIER)
        with refused("corrected"):
            story.back(act, story.dora)

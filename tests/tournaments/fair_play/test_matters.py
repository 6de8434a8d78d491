"""A matter from its opening to its end: who may do what, and what follows."""

from collections.abc import Callable

import pytest

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
from tournaments.acts import undoing
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
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

Kind = FairPlayAct.Kind
#: Somebody says something in a matter in which Ada has asked.
Say = Callable[[Story, FairPlayMatter, str], FairPlayAct]


def note(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    return matters.act(story.access(story.ada), matter, Kind.NOTE, words, LATER)


def answer(story: Story, matter: FairPlayMatter, words: str) -> FairPlayAct:
    return matters.answer(matter, story.ben, words, LATER)


SAYINGS = [note, answer]


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

    def test_the_next_step_opens_a_dismissed_matter_again(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.DISMISS)
        matter.refresh_from_db()
        assert matters.state_of(matter) == "Closed: dismissed"
        with refused("done"):
            story.act(matter, Kind.DISMISS)
        story.act(matter, Kind.ASK)
        matter.refresh_from_db()
        assert (matter.closed, matters.state_of(matter)) == (None, "Asked, waiting for an answer")
        with refused("done"):
            story.act(matter, Kind.ASK)

    @pytest.mark.parametrize("kind", [Kind.ANSWER, "take_back", "appeal", "uphold", "allow"])
    def test_moderators_do_not_answer_and_nothing_is_taken_back(
        self, story: Story, kind: str
    ) -> None:
        with refused("act"):
            story.act(story.open(), kind)
        assert not FairPlayAct.objects.exists()


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
        rating_games.catch_up()
        assert not RatingChange.objects.exists()
        hold = RatingHold.objects.get()
        assert hold.reason == RatingHold.Reason.CLUB
        assert hold.found.startswith(f"Matter {matter.pk} of")
        rating_moderation.decide([hold.pk], staff(), "", LATER, let_through=True)
        rating_games.catch_up()
        assert RatingChange.objects.count() == 4

    def test_a_hold_by_mistake_is_let_through_by_the_staff(self, story: Story) -> None:
        before = list(RatingChange.objects.values_list("player", "mu_after").order_by("pk"))
        story.act(story.open(), Kind.HOLD)
        rating_games.catch_up()
        rating_moderation.decide(
            [RatingHold.objects.get().pk], staff(), "", LATER, let_through=True
        )
        rating_games.catch_up()
        after = list(RatingChange.objects.values_list("player", "mu_after").order_by("pk"))
        assert after == before

    def test_staff_decision_on_ratings_stays(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.HOLD)
        hold = RatingHold.objects.get()
        rating_moderation.decide([hold.pk], staff(), "No.", LATER, let_through=False)
        assert RatingHold.objects.get().state == RatingHold.State.REFUSED
        with refused("not rated"):
            story.act(matter, Kind.HOLD)

    def test_an_unrated_match_cannot_wait(self, story: Story) -> None:
        Pairing.objects.update(rated=False)
        with refused("not rated"):
            story.act(story.open(), Kind.HOLD)


class TestSetAside:
    def test_set_aside_result_is_a_forfeit_that_its_director_can_undo(self, story: Story) -> None:
        before = result_of(story.pairing)
        story.act(story.open(), Kind.SET_ASIDE, story.dora)
        side = story.pairing.entries.get(entry__players__player=story.ben).side
        story.pairing.refresh_from_db()
        assert (story.pairing.how, story.pairing.winner) == (Pairing.How.FORFEIT, 1 - side)
        undoing.undo(story.event.acts.latest("pk"), story.dora, LATER)
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
        assert not story.pairing.corrections.exists()

    def test_only_matches_of_the_sign_are_set_aside(self, story: Story) -> None:
        other = build.rated(*story.four, of=story.club, name="Friday")
        pairing = Pairing.objects.get(round__event=other)
        with refused("match"):
            matters.act(
                story.access(story.dora), story.open(), Kind.SET_ASIDE, "So.", LATER,
                pairing_id=pairing.pk,
            )  # fmt: skip
        assert not pairing.corrections.exists()


class TestWhoJudges:
    def test_moderator_does_not_judge_their_own_match(self, story: Story) -> None:
        matter = story.open()
        maeve = story.four[0]
        for kind in (Kind.NOTE, Kind.ASK, Kind.HOLD, Kind.DISMISS):
            with refused("own table"):
                story.act(matter, kind, maeve)
        assert "Ada, Dora or Omar can judge it." in matters.why_not_judge(matter, maeve)

    def test_staff_do_not_judge_their_own_match(self, story: Story) -> None:
        jonah = story.four[3]
        assert jonah.user is not None
        jonah.user.is_staff = True
        jonah.user.save()
        with refused("own table"):
            story.act(story.open(), Kind.DISMISS, jonah)


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

    def test_nothing_is_answered_in_a_dismissed_matter(self, story: Story) -> None:
        matter = story.open()
        story.act(matter, Kind.ASK)
        story.act(matter, Kind.DISMISS)
        with refused("not asked"):
            matters.answer(matter, story.ben, "Yes.", LATER)

"""The pages of fair play: what is on them, for whom, and what is refused in words."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Player, SeenFrom
from tests.factories import logged_in, member
from tests.site.factories import decide
from tests.tournaments import build
from tests.tournaments.fair_play.story import Story, staff
from tournaments.fair_play import matters
from tournaments.models import FairPlayAct, FairPlayMatter, Membership

pytestmark = pytest.mark.django_db

Kind = FairPlayAct.Kind


@pytest.fixture(scope="module")
def written(lasting_database: None) -> Story:
    """The story, stored once for all tests here."""
    return Story()


@pytest.fixture
def story(written: Story) -> Story:
    return written.afresh()


def shown(browser: Client, path: str) -> str:
    answer = browser.get(path)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def of_club(story: Story) -> str:
    return f"/clubs/{story.club.slug}/fair-play/"


def post(browser: Client, path: str, **fields: object) -> Any:
    return browser.post(path, fields)


def page_of(matter: FairPlayMatter) -> str:
    return f"/moderation/signs/{matter.pk}/"


def act(browser: Client, matter: FairPlayMatter, decision: str, reason: str, **more: str) -> Any:
    return decide(browser, "signs", matter.pk, decision=decision, reason=reason, **more)


def taken(browser: Client, matter: FairPlayMatter) -> str:
    """The page of a case that the moderator has taken."""
    assert post(browser, page_of(matter), step="take").status_code == 303
    return shown(browser, page_of(matter))


class TestSigns:
    def test_moderator_sees_signs_without_an_accusation(self, story: Story) -> None:
        page = shown(logged_in(story.ada), of_club(story))
        for told in (
            "A sign is not an accusation", "Two players came to this event from one address",
            "One household", "Look into it: Ben", "Thursday euchre, round 1, table 1",
        ):  # fmt: skip
            assert told in page
        for digest in SeenFrom.objects.values_list("digest", flat=True):
            assert digest not in page
        assert "192.0.2.7" not in page

    def test_signs_of_a_single_event(self, story: Story) -> None:
        page = shown(logged_in(story.ada), f"/events/{story.event.pk}/fair-play/")
        assert "Look into it: Ben" in page
        other = build.rated(*story.four, of=story.club, name="Friday")
        assert "No signs in these games" in shown(
            logged_in(story.ada), f"/events/{other.pk}/fair-play/"
        )

    def test_involved_moderator_sees_only_that_others_decide(self, story: Story) -> None:
        page = shown(logged_in(story.four[0]), of_club(story))
        assert "No signs in these games" in page
        assert "1 more concerns you or a match of yours, and is left to others." in page

    def test_club_page_queries_are_limited(self, story: Story) -> None:
        browser = logged_in(story.ada)
        shown(browser, of_club(story))
        with CaptureQueriesContext(connection) as asked:
            shown(browser, of_club(story))
        assert len(asked) <= 32

    def test_links_to_the_fair_play_pages(self, story: Story) -> None:
        browser = logged_in(story.ada)
        assert of_club(story) in shown(browser, f"/clubs/{story.club.slug}/members/")
        way = f"/events/{story.event.pk}/fair-play/"
        assert way in shown(browser, f"/events/{story.event.pk}/")
        assert way in shown(logged_in(story.dora), f"/events/{story.event.pk}/")
        for other in (story.ben, member("Nora")):
            assert way not in shown(logged_in(other), f"/events/{story.event.pk}/")


class TestMatter:
    def test_from_a_sign_to_the_answer_by_forms(self, story: Story) -> None:
        ada, ben = logged_in(story.ada), logged_in(story.ben)
        sign = ada.get(of_club(story)).context["seen"].signs[0].sign
        made = post(ada, f"{of_club(story)}open", sign=sign, player=story.ben.pk)
        assert made.status_code == 303
        matter = FairPlayMatter.objects.get()
        assert made.url == page_of(matter)
        assert "Ben" in shown(ada, "/moderation/")
        assert act(ada, matter, "ask", "Do you share a line?").status_code == 303
        mine = f"/you/fair-play/{matter.pk}/"
        assert "Do you share a line?" in shown(ben, mine)
        assert "Moderator Ada" in shown(ben, mine)
        assert post(ben, f"{mine}answer", words="We share a flat.").status_code == 303
        assert "We share a flat." in taken(ada, matter)
        assert act(ada, matter, "dismiss", "Thank you.").status_code == 303
        assert "Closed: dismissed" in shown(ben, "/you/fair-play/")
        assert "Nothing to decide." in shown(ada, "/moderation/")
        assert "The next step opens it again." in taken(ada, matter)
        assert act(ada, matter, "note", "Too soon.").status_code == 303
        assert "Answered by the player" in shown(ben, "/you/fair-play/")

    def test_a_sign_of_an_event_is_opened_from_its_page(self, story: Story) -> None:
        ada = logged_in(story.ada)
        page = ada.get(f"/events/{story.event.pk}/fair-play/")
        sign = page.context["seen"].signs[0].sign
        fields = {"sign": sign, "player": story.ben.pk, "event": story.event.pk}
        assert post(ada, f"{of_club(story)}open", **fields).status_code == 303
        assert FairPlayMatter.objects.get().event == story.event
        assert "Case of Ben" in shown(ada, f"/events/{story.event.pk}/fair-play/")

    def test_refusal_keeps_the_typed_text(self, story: Story) -> None:
        matter, ada = story.open(), logged_in(story.ada)
        match = str(story.pairing.pk)
        for decision, reason, more, told in (
            ("burn", "Two hands.", {}, "This is not possible here."),
            ("answer", "Two hands.", {}, "This is not possible here."),
            ("set_aside", "Two hands.", {"match": match}, "This is not possible here."),
            ("", "Two hands.", {}, "Choose what to do."),
            ("note", "", {}, "Write 1 to 1,000 characters."),
        ):
            answer = act(ada, matter, decision, reason, **more)
            assert answer.status_code == 422
            assert told in answer.text
            assert reason in answer.text
        answer = act(logged_in(story.dora), matter, "set_aside", "So.", match="9" * 30)
        assert answer.status_code in (409, 422)
        assert not matter.acts.exists()

    def test_only_steps_that_are_left_are_offered(self, story: Story) -> None:
        matter, ada = story.open(), logged_in(story.ada)
        page = taken(ada, matter)
        assert 'value="ask"' in page
        assert 'value="dismiss"' in page
        story.act(matter, Kind.ASK)
        assert 'value="ask"' not in taken(ada, matter)
        story.act(matter, Kind.DISMISS)
        assert 'value="dismiss"' not in taken(ada, matter)

    @pytest.mark.parametrize("verb", ["note", "answer"])
    def test_text_length_counts_line_ends_as_browsers_do(self, story: Story, verb: str) -> None:
        """The end of a line is one character, though a browser sends two."""
        matter = story.open()
        story.act(matter, Kind.ASK)
        by, path, field = {
            "note": (story.ada, page_of(matter), "reason"),
            "answer": (story.ben, f"/you/fair-play/{matter.pk}/answer", "words"),
        }[verb]
        browser, whole = logged_in(by), "Yes.\r\n" + "x" * (matters.MAX_LENGTH - 5)
        post(logged_in(story.ada), page_of(matter), step="take")
        for words in (None, " \r\n ", f"{whole}x"):
            fields = {"decision": verb} if words is None else {"decision": verb, field: words}
            answer = post(browser, path, **fields)
            assert answer.status_code == 422
            told = answer.content.decode()
            assert "1,000 characters." in told or "1000 characters" in told
            assert (words or "").strip().replace("\r\n", "\n") in told.replace("\r\n", "\n")
        assert [act.kind for act in matter.acts.all()] == [Kind.ASK]
        assert post(browser, path, decision=verb, **{field: whole}).status_code == 303
        assert matter.acts.get(kind=verb).words == whole.replace("\r\n", "\n")

    def test_involved_moderator_reads_why_others_judge(self, story: Story) -> None:
        matter = story.open()
        page = shown(logged_in(story.four[0]), page_of(matter))
        assert "Maeve played in one of these games. Ada, Dora or Omar can judge it." in page
        assert 'name="decision"' not in page
        assert "Others decide" in page
        assert act(logged_in(story.four[0]), matter, "dismiss", "So.").status_code == 403

    def test_owner_reads_their_own_matter_as_a_player(self, story: Story) -> None:
        story.club.memberships.create(player=story.ben, role=Membership.Role.DIRECTOR)
        matter = story.open()
        ben = logged_in(story.ben)
        assert ben.get(page_of(matter)).status_code == 404
        assert "Nothing to decide." in shown(ben, "/moderation/")
        assert f"/{matter.pk}/" not in shown(ben, of_club(story))
        shown(ben, f"/you/fair-play/{matter.pk}/")

    def test_only_directors_are_offered_to_set_a_result_aside(self, story: Story) -> None:
        matter = story.open()
        assert 'value="set_aside"' not in taken(logged_in(story.ada), matter)
        post(logged_in(story.ada), page_of(matter), step="leave")
        dora = logged_in(story.dora)
        assert 'value="set_aside"' in taken(dora, matter)
        match = str(story.pairing.pk)
        assert act(dora, matter, "set_aside", "So.", match=match).status_code == 303
        assert matter.acts.get().kind == Kind.SET_ASIDE


class TestWhoReads:
    @pytest.fixture
    def matter(self, story: Story) -> FairPlayMatter:
        made = story.open()
        story.act(made, Kind.ASK)
        return made

    def others(self, story: Story) -> list[Player]:
        return [*story.four[2:], story.four[0], story.ada, story.omar, staff(), member("Nora")]

    def test_matter_is_for_its_player_and_moderators(
        self, story: Story, matter: FairPlayMatter
    ) -> None:
        for other in self.others(story):
            browser = logged_in(other)
            assert browser.get(f"/you/fair-play/{matter.pk}/").status_code == 404
            assert post(browser, f"/you/fair-play/{matter.pk}/answer", words="x").status_code == 404
            assert matter.said not in shown(browser, "/you/fair-play/")
        for player in story.four[1:]:
            assert logged_in(player).get(page_of(matter)).status_code == 403
            assert logged_in(player).get("/moderation/").status_code == 403

    def test_other_pages_do_not_mention_the_matter(
        self, story: Story, matter: FairPlayMatter
    ) -> None:
        story.act(matter, Kind.HOLD)
        game = matter.games.get()
        nora = logged_in(member("Nora"))
        for path in (
            f"/events/{story.event.pk}/", f"/games/{game.pk}/", f"/players/{story.ben.pk}/",
            f"/games/{game.pk}/ratings/", f"/clubs/{story.club.slug}/",
        ):  # fmt: skip
            page = shown(nora, path)
            assert "one address" not in page
            assert "fair-play/" not in page.replace("css/fair-play", "")

    def test_matter_is_not_found_through_another_club(
        self, story: Story, matter: FairPlayMatter
    ) -> None:
        ferry = build.club("The Ferry")
        eve = build.director(ferry, "Eve")
        assert logged_in(eve).get(page_of(matter)).status_code == 404
        assert act(logged_in(eve), matter, "note", "So.").status_code == 404
        assert "Ben" not in shown(logged_in(eve), "/moderation/")

    def test_acting_moderator_is_named_if_the_club_says_so(
        self, story: Story, matter: FairPlayMatter
    ) -> None:
        ben, path = logged_in(story.ben), f"/you/fair-play/{matter.pk}/"
        assert "Moderator Ada" in shown(ben, path)
        omar = logged_in(story.omar)
        settings = {"name": "The Old Mill", "joining": "open", "time_zone": "UTC"}
        assert omar.post(f"/clubs/{story.club.slug}/settings/", settings).status_code == 303
        page = shown(ben, path)
        assert "Ada" not in page
        assert "Moderator ·" in page

    def test_written_text_is_escaped(self, story: Story, matter: FairPlayMatter) -> None:
        matters.answer(matter, story.ben, "<b>bold</b>", matter.opened)
        page = taken(logged_in(story.ada), matter)
        assert "&lt;b&gt;bold&lt;/b&gt;" in page

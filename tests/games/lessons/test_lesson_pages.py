"""The list of lessons and the pages of their steps, by forms and without an account."""

from __future__ import annotations

import pytest
from django.test import Client

from games.engine.actions import action_text
from games.engine.observation import FIRST_ROUND
from games.lessons import drawing, steps
from games.lessons.course import COURSE

pytestmark = pytest.mark.django_db
FIRST = "/learn/following-suit/1/"


def text_of(browser: Client, address: str) -> str:
    return browser.get(address).content.decode()


def fields(text: str) -> dict[str, str]:
    """Return the fields of a form for an action."""
    plain = text.removesuffix(" alone")
    made_alone = text != plain and text.startswith("make ")
    return {"action": plain, "alone": "yes"} if made_alone else {"action": text}


@pytest.mark.parametrize(
    ("chosen", "said"), [("plain", {"Order it up"}), ("of-old", {"I order it up"})]
)
def test_a_lesson_calls_in_the_words_that_somebody_has_chosen(
    client: Client, chosen: str, said: set[str]
) -> None:
    address = next(
        f"/learn/{lesson.slug}/{number}/"
        for lesson in COURSE
        for number, step in enumerate(lesson.steps, 1)
        if step.start().phase == FIRST_ROUND
    )
    client.post("/you/table/", {"calls": chosen})
    page = text_of(client, address)
    assert {one for one in ("Order it up", "I order it up") if f">{one}<" in page} == said


def test_all_lessons_from_first_to_last(client: Client) -> None:
    address = FIRST
    visited = 0
    while address != "/learn/":
        page = client.get(address)
        assert page.status_code == 200
        _, _, slug, number, _ = address.split("/")
        step = next(one for one in COURSE if one.slug == slug).steps[int(number) - 1]
        answer = client.post(address, fields(action_text(step.right[-1])))
        assert answer.status_code == 303
        solved = client.get(answer["Location"].partition("#")[0])
        visited += 1
        address = solved.context["next"].partition("#")[0]
    assert visited == sum(len(lesson.steps) for lesson in COURSE)
    page_of_list = text_of(client, "/learn/")
    assert "You know euchre." in page_of_list
    assert page_of_list.count(">Done<") == len(COURSE)


def test_every_answer_is_told_why() -> None:
    for step in (step for lesson in COURSE for step in lesson.steps):
        for action in step.offered:
            given = steps.answer(step, action_text(action))
            assert given is not None
            right = given.reply.right
            shown = drawing.solved(step, given) if right else drawing.ask(step, given, 1)
            assert shown.more == steps.words_of(given.reply.why)
            assert shown.said == ([step.learnt] if right else [given.refusal or "Try again."])


def test_cards_that_the_learner_may_not_see_are_not_in_the_page(client: Client) -> None:
    text = text_of(client, FIRST)
    for hidden in ("KH", "AC", "AS", "QC"):
        assert f'data-card="{hidden}"' not in text
    for seen in ("KD", "QD", "9C"):
        assert f'data-card="{seen}"' in text


def test_a_card_that_may_not_be_played_is_refused_as_the_engine_does(client: Client) -> None:
    answer = client.post(FIRST, {"action": "play AH"})
    assert answer.status_code == 303
    assert answer["Location"] == f"{FIRST}?said=play+AH&wrong=1#prompt"
    text = text_of(client, f"{FIRST}?said=play+AH&wrong=1")
    assert "You must follow diamonds." in text
    assert "this card is a heart" in text
    assert "Try <" not in text


def test_the_right_answer_is_told_after_two_wrong_ones(client: Client) -> None:
    answer = client.post(FIRST, {"action": "play 9C", "wrong": "1"}, follow=True)
    assert str(answer.context["hint"]).startswith("Try <")


def test_the_left_bower_is_marked_only_after_the_answer(client: Client) -> None:
    assert "left bower" not in text_of(client, "/learn/bowers/1/")
    solved = client.post("/learn/bowers/1/", {"action": "play 9H"}, follow=True)
    assert "Jack of Diamonds, left bower" in solved.content.decode()


@pytest.mark.parametrize("action", ["", "play AS", "order", "nonsense", "play 9H alone"])
def test_an_answer_that_is_not_offered_is_refused(client: Client, action: str) -> None:
    answer = client.post(FIRST, {"action": action})
    assert answer.status_code == 422
    assert "Choose one of the cards or calls shown." in answer.content.decode()
    assert "0 of 10 done" in text_of(client, "/learn/")


@pytest.mark.parametrize(
    "address", ["/learn/nothing/", "/learn/bowers/0/", "/learn/bowers/9/", "/learn/nothing/1/"]
)
def test_no_such_lesson_or_step(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("query", ["said=nonsense&wrong=x", "said=&wrong=-1", "wrong=" + "9" * 50])
def test_an_address_that_says_nonsense_asks_the_question(client: Client, query: str) -> None:
    page = client.get(f"{FIRST}?{query}")
    assert page.status_code == 200
    assert not page.context["is_right"]
    assert not page.context["is_wrong"]


def test_a_learner_continues_where_they_left_off(client: Client) -> None:
    assert "Begin" in text_of(client, "/learn/")
    client.post("/learn/bowers/1/", {"action": "play JD"})
    page = text_of(client, "/learn/")
    assert "You left off at step 2 of 4." in page
    assert "Continue" in page
    assert client.get("/learn/bowers/")["Location"] == "/learn/bowers/2/"
    assert client.get("/learn/trump/")["Location"] == "/learn/trump/1/"
    assert "You left off" not in text_of(Client(), "/learn/")

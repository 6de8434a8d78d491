"""Which words are sent, and which are held back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.links import holds_address
from games.models.talk import WORDS_LENGTH
from games.talk import pace
from games.talk.words import WordsError, checked
from tests.loops import looped
from tests.volume import volume

SENT = [
    "Nice!", "?", "Well played, partner.", "ok.thanks", "we won 10-8 10-7 10-9",
    "That point, come on", "12 to 10, 9 to 7, 3 up", "I had 9,10,J,Q,K of hearts", "hearts.to me",
    "Grüße aus Köln", "Привет", "ありがとう", "10 9 8 7 6 5 4", "❤",
    "ok.so", "no.we lost", "thanks.live long", "ok.games are fun", "hi.in a moment", "I.am in",
    "1 2 3 4 5 6 7 8 9 10", "4-2 3-1 2-2 1-0 5-3", "1.top of the list", "hearts · spades",
    "see you @ the club", "connect the dot", "yahoo!", "7\u20e3 points", "good.game",
    "no.wtf was that", "a b c d e f g", "K Q J . A 9", "I am in . so do we", "U.S.A. we go",
    "h a h a h a", "is it me . or is it so", "9 - 7 . 10 - 8", "N E S W", "here since 1990-2020",
    "on 3.12.2026",
]  # fmt: skip
HELD = [
    "see bower.club", "https://x.y", "hxxp://x", "www.foo", "t.me/x", "discord dot gg", "a@b.co",
    "joe (at) mail (dot) com", "@ben_01", "call 555-123-4567", "06 12 34 56 78",
    "+44 20 7946 0000", "1.2.3.4", "٠٦١٢٣٤٥٦٧٨", "EX\u0410MPLE.COM", "ex\u0430mple\u3002com",
    "example.c\u043em", "𝕖𝕩𝕒𝕞𝕡𝕝𝕖.𝕔𝕠𝕞", "bower\uff0eclub", "examp1e.c0m",
    "x.com", "bower.ai", "bower.online", "bower.chat", "bower.space", "bower.games", "a.co.jp",
    "bower.br", "bower.cn", "twitch.live", "foo dot club", "example (d o t) com", "example·com",
    "example•com", "joe@gmail", "joe (at) gmail", "5 5 5 1 2 3 4 5 6 7 ",
    "e v i l . c o m", "e  v  i  l  .  c  o  m", "e-v-i-l-.-c-o-m", "e v i l dot c o m",
    "e v i l ( d o t ) c o m", "evil . c o m", "evil dot c o m", "e v i l . com", "ev il . co m",
    "e_v_i_l_._n_e_t", "e*v*i*l*.*o*r*g", "e.v.i.l.c.o.m", "e v i l . d e",
    "\u0435 v \u0456 l . \u0441 \u043e m",
    "h t t p s : / / x", "w w w . e v i l", "j o e @ g m a i l", "e,v,i,l,.,c,o,m",
    "5️⃣5️⃣5️⃣1️⃣2️⃣3️⃣4️⃣", "5️⃣ 5️⃣ 5️⃣ 1️⃣ 2️⃣ 3️⃣ 4️⃣ 5️⃣ 6️⃣ 7️⃣",
]  # fmt: skip


@looped("text", SENT)
def test_words_are_sent_as_typed(text: str) -> None:
    assert checked(text) == text


@looped("text", HELD)
def test_addresses_are_held_back_however_they_are_written(text: str) -> None:
    with pytest.raises(WordsError, match="Links, addresses and phone numbers"):
        checked(f"look {text}")


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200b", "\x00", "\x1b", "\u00ad", "\u3164"])
def test_characters_that_cannot_be_seen_are_refused(sign: str) -> None:
    with pytest.raises(WordsError, match="invisible characters"):
        checked(f"a{sign}b")


def test_length() -> None:
    assert checked("x" * WORDS_LENGTH)
    with pytest.raises(WordsError, match="At most"):
        checked("x" * (WORDS_LENGTH + 1))
    with pytest.raises(WordsError, match="Write something"):
        checked(" \n\t ")


@given(st.text(max_size=300))
def test_whatever_is_sent_is_short_one_line_and_visible(text: str) -> None:
    try:
        sent = checked(text)
    except WordsError:
        return
    assert 0 < len(sent) <= WORDS_LENGTH
    assert sent == " ".join(sent.split()) == checked(sent)
    assert all(one.isprintable() or one.isspace() for one in sent)


@pytest.mark.django_db
def test_a_flood_of_messages_at_the_limits() -> None:
    """Forty people flood ten tables for ten minutes: few lines pass, whoever sends them."""
    start, passed, held = datetime(2026, 11, 26, 12, tzinfo=UTC), 0, 0
    messages, by_player = volume(20_000, 20_000, 100_000), dict[int, int]()
    by_table: dict[int, int] = {}
    texts = [*SENT, *HELD]
    for number in range(messages):
        who, now = number % 40, start + timedelta(seconds=600 * number / messages)
        try:
            checked(texts[number % len(texts)])
        except WordsError:
            held += 1
            continue
        if pace.may_say(who, who // 4, "players", now):
            passed += 1
            by_player[who] = by_player.get(who, 0) + 1
            by_table[who // 4] = by_table.get(who // 4, 0) + 1
    assert held > messages // 2
    # Windows of a minute, of which ten minutes touch eleven at most.
    assert max(by_player.values()) <= 11 * pace.OF_PLAYER[1][1]
    assert max(by_table.values()) <= 11 * pace.OF_TABLE[1][1]
    assert 0 < passed <= 10 * 11 * pace.OF_TABLE[1][1]


def test_checks_are_linear_in_length() -> None:
    """The longest text that is looked at is as short as a line; a long one is refused unread."""
    assert holds_address("9" * WORDS_LENGTH)
    assert not holds_address("a." * (WORDS_LENGTH // 2))
    with pytest.raises(WordsError):
        checked("a." * 100_000)

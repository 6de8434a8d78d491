"""A game by plain forms and the reload link, in a browser that runs no scripts."""

from __future__ import annotations

from tests.browser.conftest import MakePerson


def test_a_whole_game_without_scripts(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, java_script_enabled=False)
    house = dict.fromkeys(("north", "east", "west"), "house")
    maeve.make_table("house-rules", seats=house, house_rules={"target": "2"})
    over = maeve.page.get_by_role("link", name="Score sheet")
    asked = maeve.page.locator("#question[data-waits-for]")
    suits = maeve.page.locator("#prompt .suits button")
    while not over.count():
        if not asked.count():
            maeve.page.get_by_role("link", name="Reload").click()
            continue
        if suits.count() and maeve.page.get_by_label("Alone").count():
            maeve.page.get_by_label("Alone").check()
            suits.first.click()
        elif maeve.legal_cards.count():
            maeve.legal_cards.first.click()
        else:
            maeve.page.locator("#prompt .calls .button[type=submit]").last.click()
    assert maeve.page.locator("#log li").count() > 6
    story = maeve.page.locator("#story")
    assert story.get_by_role("row", name="Named trump").is_visible()
    assert "Luck of the deal" in story.inner_text()
    over.click()
    assert maeve.page.locator("table.score-sheet tbody tr").count()


def test_a_wrong_card_is_refused_with_its_reason(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, java_script_enabled=False)
    maeve.play_now()
    maeve.expected = ("422",)
    wrong = maeve.page.locator('#hand button[aria-disabled="true"]')
    while not wrong.count():
        if maeve.choices.count():
            maeve.choices.last.click()
        else:
            maeve.page.get_by_role("link", name="Reload").click()
    stamp = maeve.stamp
    wrong.first.click(force=True)
    assert "follow" in maeve.page.locator("#notices").inner_text()
    assert maeve.stamp == stamp

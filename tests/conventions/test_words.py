"""Words that people read name no gender: pages, scripts, documents, code and its docstrings."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENDERED = re.compile(r"\b(?:s?he|him|his|hers?|(?:him|her)self)\b", re.IGNORECASE)
READ = (
    *(ROOT / "templates").rglob("*.html"),
    *(ROOT / "templates").rglob("*.txt"),
    *(ROOT / "static/js").rglob("*.js"),
    *(ROOT / "docs").rglob("*.md"),
    *ROOT.glob("*.md"),
)
CODE = tuple(
    path
    for folder in ("euchre_site", "games", "tournaments")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)


@pytest.mark.parametrize("files", [READ, CODE], ids=["pages", "code"])
def test_no_text_names_a_gender(files: tuple[Path, ...]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if GENDERED.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("word", ["he", "His", "him", "himself", "She", "hers", "herself"])
def test_gendered_word_is_recognised(word: str) -> None:
    assert GENDERED.search(f"Take {word} along.")
    assert GENDERED.search(f"<b>{word}</b>")


@pytest.mark.parametrize("word", ["the", "this", "history", "other", "here", "where", "whether"])
def test_other_words_pass(word: str) -> None:
    assert not GENDERED.search(word)


def test_both_kinds_of_files_are_found() -> None:
    assert {ROOT / "templates/base.html", ROOT / "README.md", ROOT / "docs/events.md"} <= {*READ}
    assert ROOT / "tournaments/entering/partners.py" in CODE

"""Words that people read name no gender: pages, scripts, documents, and what the code says."""

import ast
import re
from collections.abc import Iterator
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


def _said(source: str) -> Iterator[tuple[int, str]]:
    """The texts in code with their lines, without those that stand alone: docstrings."""
    tree = ast.parse(source)
    alone = {
        id(one.value)
        for one in ast.walk(tree)
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in alone:
            yield one.lineno, one.value


def test_what_is_read_names_no_gender() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in READ
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if GENDERED.search(line)
    ]
    assert found == []


def test_what_the_code_says_names_no_gender() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {text}"
        for path in CODE
        for number, text in _said(path.read_text(encoding="utf-8"))
        if GENDERED.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("word", ["he", "His", "him", "himself", "She", "hers", "herself"])
def test_a_word_is_recognised(word: str) -> None:
    assert GENDERED.search(f"Take {word} along.")
    assert GENDERED.search(f"<b>{word}</b>")
    assert list(_said(f'"""{word}"""\ncall(f"{word} {{x}}")')) == [(2, f"{word} ")]


@pytest.mark.parametrize("word", ["the", "this", "history", "other", "here", "where", "whether"])
def test_other_words_pass(word: str) -> None:
    assert not GENDERED.search(word)


def test_both_kinds_of_files_are_found() -> None:
    assert {ROOT / "templates/base.html", ROOT / "README.md", ROOT / "docs/events.md"} <= {*READ}
    assert ROOT / "tournaments/entering/partners.py" in CODE

"""Smaller and fewer static files: scripts without comments, and several files sent as one.

A bundle (`static/bundles/`) imports style sheets or scripts, so that a browser can load it as it
is written; `collectstatic` puts what it imports in place of the imports.
"""

import posixpath
import re
from collections.abc import Callable
from typing import Final

#: Returns the text of a static file, by its name.
Read = Callable[[str], str]

_SHEET: Final = re.compile(r'@import "(?P<path>[^"]+)";\s*')
_IMPORT: Final = re.compile(
    r'^import (?:(?P<names>\{[^}]*\}|\* as \w+) from )?"(?P<path>\.[^"]+)";\n?', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export (?=(?:async )?(?:function|const|class) (?P<name>\w+))", re.MULTILINE
)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def lean_script(text: str) -> str:
    """Leave out lines that are comments, empty lines and indentation.

    Line breaks stay, and so does what is inside of a template literal.
    """
    lines, in_literal = [], False
    for line in text.splitlines():
        lean = line if in_literal else line.strip()
        if not in_literal and (not lean or lean.startswith("//")):
            continue
        lines.append(lean)
        in_literal ^= lean.replace(r"\`", "").count("`") % 2 == 1
    return "\n".join(lines) + "\n"


def joined_sheets(name: str, read: Read) -> str:
    """The text of a style sheet, with the sheets that it imports in their places."""
    return _SHEET.sub(lambda found: read(_beside(name, found["path"])), read(name))


def joined_scripts(name: str, read: Read) -> str:
    """A script and all that it imports, each once and after what it needs itself.

    Every module becomes a function of its own that returns what it exports.

    Raises:
        ValueError: an import or export is written in a way that this does not know, or exports
            a variable that may change, which its importers would not see.
    """
    done: dict[str, str] = {}

    def add(name: str) -> None:
        text = read(name)
        for found in _IMPORT.finditer(text):
            path = _beside(name, found["path"])
            if path not in done:
                add(path)
        done[name] = _as_function(name, text)

    add(name)
    return "".join(done.values())


def _as_function(name: str, text: str) -> str:
    exported = [found["name"] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub("", _IMPORT.sub(lambda found: _taken(name, found), text))
    if other := _OTHER.search(body):
        raise ValueError(f"{name} cannot be bundled: {other[0]}")
    if not exported:
        return f"(() => {{\n{body}}})();\n"
    return (
        f"const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"
    )


def _taken(name: str, found: re.Match[str]) -> str:
    """An import as the reading of what a module returned."""
    if not found["names"]:
        return ""
    names = found["names"].removeprefix("* as ").replace(" as ", ": ")
    return f"const {names} = {_variable(_beside(name, found['path']))};\n"


def _variable(name: str) -> str:
    return "_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _beside(name: str, path: str) -> str:
    """The name of the file that another one calls by a relative path."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))

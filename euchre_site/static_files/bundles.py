"""Minifying scripts, and bundling style sheets and scripts without a build step.

A bundle in `static/bundles/` imports style sheets or scripts, so that a browser can load its source
directly; `collectstatic` replaces the imports by the imported files.
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
_REMARK: Final = re.compile(r"(?<=[;,{\[]) // [^\"'`]*$")


def minify_script(text: str) -> str:
    """Remove comments, empty lines and indentation, except in template literals.

    A comment at the end of a line stays if it has a quotation mark, and so might be in a string.
    """
    lines, in_literal = [], False
    for line in text.splitlines():
        stripped = line if in_literal else _REMARK.sub("", line.strip())
        if not in_literal and (not stripped or stripped.startswith("//")):
            continue
        lines.append(stripped)
        in_literal ^= stripped.replace(r"\`", "").count("`") % 2 == 1
    return "\n".join(lines) + "\n"


def bundle_sheets(name: str, read: Read) -> str:
    return _SHEET.sub(lambda found: read(_resolve(name, found["path"])), read(name))


def bundle_scripts(name: str, read: Read) -> str:
    """Return a script with all modules that it imports, as functions that return their exports.

    Raises ValueError if an import or export has an unsupported form, or exports a variable, whose
    changes the importers would not see.
    """
    done: dict[str, str] = {}

    def add(name: str) -> None:
        text = read(name)
        for found in _IMPORT.finditer(text):
            path = _resolve(name, found["path"])
            if path not in done:
                add(path)
        done[name] = _as_function(name, text)

    add(name)
    return "".join(done.values())


def _as_function(name: str, text: str) -> str:
    exported = [found["name"] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub("", _IMPORT.sub(lambda found: _destructured_import(name, found), text))
    if other := _OTHER.search(body):
        raise ValueError(f"{name} cannot be bundled: {other[0]}")
    if not exported:
        return f"(() => {{\n{body}}})();\n"
    return (
        f"const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"
    )


def _destructured_import(name: str, found: re.Match[str]) -> str:
    """Return an import as the destructuring of a module's return value."""
    if not found["names"]:
        return ""
    names = found["names"].removeprefix("* as ").replace(" as ", ": ")
    return f"const {names} = {_variable(_resolve(name, found['path']))};\n"


def _variable(name: str) -> str:
    return "_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _resolve(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))

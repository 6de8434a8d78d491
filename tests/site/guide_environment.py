"""The guide's virtual environment, without downloading anything.

``python tests/site/guide_environment.py DIR`` replaces ``python3 -m venv DIR``. The pip in DIR
links the packages of a requirements file from the environment of the tests, and refuses other
releases. So neither a package of Bower nor a tool of the tests can be imported there.
"""

import re
import sys
import venv
from importlib import metadata
from pathlib import Path

#: What stands for pip in the environment: the Python of the tests does the work.
PIP = """import subprocess, sys
sys.exit(subprocess.call([{python!r}, {this!r}, {packages!r}, *sys.argv[1:]]))
"""
NAMED = re.compile(r"^([\w.-]+)==([^\s;]+)( ;)?", re.MULTILINE)
OPTIONS = ["install", "--require-hashes", "-r"]


def make(folder: Path) -> Path:
    """Make an environment that contains only the replacement for pip; return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "pip").mkdir()
    text = PIP.format(python=sys.executable, this=str(Path(__file__)), packages=str(packages))
    (packages / "pip/__main__.py").write_text(text)
    return folder / "bin/python"


def install(packages: Path, requirements: Path) -> None:
    """Link the packages of a requirements file into an environment.

    Raises SystemExit if the tests run with another release of a package, or without it.
    """
    for name, version, elsewhere in NAMED.findall(requirements.read_text()):
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if elsewhere:
                continue
            raise SystemExit(f"{name} is not installed where the tests run") from None
        if found.version != version:
            raise SystemExit(f"{name} is {found.version} where the tests run, not {version}")
        tops = {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}
        for top in tops:
            link = packages / top
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(top))))


def main(arguments: list[str]) -> None:
    folder, *asked = arguments
    if not asked:
        make(Path(folder))
    elif asked[:3] == OPTIONS:
        install(Path(folder), Path(asked[3]))
    else:
        raise SystemExit(f"pip is asked for what the guide does not ask for: {asked}")


if __name__ == "__main__":
    main(sys.argv[1:])

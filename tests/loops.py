"""Many small cases in one test: collecting and preparing a test costs more than such a case."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def looped(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Like ``pytest.mark.parametrize``, but in one test; a failure names its case.

    For cases that take milliseconds and share their fixtures.
    """
    fields = [name.strip() for name in names.split(",")]
    every = [case if len(fields) > 1 else (case,) for case in cases]
    assert every, "no cases"

    def loop(test: Test) -> Test:
        @wraps(test)
        def in_turn(*args: Any, **others: Any) -> None:
            for values in every:
                case = dict(zip(fields, values, strict=True))
                try:
                    test(*args, **others, **case)
                except BaseException as error:  # what pytest.fail raises is no Exception
                    error.add_note(f"Case: {repr(case)[:1000]}")
                    raise

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in fields]
        in_turn.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return in_turn

    return loop

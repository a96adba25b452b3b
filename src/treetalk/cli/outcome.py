"""How a command ends: its exit code, and what it prints on the way.

====  =====================================================================
code  meaning
====  =====================================================================
0     done
1     it failed; a sentence on standard error says why
2     answers contradict each other, or the command line was not understood
3     the project is held by another process
130   interrupted
====  =====================================================================

A command whose reader has had enough, as ``head`` has, ends with 1 and says nothing, as Python's own tools do.

What a command was asked for goes to standard output, and remarks go to standard error: a program that reads the one is not
disturbed by the other.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import typer

from treetalk.errors import InconsistentTriplets, ProjectHeld, TreetalkError

DONE, FAILED, CONTRADICTION, HELD, INTERRUPTED = 0, 1, 2, 3, 130
CODES = {
    DONE: "done",
    FAILED: "it failed, and a sentence on standard error says why",
    CONTRADICTION: "answers contradict each other, or the command line was not understood",
    HELD: "the project is held by another process",
    INTERRUPTED: "interrupted",
}

_ENDS = (".", "?", "!", "…")
_DRAWN = str.maketrans("┬├└─│▸…", "++`-|>~")  # for terminals that know no box drawing
_is_quiet = False


def be_quiet(quiet: bool) -> None:
    """Leave out remarks from now on, or no longer."""
    global _is_quiet
    _is_quiet = quiet


def is_quiet() -> bool:
    """Return whether the user wants no remarks."""
    return _is_quiet


def say(sentence: str) -> None:
    """Print a remark on standard error, unless the user wants none."""
    if not _is_quiet:
        typer.echo(as_sentence(sentence), err=True)


def use_question_marks() -> None:
    """Let standard output show a question mark for a character that it does not know, rather than end with an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def show(text: str) -> None:
    """Print what was asked for on standard output, drawings with plain signs where it knows no others."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_DRAWN).encode(encoding, "replace").decode(encoding)
    print(text)


def as_json(value: Any) -> None:
    """Print a value as JSON on standard output, where nothing else goes then."""
    is_unicode = (sys.stdout.encoding or "ascii").lower().startswith("utf")
    try:
        print(json.dumps(value, ensure_ascii=not is_unicode, allow_nan=False, indent=2))
    except RecursionError:
        fail("The tree is too deep for nested JSON; treetalk export writes it flat, with --format json")


def fail(sentence: str, code: int = FAILED) -> NoReturn:
    """Say why on standard error, and end."""
    typer.echo(as_sentence(sentence), err=True)
    raise typer.Exit(code)


def as_sentence(text: str) -> str:
    """Return a message as a sentence, with a capital at its beginning and one full stop at its end."""
    text = text.strip()
    first = text.split(maxsplit=1)[0] if text else ""
    # A sentence may begin with what the user typed, such as the name of a file: that stays as it is.
    typed = {word for argument in sys.argv for word in [argument, *Path(argument).name.split()[:1]]}
    if first.isalpha() and first.islower() and first not in typed:
        text = text[0].upper() + text[1:]
    return text if text.endswith(_ENDS) else f"{text}."


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say of what goes wrong with a file in here that the path cannot be written to."""
    try:
        yield
    except OSError as error:
        fail(f"{path} cannot be written to: {error.strerror or error}")


@contextmanager
def telling() -> Iterator[None]:
    """Turn what goes wrong in here into one sentence and an exit code; a mistake in the program keeps its traceback."""
    if sys.stdout is None:  # closed by whoever started the command
        give_up_output()
    try:
        try:
            yield
        except KeyboardInterrupt:
            give_up_output()
            say("Interrupted")
            raise typer.Exit(INTERRUPTED) from None
        finally:
            # What waits in a buffer fails here, and not when nobody can say a sentence any more.
            sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
        raise typer.Exit(FAILED) from None
    except OSError as error:
        reason = error.strerror or str(error)
        if error.filename is not None:
            fail(f"{_file_of(error)}: {reason}")
        # Files that are written have their name said by `writing`; what has none is standard output.
        give_up_output()
        fail(f"The output cannot be written: {reason}")
    except TreetalkError as error:
        fail(str(error), _code_of(error))
    except ValueError as error:
        if not _is_from_treetalk(error.__traceback__):
            raise
        fail(str(error))


def give_up_output() -> None:
    """Let what waits to be printed go nowhere: the end of the process would try again, and fail or wait again."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115
    try:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
        nowhere.close()
    except (AttributeError, OSError):  # standard output is closed, or is no file
        sys.stdout = nowhere


def _file_of(error: OSError) -> str:
    return os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)


def _code_of(error: TreetalkError) -> int:
    if isinstance(error, ProjectHeld):
        return HELD
    return CONTRADICTION if isinstance(error, InconsistentTriplets) else FAILED


def _is_from_treetalk(trace: TracebackType | None) -> bool:
    """Return whether the error was raised by treetalk's own code, whose sentences are for users, or by a library."""
    module = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    return module.split(".")[0] == "treetalk"

"""The commands of the command line as Markdown, from the app itself."""

from __future__ import annotations

import re
from typing import Any

# An option within prose, such as --dialect, but not in code.
OPTION = re.compile(r"`[^`]*`|(?<![\w-])--[a-z][\w-]*")
BAR = r"\|"  # a bar that does not end the cell of a table, in code too
# Where the next of several examples begins: the word alone, not the ending of a project's name.
NEXT = re.compile(r"(?:^|\s+)(?=treetalk\s)")


def all_commands() -> str:
    """Return every command with its usage, what it does, its arguments, its options and its examples."""
    import typer

    from treetalk.cli import COMMANDS, app, outcome

    group: Any = typer.main.get_command(app)
    panels = dict.fromkeys(panel for panel, _ in COMMANDS)
    rows = [f"| {panel} | {', '.join(_links(group, panel))} |" for panel in panels]
    parts = ["| for | commands |\n| --- | --- |\n" + "\n".join(rows)]
    for panel in panels:
        parts.append(f"## {panel}")
        parts += [_command(name, command) for name, command in group.commands.items() if _panel(command) == panel]
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in outcome.CODES.items())
    parts.append(f"## Exit codes\n\n| code | meaning |\n| --- | --- |\n{codes}")
    return "\n\n".join(parts) + "\n"


def _links(group: Any, panel: str) -> list[str]:
    return [f"[{name}](#treetalk-{name})" for name, command in group.commands.items() if _panel(command) == panel]


def _panel(command: Any) -> str:
    return str(command.rich_help_panel)


def _command(name: str, command: Any) -> str:
    """Return the section of a command."""
    words, examples = _told(command.help)
    arguments = [each for each in command.params if not each.opts[0].startswith("-")]
    options = [each for each in command.params if each.opts[0].startswith("-") and not getattr(each, "hidden", False)]
    usage = " ".join(["treetalk", name, *(_as_typed(each) for each in arguments), "[OPTIONS]"])
    parts = [f"### treetalk {name}", f"```console\n$ {usage}\n```", *words]
    rows = [f"| `{_as_typed(each).replace('|', BAR)}` | {_about(each)} |" for each in arguments]
    rows += [f"| {_spelled(each)} | {_about(each)} |" for each in options]
    parts.append("| argument or option | meaning |\n| --- | --- |\n" + "\n".join(rows))
    if examples:
        shown = "\n".join(f"$ {example}" for example in examples)
        parts.append(f"```console\n{shown}\n```")
    return "\n\n".join(parts)


def _told(text: str) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a help text, and its examples."""
    words, examples = [], []
    for paragraph in text.split("\n\n"):
        label, _, rest = paragraph.partition(": ")
        if label in {"Example", "Examples"}:
            examples += [each.strip() for each in NEXT.split(rest) if each.strip()]
        else:
            words.append(_escaped(paragraph))
    return words, examples


def _as_typed(parameter: Any) -> str:
    """Return an argument as the usage shows it."""
    shown = parameter.metavar or parameter.name.upper()
    if shown.startswith("[") and shown.endswith("]"):
        shown = shown[1:-1]  # what may be left out is in brackets already
    several = "..." if parameter.nargs == -1 else ""
    return f"{shown}{several}" if parameter.required else f"[{shown}{several}]"


def _spelled(parameter: Any) -> str:
    """Return an option with all its spellings, and what follows it."""
    spellings = ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return spellings
    return f"{spellings} `{(parameter.metavar or parameter.name.upper()).replace('|', BAR)}`"


def _about(parameter: Any) -> str:
    """Return what a parameter means, and what it is if nothing is said."""
    words = _escaped(" ".join((getattr(parameter, "help", None) or "").split()))
    default = parameter.default
    if getattr(parameter, "is_flag", False) or default in (None, (), []) or parameter.show_default is False:
        return words
    return f"{words} By default `{getattr(default, 'value', default)}`."


def _escaped(text: str) -> str:
    """Return text in which Markdown finds no mark-up but code, which options are too: no dash is made of theirs."""

    def code_or_option(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith("`") else f"`{found[0]}`"

    parts = re.split(r"(`[^`]*`)", OPTION.sub(code_or_option, text))
    for i in range(0, len(parts), 2):
        for sign in ("*", "_", "<", "[", "]"):
            parts[i] = parts[i].replace(sign, f"\\{sign}")
    return "".join(parts).replace("|", BAR)

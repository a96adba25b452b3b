"""The commands of the command line as Markdown, from the app itself."""

from __future__ import annotations

from typing import Any


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
    rows = [f"| `{_as_typed(each)}` | {_about(each)} |" for each in arguments]
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
            # Several examples stand behind one another, each beginning with the command.
            examples += [f"treetalk {each.strip()}" for each in rest.split("treetalk ") if each.strip()]
        else:
            words.append(_escaped(paragraph))
    return words, examples


def _as_typed(parameter: Any) -> str:
    """Return an argument as the usage shows it."""
    shown = parameter.metavar or parameter.name.upper()
    several = "..." if parameter.nargs == -1 else ""
    return f"{shown}{several}" if parameter.required else f"[{shown}{several}]"


def _spelled(parameter: Any) -> str:
    """Return an option with all its spellings, and what follows it."""
    spellings = ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return spellings
    return f"{spellings} {_escaped(parameter.metavar or parameter.name.upper())}"


def _about(parameter: Any) -> str:
    """Return what a parameter means, and what it is if nothing is said."""
    words = _escaped(" ".join((getattr(parameter, "help", None) or "").split()))
    default = parameter.default
    if getattr(parameter, "is_flag", False) or default in (None, (), []) or parameter.show_default is False:
        return words
    return f"{words} By default `{getattr(default, 'value', default)}`."


def _escaped(text: str) -> str:
    """Return text in which Markdown finds no mark-up but code."""
    for sign in ("|", "*", "_", "<", "[", "]"):
        text = text.replace(sign, f"\\{sign}")
    return text

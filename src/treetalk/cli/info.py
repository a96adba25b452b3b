"""``treetalk info``: what is in a project."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from treetalk import columns
from treetalk.cli import outcome
from treetalk.cli.options import AsJson, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted, listed, local_time
from treetalk.wording import one_line

if TYPE_CHECKING:
    from treetalk.project import Project
    from treetalk.session import Session

NUM_NAMED = 10
MOST_COLUMNS = 40
MUCH = 1.5  # a feature that counts for so many, or for one such part, is told of
# What has a line of its own.
TOLD = {"created", "version", "source", "notes", "columns", "recipe"}


def info(file: ProjectFile, json: AsJson = False) -> None:
    """Say what is in a project: its items, its features, the answers, and how far the sampling is.

    Example: treetalk info zoo.treetalk
    """
    from treetalk.project import open_project

    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        found = _found(project)
    if json:
        outcome.as_json(found)
        return
    for title, told in _lines(found):
        outcome.show(f"{title + ':':14}{one_line(told)}")


def _found(project: Project) -> dict[str, Any]:
    settings, session = project.settings, project.session
    kinds = Counter(record.answer.kind for record in project.records)
    people = Counter(record.who for record in project.records)
    snapshots = session.snapshots
    return {
        "path": str(project.path),
        "bytes": project.path.stat().st_size,
        "created": settings.get("created"),
        "version": settings.get("version"),
        "source": settings.get("source"),
        "held_by": project.holder,
        "num_items": project.num_items,
        "items": list(project.items),
        "num_features": int(project.X.shape[1]),
        "features": list(project.feature_names),
        "column_weights": [float(f"{weight:.3g}") for weight in session.column_weights]
        if _are_weighed(session)
        else None,
        "columns": settings.get("columns") or [],
        "notes": settings.get("notes") or [],
        "settings": {key: value for key, value in settings.items() if key not in TOLD and value not in ({}, [], None)},
        "answers": {
            "by_kind": dict(kinds),
            "by_person": {who or "unknown": count for who, count in people.items()},
            "in_force": len(session.in_force),
            "set_aside": len(session.conflicts),
        },
        "named_clusters": len(project.names),
        "sampling": {
            "num_chains": len(session.chains),
            "num_moves": sum(counts.tried for chain in session.chains for counts in chain.info.values()),
            "num_snapshots": len(snapshots),
            "num_draws": snapshots.num_draws,
            "diagnosis": session.diagnose().sentence,
        },
    }


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was found as titles and texts."""
    said, sampling = found["answers"], found["sampling"]
    made = local_time(found["created"])
    made += f" by treetalk {found['version']}" if found["version"] else ""
    made += f", from {found['source']}" if found["source"] else ""
    lines = [
        ("project", f"{found['path']}, {found['bytes']:,} bytes"),
        ("made", made),
        ("held by", found["held_by"] or "nobody"),
        ("items", f"{found['num_items']:,}: {listed(found['items'], NUM_NAMED)}"),
        ("features", f"{found['num_features']:,}: {listed(found['features'], NUM_NAMED)}"),
        *_columns(found["columns"]),
        *(("note", str(note)) for note in found["notes"]),
        ("settings", ", ".join(f"{key} {_told(value)}" for key, value in sorted(found["settings"].items()))),
        ("answers", _counts(said["by_kind"]) or "none yet"),
    ]
    if said["by_person"]:
        lines.append(("said by", _counts(said["by_person"])))
    aside = counted(said["set_aside"], "triplet").replace("no triplets", "none")
    return [
        *lines,
        ("in force", f"{counted(said['in_force'], 'triplet')}, {aside} set aside"),
        *_weights(found["features"], found["column_weights"]),
        ("names", counted(found["named_clusters"], "named cluster")),
        (
            "sampling",
            f"{counted(sampling['num_moves'], 'move')} in {counted(sampling['num_chains'], 'chain')}, "
            f"{counted(sampling['num_snapshots'], 'tree')} kept, {sampling['num_draws']:,} of them drawn under all answers",
        ),
        ("diagnosis", sampling["diagnosis"]),
    ]


def _columns(sources: list[list[Any]]) -> list[tuple[str, str]]:
    """Return what was done with each column of the source; a wide source has its first ones told."""
    lines = [("column", f"{name}: {', '.join(str(part) for part in about if part)}") for name, *about in sources]
    more = len(lines) - MOST_COLUMNS
    return lines if more <= 0 else [*lines[:MOST_COLUMNS], ("column", f"and {more:,} more")]


def _are_weighed(session: Session) -> bool:
    """Return whether answers tell for how much each column counts."""
    return session.setting.weighs_columns and session.X.shape[1] <= columns.MOST_COLUMNS


def _weights(features: list[str], weights: list[float] | None) -> list[tuple[str, str]]:
    """Return which features count for more than others, and which for less, if anybody has looked."""
    if weights is None:
        return []
    order = sorted(range(len(weights)), key=lambda i: -weights[i])
    most = [f"{features[i]} {weights[i]:.1f}" for i in order if weights[i] >= MUCH][:NUM_NAMED]
    least = [f"{features[i]} {weights[i]:.1f}" for i in reversed(order) if 0 < weights[i] <= 1 / MUCH][:NUM_NAMED]
    if not most and not least:
        return [("they tell", "all features count alike, as far as answers tell")]
    parts = [
        f"{title} {', '.join(named)}" for title, named in (("counts for more:", most), ("for less:", least)) if named
    ]
    return [("they tell", f"{'; '.join(parts)} (1 on average)")]


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {each}" for key, each in value.items()) + ")"
    return str(value)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items(), key=lambda pair: -pair[1]))

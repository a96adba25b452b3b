"""What was counted, as a table, in sentences, as a page in Markdown, and as JSON."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np

from treetalk import __version__
from treetalk.experiments.effort_measures import (
    DISTANCES,
    FEWEST_RUNS,
    NUM_FIRST,
    Comparison,
    Reached,
    measure,
    num_classes,
)
from treetalk.experiments.effort_results import Effort
from treetalk.experiments.findings import capital
from treetalk.experiments.results import NEAR, Curve, Mean, spread
from treetalk.experiments.tables import Cell, Table
from treetalk.wording import counted, listed

WAYS = {
    "paper": "what the paper says, with interleaved queries and the paper's scale for each data set; "
    "an answer is one triplet.",
    "treetalk": "treetalk's defaults, the same for all data; an answer is one triplet.",
    "gestures": "treetalk's defaults, with a user who corrects by hand: an answer is one dropping of a part of what is "
    "shown onto another, and gives several triplets. These are counted in gestures, not in triplets.",
    "pieces": "treetalk's defaults, with a user who sorts all that is shown, as one sorts cards: an answer is every triplet "
    "of the target among these items. These are counted in pieces, however many gestures one takes.",
}
COLUMNS = ("data", "way", "n", "K", "n − K", *(f"to {distance:g}" for distance in DISTANCES))
CAPTION = (
    f"Answers until the triplet distance to the target is down to {listed([f'{each:g}' for each in DISTANCES])} for the "
    "first time: mean ± standard deviation of the runs if all get there, otherwise that more are needed, and how many runs "
    f"get there. Mean curve: the answers until the mean of the runs is down to {NEAR}. First {NUM_FIRST}: the mean distance "
    f"after each of the first {NUM_FIRST} answers, or of all if there are fewer. n − K: so many well-chosen triplets are "
    "enough for BUILD alone, without any geometry, where the target is K classes and no more."
)
COMPARED = (
    "Worse beyond noise: the runs of the two ways are paired by their seeds, and at each number of queries the mean of "
    "their differences is divided by its standard error. It counts where it is larger than noise alone would make the "
    "largest of all these values in 95 of 100 cases, by a wild bootstrap over runs: so the 5 in 100 hold for all numbers of "
    "queries together."
)


def effort_table(effort: Effort) -> Table:
    """Return what every way of asking costs on every data set."""
    rows = []
    for name, benchmark in effort.benchmarks.items():
        num_items, classes = len(benchmark.X), num_classes(benchmark.target)
        size = [(f"{num_items:,}", ""), ("–", ""), ("–", "")]
        if classes is not None:
            size[1:] = [(f"{classes}", ""), (f"{num_items - classes:,}", "")]
        for way in effort.ways(name):
            curve = effort.curves[name, way]
            found = measure(curve)
            near = found.mean_curve_reached
            row: list[Cell] = [(benchmark.title, ""), (way, ""), *size, *(each.in_words() for each in found.reached)]
            row.append((f"> {curve.distances.shape[1] - 1}" if near is None else f"{near}", ""))
            rows.append([*row, _cell(found.first), _cell(found.final)])
    return Table(CAPTION, (*COLUMNS, f"mean curve to {NEAR}", f"first {NUM_FIRST}", "end"), rows)


def _cell(mean: Mean) -> Cell:
    return f"{mean.mean:.3f}", "" if math.isnan(mean.sd) else f"± {mean.sd:.3f}"


def verdicts(effort: Effort) -> list[str]:
    """Return for each data set whether treetalk is worse than the paper's way at any number of queries."""
    found = {name: effort.comparison(name) for name in effort.benchmarks}
    return [f"{effort.benchmarks[name].title}: {_verdict(each)}" for name, each in found.items() if each is not None]


def _verdict(found: Comparison) -> str:
    if not found.can_tell:
        runs = "1 run" if found.num_runs == 1 else f"{found.num_runs} runs"
        return f"{runs} of each cannot tell whether treetalk is worse than paper anywhere; {FEWEST_RUNS} are needed."
    if not found.worse_at:
        return "treetalk is not worse than paper beyond noise at any number of queries."
    return (
        f"treetalk is worse than paper beyond noise after {_ranges(found.worse_at)} queries, "
        f"by {found.largest:.3f} at most, after {found.at}."
    )


def _ranges(numbers: tuple[int, ...]) -> str:
    """Return growing numbers in words: 3 to 7 and 9."""
    ends = [[numbers[0], numbers[0]]]
    for number in numbers[1:]:
        if number == ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return listed([f"{first}" if first == last else f"{first} to {last}" for first, last in ends], most=6)


def markdown(effort: Effort, figure: str | None) -> str:
    """Return the report; `figure` is the path of the picture from where the report is, if there is one."""
    used = [way for way in WAYS if any(way in effort.ways(name) for name in effort.benchmarks)]
    table = effort_table(effort)
    each = counted(effort.num_runs, "run")
    parts = [
        "# How many answers a hierarchy costs",
        f"Counted by treetalk {__version__}: {each} of each, with seeds from {effort.seed} on. A simulated user has the "
        f"target in mind, and names a triplet of it that what is shown violates.{_mistakes(effort)}",
        "\n".join(f"- **{way}**: {WAYS[way]}" for way in used),
        f"![Mean distance against the number of answers]({figure})" if figure else "",
        as_markdown(table),
        table.caption,
        "\n".join(f"- {sentence}" for sentence in verdicts(effort)),
        COMPARED if verdicts(effort) else "",
        "## The data",
        "\n".join(f"- **{benchmark.title}**: {benchmark.note}" for benchmark in effort.benchmarks.values()),
        "\n".join(f"- {sentence}" for sentence in _left_out(effort)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _mistakes(effort: Effort) -> str:
    """Return how often the user errs, as a sentence that follows another one."""
    return f" Of the triplets named, {100 * effort.mistakes:g} % are wrong ones." if effort.mistakes else ""


def as_markdown(table: Table) -> str:
    """Return a table, the words to the left and the numbers to the right."""
    line = "| --- | --- |" + " ---: |" * (len(table.header) - 2)
    rows = ["| " + " | ".join(" ".join(filter(None, cell)) for cell in row) + " |" for row in table.rows]
    return "\n".join(["| " + " | ".join(table.header) + " |", line, *rows])


def _left_out(effort: Effort) -> list[str]:
    return [f"{capital(name)} was left out: {reason.rstrip('.')}." for name, reason in effort.left_out.items()]


def as_json(effort: Effort) -> dict[str, Any]:
    """Return every number, and the table and the sentences as they are read."""
    table = effort_table(effort)
    return {
        "version": __version__,
        "date": datetime.date.today().isoformat(),
        "num_runs": effort.num_runs,
        "seed": effort.seed,
        "mistakes": effort.mistakes,
        "data": [_data_set(effort, name) for name in effort.benchmarks],
        "left_out": dict(effort.left_out),
        "columns": list(table.header),
        "rows": [[" ".join(filter(None, cell)) for cell in row] for row in table.rows],
        "caption": table.caption,
        "verdicts": verdicts(effort),
        "compared": COMPARED,
    }


def _data_set(effort: Effort, name: str) -> dict[str, Any]:
    benchmark, compared = effort.benchmarks[name], effort.comparison(name)
    classes = num_classes(benchmark.target)
    return {
        "name": name,
        "title": benchmark.title,
        "note": benchmark.note,
        "num_items": len(benchmark.X),
        "num_features": benchmark.X.shape[1],
        "num_classes": classes,
        "enough_for_build": None if classes is None else len(benchmark.X) - classes,
        "num_queries": effort.num_queries(name),
        "ways": {
            way: {**_way(effort.curves[name, way]), "num_triplets": effort.num_triplets[name, way]}
            for way in effort.ways(name)
        },
        "worse_than_paper": None if compared is None else {"can_tell": compared.can_tell, **compared._asdict()},
    }


def _way(curve: Curve) -> dict[str, Any]:
    found = measure(curve)
    return {
        "reached": [_reached(each) for each in found.reached],
        "mean_curve_reached": found.mean_curve_reached,
        "first": _with_spread(found.first),
        "final": _with_spread(found.final),
        "distances": _known(curve.mean_distance),
        "spread": _known(spread(curve.distances)),
    }


def _reached(found: Reached) -> dict[str, Any]:
    mean = found.mean
    return {
        "distance": found.distance,
        "counts": list(found.counts),
        "num_reached": found.num_reached,
        **({"mean": None, "sd": None} if mean is None else _with_spread(mean)),
    }


def _with_spread(mean: Mean) -> dict[str, float | None]:
    return {"mean": mean.mean, "sd": None if math.isnan(mean.sd) else mean.sd}


def _known(values: Any) -> list[float | None]:
    """Return numbers for JSON, which has no NaN; a millionth is far finer than runs differ."""
    return [None if math.isnan(value) else value for value in np.round(values, 6).tolist()]

"""The tables of the report: rows of text, in which a cell may have a second, smaller line."""

from __future__ import annotations

import math
from typing import NamedTuple

from treetalk.experiments.comparisons import COMPARED_SETTING, contributions, likelihood_gains, likenesses
from treetalk.experiments.findings import number, with_spread
from treetalk.experiments.plan import STRATEGIES
from treetalk.experiments.published import BAND_LARGEST, BAND_MEAN
from treetalk.experiments.results import NEAR, Results

Cell = tuple[str, str]  # what was found, and beside it what was published, or how sure it is


class Table(NamedTuple):
    """A table with a caption."""

    caption: str
    header: tuple[str, ...]
    rows: list[list[Cell]]


def curves_table(results: Results, data: str, setting: str) -> Table:
    """Return the curves of a setting at some numbers of queries, the published ones below each."""
    header = ("queries", *map(str, results.checkpoints()), f"to {NEAR}", "log likelihood", "gain")
    gains = {gain.strategy: gain for gain in likelihood_gains(results, data, setting)}
    rows = []
    for strategy in results.strategies(data, setting):
        curve = results.curve(data, setting, strategy)
        assert curve is not None
        points = results.published.get((data, strategy))
        row: list[Cell] = [("no queries" if strategy == "none" else strategy, "published" if points else "")]
        for checkpoint in results.checkpoints():
            mean = curve.distance_at(checkpoint)
            read = None if points is None else points.at(checkpoint)
            row.append((with_spread(mean.mean, mean.sd, 2), "" if read is None else f"{read:.2f}"))
        read = None if points is None else points.queries_to(NEAR)
        row.append((_count(curve.queries_to()), "" if points is None else _count(read)))
        final = curve.final_log_likelihood()
        row.append((number(final.mean, 1), "" if math.isnan(final.sd) else f"± {number(final.sd, 1)}"))
        gain = gains.get(strategy)
        row.append(
            ("", "") if gain is None else (with_spread(gain.difference, gain.error, 1, signed=True), gain.verdict)
        )
        rows.append(row)
    caption = (
        f"Mean triplet distance ± standard deviation of the runs after so many queries, and the queries needed to reach "
        f"{NEAR}; below, where there is one, the published curve. Log likelihood: in nats, over the last tenth of the "
        "queries; below, the standard deviation of the runs. Gain: against the chain without queries, ± standard error."
    )
    return Table(caption, header, rows)


def likeness_table(results: Results, data: str) -> Table | None:
    """Return how far our curves are from the published ones; None where none were published."""
    found = likenesses(results, data)
    if not found:
        return None
    rows: list[list[Cell]] = [
        [
            ("no queries" if like.strategy == "none" else like.strategy, ""),
            (f"{like.mean:.3f}", ""),
            (number(like.largest, 3, signed=True), ""),
            (f"{like.at}", ""),
            (f"{like.num_points} points up to {like.up_to}", ""),
            ("inside" if like.is_inside else "outside", ""),
        ]
        for like in found
    ]
    caption = (
        f"Setting {COMPARED_SETTING} against the published curves. A curve is inside the band if its points are at most "
        f"{BAND_MEAN} from the mean of our runs on average, and none is further than {BAND_LARGEST}. "
        "Positive: ours is higher."
    )
    header = ("scheme", "mean absolute difference", "largest", "at queries", "compared", "band")
    return Table(caption, header, rows)


def sampling_table(results: Results, data: str) -> Table | None:
    """Return what sampling contributes; None if nothing was run without moves."""
    found = contributions(results, data)
    if not found:
        return None
    rows: list[list[Cell]] = [
        [
            (part.setting, ""),
            (f"{part.up_to}", ""),
            (number(part.mean, 3, signed=True), ""),
            (number(part.largest, 3, signed=True), ""),
            (f"{part.at}", ""),
            (_count(part.queries_with), ""),
            (_count(part.queries_without), ""),
        ]
        for part in found
    ]
    caption = (
        "The triplet distance without any moves minus that with them: queries interleaved, until both have been near."
    )
    header = ("setting", "compared up to", "mean", "largest", "at queries", f"queries to {NEAR}", "without moves")
    return Table(caption, header, rows)


def final_table(results: Results) -> Table:
    """Return the final distances of all data sets, and the queries needed: what the command prints."""
    shown = [strategy for strategy in STRATEGIES if any(key[2] == strategy for key in results.curves)]
    header = ("data", "setting", *("no queries" if strategy == "none" else strategy for strategy in shown), "linkage")
    rows = []
    for data, benchmark in results.benchmarks.items():
        for setting in results.settings(data):
            row: list[Cell] = [(benchmark.title, ""), (setting, "")]
            for strategy in shown:
                curve = results.curve(data, setting, strategy)
                row.append(
                    ("", "") if curve is None else (f"{curve.mean_distance[-1]:.3f}", f"{_count(curve.queries_to())}")
                )
            rows.append([*row, (f"{results.linkage[data]:.3f}", "")])
    caption = f"Mean triplet distance after {results.num_queries} queries, and the queries needed to reach {NEAR}."
    return Table(caption, header, rows)


def _count(count: float | None) -> str:
    return "–" if count is None else f"{count:.0f}"

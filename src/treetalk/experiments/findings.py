"""What was found, in sentences. Every number in them is computed from the runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from treetalk.experiments.comparisons import (
    CLEAR,
    COMPARED_SETTING,
    Contribution,
    LikelihoodGain,
    contributions,
    likelihood_gains,
    likenesses,
    main_gain,
)
from treetalk.experiments.plan import ABLATED_STRATEGY, QUERYING
from treetalk.experiments.published import BAND_LARGEST, BAND_MEAN
from treetalk.experiments.results import NEAR, Mean, Results

VERDICTS = {
    "raised": "raised on",
    "lowered": "lowered on",
    "no clear difference": "no clear difference on",
    "one run cannot tell": "one run cannot tell on",
}
HARDLY = 0.02  # a mean difference of triplet distances below which moves hardly contribute


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """Return a number with a true minus sign."""
    rounded = round(value, digits) + 0.0  # which makes a positive zero of a negative one
    text = f"{rounded:+,.{digits}f}" if signed else f"{rounded:,.{digits}f}"
    return text.replace("-", "−")


def with_spread(value: float, error: float, digits: int, *, signed: bool = False) -> str:
    """Return a number and how far it may be off, if that is known."""
    text = number(value, digits, signed=signed)
    return text if math.isnan(error) else f"{text} ± {number(error, digits)}"


def queries(count: float | None, num_queries: int) -> str:
    """Return how many queries it took."""
    return f"not within {num_queries} queries" if count is None else f"after {count:.0f}"


def listed(parts: Iterable[str]) -> str:
    """Return a list in words: a, b and c."""
    *first, last = list(parts) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def title(results: Results, data: str) -> str:
    """Return what a data set is called within a list, where a comma would mean another one."""
    return results.benchmarks[data].title.replace(",", "")


def capital(text: str) -> str:
    """Return a text with its first letter made large."""
    return text[:1].upper() + text[1:]


def summary(results: Results) -> list[str]:
    """Return what was found over all data sets, a paragraph each."""
    paragraphs = [_extent(results), _speed(results), _likelihood(results), _likeness(results), _sampling(results)]
    paragraphs += [f"{capital(name)} was left out: {reason.rstrip('.')}." for name, reason in results.left_out.items()]
    return [paragraph for paragraph in paragraphs if paragraph]


def _extent(results: Results) -> str:
    titles = listed(title(results, data) for data in results.benchmarks)
    num_runs = sum(curve.num_runs for curve in results.curves.values())
    each = "once" if results.num_runs == 1 else f"{results.num_runs} times with different seeds"
    return f"{num_runs:,} runs of {results.num_queries} queries on {titles}, each made {each}."


def _strategy(results: Results) -> str | None:
    """Return the strategy to speak of: interleaved, or the last one that was run instead."""
    run = {key[2] for key in results.curves}
    asked = [strategy for strategy in QUERYING if strategy in run]
    return ABLATED_STRATEGY if ABLATED_STRATEGY in asked else (asked[-1] if asked else None)


def _speed(results: Results) -> str:
    strategy = _strategy(results)
    if strategy is None:
        return ""
    sentences = []
    for setting in _settings(results):
        reached = []
        for data in results.benchmarks:
            curve = results.curve(data, setting, strategy)
            if curve is not None:
                reached.append(f"{title(results, data)} {queries(curve.queries_to(), results.num_queries)}")
        if reached:
            sentences.append(f"In setting {setting}: {', '.join(reached)}.")
    read = []
    for data in results.benchmarks:
        points = results.published.get((data, strategy))
        if points is not None:
            read.append(f"{title(results, data)} {queries(points.queries_to(NEAR), int(points.num_queries[-1]))}")
    if read:
        sentences.append(f"Published: {', '.join(read)}.")
    return f"With {strategy} queries the mean triplet distance is down to {NEAR} after so many. {' '.join(sentences)}"


def _settings(results: Results) -> list[str]:
    return list({setting: None for data in results.benchmarks for setting in results.settings(data)})


def _likelihood(results: Results) -> str:
    sentences = []
    for setting in _settings(results):
        groups: dict[str, list[str]] = {}
        for data in results.benchmarks:
            gain = main_gain(results, data, setting)
            if gain is not None:
                groups.setdefault(gain.verdict, []).append(f"{title(results, data)} ({_gain(gain)})")
        if groups:
            found = [f"{words} {listed(groups[verdict])}" for verdict, words in VERDICTS.items() if verdict in groups]
            num_raised, num_all = len(groups.get("raised", ())), sum(map(len, groups.values()))
            sentences.append(f"Setting {setting}, on {num_raised} of {num_all}: {'; '.join(found)}.")
    if not sentences:
        return ""
    question = (
        "Does interaction raise the likelihood of the data above that of the chain without queries, as the paper reports "
        f"for three of its four data sets? Compared at the end, with {_strategy(results)} queries, in nats with the "
        f"standard error of the difference, which counts from {CLEAR:.0f} standard errors on. "
    )
    return question + " ".join(sentences)


def _gain(gain: LikelihoodGain) -> str:
    return with_spread(gain.difference, gain.error, 1, signed=True)


def _likeness(results: Results) -> str:
    found = [(data, like) for data in results.benchmarks for like in likenesses(results, data)]
    if not found:
        return ""
    inside = sum(like.is_inside for _, like in found)
    data, worst = max(found, key=lambda pair: abs(pair[1].largest))
    mean = sum(like.mean for _, like in found) / len(found)
    return (
        f"Setting {COMPARED_SETTING} against the published curves: {inside} of {len(found)} lie within the band "
        f"({BAND_MEAN} on average, {BAND_LARGEST} at most). The mean absolute difference is {mean:.3f}; "
        f"the largest is {number(worst.largest, 3, signed=True)} "
        f"({title(results, data)}, {worst.strategy}, at {worst.at} queries; positive: ours is higher)."
    )


def _sampling(results: Results) -> str:
    settings: dict[str, list[str]] = {}
    for data in results.benchmarks:
        for found in contributions(results, data):
            text = f"{title(results, data)} {number(found.mean, 3, signed=True)}"
            settings.setdefault(found.setting, []).append(text)
    if not settings:
        return ""
    parts = [f"setting {setting}: {', '.join(texts)}" for setting, texts in settings.items()]
    return (
        f"What sampling contributes, as the mean rise of the triplet distance when no moves are made at all, until "
        f"both have been at {NEAR} ({ABLATED_STRATEGY} queries): {'; '.join(parts)}."
    )


def findings(results: Results, data: str) -> list[str]:
    """Return what was found on one data set, a sentence or two each."""
    found = [_linkage(results, data)]
    found += [_ranking(results, data, setting) for setting in results.settings(data)]
    found += [_raised(results, data, setting) for setting in results.settings(data)]
    found += [_contribution(part, results.num_queries) for part in contributions(results, data)]
    found += [_build_alone(results, data)]
    return [sentence for sentence in found if sentence]


def _linkage(results: Results, data: str) -> str:
    strategy, distance = _strategy(results), results.linkage[data]
    if strategy is None:
        return f"Average linkage, which asks nothing, is at {distance:.3f}."
    passed = []
    for setting in results.settings(data):
        curve = results.curve(data, setting, strategy)
        if curve is not None:
            passed.append(f"{queries(curve.queries_to(distance), results.num_queries)} ({setting})")
    return (
        f"Average linkage, which asks nothing, is at {distance:.3f}; {strategy} queries get there {', '.join(passed)}."
    )


def _ranking(results: Results, data: str, setting: str) -> str:
    curves = {strategy: results.curve(data, setting, strategy) for strategy in QUERYING}
    order = sorted(
        (
            (curve.queries_to(), curve.mean_distance[-1], strategy)
            for strategy, curve in curves.items()
            if curve is not None
        ),
        key=lambda entry: (entry[0] is None, entry[0] or 0, entry[1]),
    )
    if not order:
        return ""
    reached = [f"{strategy} after {count}" for count, _, strategy in order if count is not None]
    missed = [f"{strategy} ends at {distance:.3f}" for count, distance, strategy in order if count is None]
    text = f"Setting {setting}: "
    if reached:
        text += f"{NEAR} is reached by {listed(reached)}"
    return f"{text}{'; ' if reached and missed else ''}{listed(missed) if missed else ''}."


def _raised(results: Results, data: str, setting: str) -> str:
    gain = main_gain(results, data, setting)
    if gain is None:
        return ""
    what = {
        "raised": "Interaction raised the likelihood",
        "lowered": "Interaction lowered the likelihood",
        "no clear difference": "Interaction made no clear difference to the likelihood",
        "one run cannot tell": "Whether interaction changes the likelihood cannot be told from one run",
    }[gain.verdict]
    text = (
        f"{what} in setting {setting}: with {gain.strategy} queries the log likelihood ends at "
        f"{_end(gain.queried)}, without queries at {_end(gain.unqueried)}: {_gain(gain)} nats."
    )
    others = [other for other in likelihood_gains(results, data, setting) if other.strategy != gain.strategy]
    if others:
        text += f" The other schemes: {listed(f'{other.strategy} {_gain(other)}' for other in others)}."
    return text


def _end(mean: Mean) -> str:
    return number(mean.mean, 1) + ("" if math.isnan(mean.sd) else f" (spread {number(mean.sd, 1)})")


def _contribution(part: Contribution, num_queries: int) -> str:
    verdict = "hardly contributes" if abs(part.mean) < HARDLY else ("helps" if part.mean > 0 else "does harm")
    return (
        f"Sampling {verdict} in setting {part.setting}: without any moves, up to {part.up_to} queries, the distance "
        f"differs by {number(part.mean, 3, signed=True)} on average, and by {number(part.largest, 3, signed=True)} at most, "
        f"at {part.at} queries (positive: higher); {NEAR} is reached {queries(part.queries_without, num_queries)} without "
        f"moves, {queries(part.queries_with, num_queries)} with them."
    )


def _build_alone(results: Results, data: str) -> str:
    """Return how near the published curve the loop without moves is: what the authors' sampler can have contributed."""
    alone: Sequence[str] = [
        f"{like.mean:.3f} on average and {number(like.largest, 3, signed=True)} at most, at {like.at} queries"
        for like in likenesses(results, data, 0)
        if like.strategy == ABLATED_STRATEGY
    ]
    if not alone:
        return ""
    what = "The authors' loop without any moves, BUILD alone,"
    return f"{what} differs from their published {ABLATED_STRATEGY} curve by {alone[0]}."

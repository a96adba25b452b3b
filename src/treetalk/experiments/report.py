"""The report: one HTML page that loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from treetalk import __version__
from treetalk.experiments.findings import findings, listed, summary
from treetalk.experiments.published import LINKAGE, PAPER
from treetalk.experiments.results import Results
from treetalk.experiments.tables import Cell, Table, curves_table, final_table, likeness_table, sampling_table
from treetalk.page import figure, page

SETTINGS = {
    "treetalk": "Our defaults: a start from average linkage, repairs that keep what they can of the tree, many moves of "
    "four kinds between queries, a summary of what was sampled is shown, and the scale is taken from the data. "
    "Its likelihood is that of another scale, and not to be compared with those of the other two.",
    "paper": "What the paper says: a random start, BUILD below the lowest node that holds a new triplet, 100 moves between "
    "queries, the last sample is shown and scored; the paper's scales, c = 1.",
    "authors": "The same with the query schemes of the authors' code, which made the published curves: simple draws an "
    "unused triplet of the target; random and smart look through all trees since the last query; active goes through its "
    "subsets until one has a violation; interleaved alternates active with smart.",
}
DIFFERENCES = (
    "The authors' iteration was a coin flip between a move that prunes and regrafts and a sweep over the values at the "
    "nodes; we integrate these values out, so all 100 iterations are moves.",
    "Their acceptance ratio is wrong: a stale cache of the likelihood spoils most ratios, by 21 nats in the median, the "
    "density of the reverse move ignores the triplets, their prior lacks the harmonic and factorial terms. Ours is exact.",
    "Some places that a subtree may go to can never be proposed in their code: 1 to 7 in a hundred.",
    "Without noise, equal rows have no density; the authors jittered the data instead, we have noise of 1e-4 of the scale.",
    "Iris has four features, not the five of which the paper speaks, and the paper's 150 images of MNIST are not known.",
    "In their code, which of two subtrees is scanned first hangs on how the tree came about; here it is drawn.",
    "The curves were read off figures, to about 0.01, and come from a random algorithm, as ours do.",
)


def report(results: Results, drawings: Mapping[str, str]) -> str:
    """Return the page; `drawings` has SVG text by name, and may lack any."""
    titles = {data: benchmark.title for data, benchmark in results.benchmarks.items()}
    links = " ".join(f'<a href="#{data}">{escape(title)}</a>' for data, title in titles.items())
    parts = [
        "<h1>Hierarchies found by asking</h1>",
        '<p class="lead">The experiments of Vikram and Dasgupta, '
        f'<a href="{PAPER}">Interactive Bayesian Hierarchical Clustering</a> (ICML 2016), '
        f"run by treetalk {escape(__version__)}.</p>",
        '<section class="summary" aria-label="Summary">',
        *(f"<p>{escape(paragraph)}</p>" for paragraph in summary(results)),
        "</section>",
        _table(final_table(results)),
        f'<nav aria-label="Data sets">{links}</nav>' if len(titles) > 1 else "",
        _how(results),
        *(_data_set(results, data, drawings) for data in results.benchmarks),
    ]
    return page("treetalk reproduce", parts)


def _how(results: Results) -> str:
    """Return what the settings are, and what differs from the code behind the published curves."""
    used = [setting for setting in SETTINGS if any(key[1] == setting for key in results.curves)]
    user = "A simulated user has the target in mind, and names a triplet of it that what is shown violates."
    parts = ["<h2>How it was run</h2>", f"<p>{user}</p>"]
    parts.append("<dl>")
    parts += [f"<dt><strong>{setting}</strong></dt><dd>{escape(SETTINGS[setting])}</dd>" for setting in used]
    parts.append("</dl>")
    if "authors" in used:
        parts.append(
            "<h3>What differs from the code that made the published curves (the share of each was not tested)</h3>"
        )
        parts.append("<ul>" + "".join(f"<li>{escape(difference)}</li>" for difference in DIFFERENCES) + "</ul>")
    read = [
        f"{benchmark.title} {LINKAGE[data]:.4f} (here {results.linkage[data]:.4f})"
        for data, benchmark in results.benchmarks.items()
        if data in LINKAGE
    ]
    if read:
        parts.append(
            f"<p>Average linkage was published too, and tells whether data are the same: {escape(listed(read))}.</p>"
        )
    return "\n".join(parts)


def _data_set(results: Results, data: str, drawings: Mapping[str, str]) -> str:
    benchmark = results.benchmarks[data]
    num_items, num_features = benchmark.X.shape
    parts = [
        f'<h2 id="{data}">{escape(benchmark.title)}</h2>',
        f'<p class="soft">{escape(benchmark.note)} {num_items} items, {num_features} features.</p>',
        "<ul>" + "".join(f"<li>{_stressed(finding)}</li>" for finding in findings(results, data)) + "</ul>",
    ]
    for setting in results.settings(data):
        parts.append(f"<h3>Setting {setting}</h3>")
        spread = (
            "Left: means of the runs, bands one standard deviation to both sides. Right: medians of the runs, smoothed "
            "over a twentieth of the queries, bands from the lowest run to the highest"
        )
        dots = "; dots are the published curves" if setting == "authors" and results.points(data, "none") else ""
        parts.append(
            _figure(drawings, f"{data}-{setting}", f"{benchmark.title}, setting {setting}", f"{spread}{dots}.")
        )
        parts.append(_table(curves_table(results, data, setting)))
    likeness = likeness_table(results, data)
    if likeness is not None:
        parts += ["<h3>Beside the published curves</h3>", _table(likeness)]
    sampling = sampling_table(results, data)
    if sampling is not None:
        caption = (
            "Interleaved queries: solid with moves, dashed without any; dots are the published curve, if there is one."
        )
        parts.append("<h3>What sampling contributes</h3>")
        parts.append(_figure(drawings, f"{data}-sampling", f"{benchmark.title}, what sampling contributes", caption))
        parts.append(_table(sampling))
    return "\n".join(parts)


def _stressed(finding: str) -> str:
    """Return a finding with what stands before the colon in bold."""
    lead, colon, rest = finding.partition(":")
    return f"<strong>{escape(lead)}:</strong>{escape(rest)}" if colon else escape(finding)


def _figure(drawings: Mapping[str, str], name: str, title: str, caption: str) -> str:
    if name not in drawings:
        return ""
    return figure(drawings[name], title, caption)


def _table(table: Table) -> str:
    header = "".join(f'<th scope="col">{escape(title)}</th>' for title in table.header)
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return (
        f'<p class="soft small">{escape(table.caption)}</p>\n<div class="scroll"><table>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _cell(cell: Cell) -> str:
    text, small = map(escape, cell)
    return f"<td>{text}{f'<small>{small}</small>' if small else ''}</td>"

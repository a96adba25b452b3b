"""Formulas as MathML, which browsers draw themselves: no script, no fonts, nothing from elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from latex2mathml.converter import convert

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

# LaTeX that pages may use although the converter has another word for it.
SAME = {r"\lvert": "|", r"\rvert": "|", r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\nicefrac": r"\frac"}
ALIGNED = re.compile(r"\\(begin|end)\{(?:align|aligned|gather|gathered|split)\*?\}")
NUMBERED = re.compile(r"\\(?:begin|end)\{equation\*?\}")


def mathml(latex: str, *, display: bool) -> str:
    """Return a formula as MathML; one that cannot be read is an error that names it."""
    text = latex.strip()
    for name, meaning in SAME.items():
        text = re.sub(re.escape(name) + r"(?![a-zA-Z])", lambda _, meaning=meaning: meaning, text)
    # The converter knows one environment for rows that are aligned; numbers of equations are Sphinx's.
    text = ALIGNED.sub(lambda found: rf"\{found[1]}{{align*}}", NUMBERED.sub("", text))
    if display and r"\\" in text and r"\begin" not in text:
        text = rf"\begin{{align*}}{text}\end{{align*}}"
    try:
        converted = convert(text, display="block" if display else "inline")
    except Exception as error:
        raise ValueError(f"the formula {latex.strip()!r} cannot be turned into MathML: {error!r}") from error
    unknown = re.search(r"<mi>(\\[a-zA-Z]+|&)</mi>", converted)
    if unknown:
        raise ValueError(f"the formula {latex.strip()!r} has {unknown[1]}, which MathML has no sign for here")
    return converted


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    from docutils.nodes import SkipNode

    translator.body.append(mathml(node.astext(), display=False))
    raise SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    from docutils.nodes import SkipNode

    number = node.get("number")
    translator.body.append(translator.starttag(node, "div", CLASS="formula", tabindex="0"))
    translator.body.append(mathml(node.astext(), display=True))
    if number is not None:
        translator.body.append(f'<span class="number">({number})</span>')
        translator.add_permalink_ref(node, "Link to this equation")
    translator.body.append("</div>\n")
    raise SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Pictures of hierarchies and of how sure they are, drawn with matplotlib (the extra ``plot``).

Each function draws into what it is given, or into a new figure, returns it, and shows nothing by itself::

    from treetalk import plots

    plots.dendrogram(session, colors=4)
    plots.disagreement(session).savefig("disagreement.pdf")
"""

from treetalk.plots.changes import before_after
from treetalk.plots.curves import answers_curve
from treetalk.plots.dendrograms import dendrogram
from treetalk.plots.diffusions import diffusion
from treetalk.plots.disagreements import disagreement
from treetalk.plots.facing import tanglegram
from treetalk.plots.tracing import traces

__all__ = ["answers_curve", "before_after", "dendrogram", "diffusion", "disagreement", "tanglegram", "traces"]

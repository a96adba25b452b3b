"""Trees that believe the features less, to see what the answers leave open.

Features seldom follow the model, so the posterior is too sure of itself: after some answers its draws hardly differ any
more, and what they agree about may still be wrong. Nothing then tells where to ask. So one more chain runs under a model
whose items are observed with so much noise that features only hint at who belongs together. Every answer holds for it as for
the others. Its trees, *loose draws*, are looked at to choose a question, and for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treetalk.models import DirichletDiffusion
from treetalk.snapshots import Snapshots

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treetalk.chain import Chain

MORE_NOISE = 1.0  # in units of the scale: as much as paths move from the root to the leaves
NUM_DRAWS = 30
KEY = 0  # of the random numbers; scouts, which have such keys too, begin at 1


class LooseChain:
    """A chain that sets out from where another one is, hears all that it hears, and believes the features less.

    Parameters
    ----------
    chain : Chain
        The other chain.
    X : array of shape (num_items, num_features)
        The data.
    """

    def __init__(self, chain: Chain, X: NDArray[np.float64]) -> None:
        self._X = X
        self._chain = chain.apart(KEY)

    def draws(self, chain: Chain, num_moves: int, most: int) -> Snapshots:
        """Return trees that it comes to by so many moves, at most so many, with all that was said to another chain."""
        self._chain.set_model(loosened(chain.model), self._X)
        self._chain.listen_to(chain)
        count = min(NUM_DRAWS, most)
        return Snapshots.of_recordings([self._chain.record([num_moves // count] * count)])


def loosened(model: DirichletDiffusion) -> DirichletDiffusion:
    """Return a model of some data that believes the features less."""
    assert not isinstance(model.noise, str)  # a chain's model has numbers
    noise = model.noise + MORE_NOISE
    return DirichletDiffusion(scale=model.scale, noise=noise, origin=model.origin, divergence=model.divergence)

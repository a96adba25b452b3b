"""Trees that believe the features less, to see what the answers leave open.

Features seldom follow the model, so the posterior is too sure of itself: after some answers its draws hardly differ any
more, and what they agree about may still be wrong. Nothing then tells where to ask. So one more chain runs under a model
whose items are observed with so much noise that features only hint at who belongs together. Every answer holds for it as for
the others. Its trees, *loose draws*, are looked at to choose a question, and for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treetalk.snapshots import Snapshots

if TYPE_CHECKING:
    from treetalk.chain import Chain

MORE_NOISE = 1.0  # in units of the scale: as much as paths move from the root to the leaves
NUM_DRAWS = 30
KEY = 0  # of the random numbers; scouts, which have such keys too, begin at 1


class LooseChain:
    """A chain that sets out from where another one is, hears all that it hears, and believes the features less."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain.apart(KEY)
        noise = chain.model.noise
        assert not isinstance(noise, str)  # a chain's model has numbers
        self._chain.set_noise(noise + MORE_NOISE)

    def draws(self, chain: Chain, num_moves: int, most: int) -> Snapshots:
        """Return trees that it comes to by so many moves, at most so many, with all that was said to another chain."""
        self._chain.listen_to(chain)
        count = min(NUM_DRAWS, most)
        return Snapshots.of_recordings([self._chain.record([num_moves // count] * count)])

"""The posterior as a session holds it: one tree for many, how sure it is of something, and whether to trust it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk import diagnostics, summary
from treetalk.arguments import Items, as_leaves, as_rows, as_triplets
from treetalk.classes import MOST_ITEMS, Classes, classes_of
from treetalk.heard import calls_alike, sorts
from treetalk.locking import alone
from treetalk.presuming import CERTAIN
from treetalk.repair import repair
from treetalk.resuming import Resumable
from treetalk.snapshots import Snapshots
from treetalk.state import diffusion_ages
from treetalk.strategies import SUBSET_SIZE
from treetalk.telling import Likeness, weight_of_answers
from treetalk.tree import Tree
from treetalk.unsaid import MOST_PIECES, Piece
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray


FEATURES_TELL_NOTHING = 0.5  # the weight of draws of classes from which on they are not to be borne out by trees


class Posterior(Resumable):
    """What can be learnt from the recent draws of a session's chains."""

    _X: NDArray[np.float64]
    _classes: tuple[int, Classes] | None  # after how many answers, and the draws
    _likeness: Likeness | None

    @property
    def X(self) -> NDArray[np.float64]:
        """The features, a row for each item."""
        return self._X

    @property
    def items(self) -> Items | None:
        """The names of the items."""
        return self._chains[0].items

    @property
    def num_items(self) -> int:
        """The number of items."""
        return self._chains[0].num_items

    @property
    def num_moves(self) -> int:
        """The moves of each chain between two queries."""
        return self._setting.moves_between(self.num_items)

    @property
    def _moves_so_far(self) -> int:
        """The moves of each chain from query to query so far, at most the setting's: so many do copies of it make."""
        made = sum(counts.tried for counts in self._chains[0].info.values())
        return min(self.num_moves, made // max(self._num_asked, 1))

    @property
    @alone
    def tree(self) -> Tree:
        """The hierarchy as it is now, with the support of each clade: a summary of recent draws, not one of them.

        In the "paper" setting it is the last draw.
        """
        if self._tree is None:
            if self._setting.summarises:
                draws = self._snapshots, self._all_in_force
                self._tree = summary.central_tree(*draws, items=self.items, classes=self.classes, pieces=self.pieces)
            else:
                self._tree = self._chains[0].tree
        return self._tree

    @property
    @alone
    def pieces(self) -> tuple[Piece, ...]:
        """What was shown and something may have been left unsaid of, the latest; see `treetalk.unsaid`."""
        return self._pieces[-MOST_PIECES:]

    @property
    @alone
    def classes(self) -> Classes | None:
        """Draws of who is of one class with whom, if the answers are those of someone with many classes in mind.

        Then the `tree` goes by them too: the less the features tell, the more. See `treetalk.classes`.
        """
        if not (self._setting.presumes and self._flatness >= CERTAIN):
            return None
        draws = self._class_draws()
        if draws is None or not draws.are_many(SUBSET_SIZE):
            return None
        # Trees bear witness only if the features that they are made of tell something.
        return draws if self._is_borne_out or draws.weight > FEATURES_TELL_NOTHING else None

    def _class_draws(self) -> Classes | None:
        """Return draws of who is of one class with whom, the same ones until something is said.

        None of very many items; and none as long as nobody has said that there are classes, by calling items all alike or by
        sorting them. Corrections and what is accepted look alike, be it that there are many classes, or a hierarchy.
        """
        if self.num_items > MOST_ITEMS or not (calls_alike(self._heard) or sorts(self._heard)):
            return None
        if self._classes is None or self._classes[0] != len(self._ledger.entries):
            triplets = self._chains[0].triplets
            draws = classes_of(triplets, self._heard, self.num_items)
            # Who sorts a piece names everyone in it, and not just whom the tree has wrong.
            likeness = self._compared.within(draws.labels, triplets[:0] if draws.are_sorted else triplets)
            self._classes = len(self._ledger.entries), draws._replace(weight=weight_of_answers(likeness))
        return self._classes[1]

    @property
    def _compared(self) -> Likeness:
        """How much alike two items are."""
        if self._likeness is None:
            self._likeness = Likeness(self._X, np.asarray(self._columns.model.scale))
        return self._likeness

    @alone
    def stand_in(self, tree: Tree) -> Tree:
        """Let a tree stand in for the summary of the draws until they change again, and return it as it is then.

        The summary of many large trees takes a while. Whoever cannot wait shows the last one, or makes one elsewhere, from
        `snapshots`, which never change: here it is brought in line with the answers in force. Then it has no support.
        """
        needed = self._all_in_force
        if not tree.satisfies(needed).all():
            parent, ages = repair(tree.parent, diffusion_ages(tree), needed)
            tree = Tree(parent, age=ages, items=self.items)
        self._tree = tree
        return tree

    @alone
    def consensus(self, kind: str = "majority") -> Tree:
        """Return another summary of recent draws: "majority" rule, or maximum clade "credible".

        See `treetalk.summary`. Both satisfy every answer in force.
        """
        kinds = {"majority": summary.majority_tree, "credible": summary.credible_tree}
        if not isinstance(kind, str) or kind not in kinds:
            raise ValueError(f'kind must be "majority" or "credible", not {kind!r}')
        return kinds[kind](self._snapshots, self._all_in_force, items=self.items)

    @property
    @alone
    def snapshots(self) -> Snapshots:
        """Recent trees of the chains as arrays, and which of them are draws under all answers in force."""
        return self._snapshots

    @property
    @alone
    def comparable(self) -> Snapshots:
        """The `snapshots` with densities that can be compared: answers change for how much columns count."""
        return self._snapshots.under(self._model, self._X) if self._setting.weighs_columns else self._snapshots

    @property
    @alone
    def samples(self) -> list[Tree]:
        """Recent trees of the chains, oldest first; each satisfies every answer in force."""
        return [self._snapshots.tree(i, self.items) for i in range(len(self._snapshots))]

    @property
    @alone
    def parents(self) -> NDArray[np.int32]:
        """The parent arrays of these trees, one row each."""
        return self._snapshots.parents

    @alone
    def support(self, triplet: Sequence[int | str]) -> float:
        """Return the posterior probability of a triplet (a, b, c), as the share of recent draws that satisfy it."""
        one = as_triplets(np.array(as_rows(triplet), dtype=object), self.num_items, self.items)
        return float(self._snapshots.draws().share_of(one)[0])

    @alone
    def clade_support(self, leaves: Iterable[object]) -> float:
        """Return the posterior probability that some items, given by number or name, are a clade."""
        chosen = as_leaves(leaves, self.num_items, self.items)
        return self._snapshots.draws().frequency_of_clade(chosen)

    @property
    @alone
    def column_weights(self) -> NDArray[np.float64]:
        """For how many columns each column of X counts, as far as the answers tell; 0 for one that never varies.

        The mean over those that vary is 1. See `treetalk.columns`.
        """
        return self._columns.of_features(self._weights)

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the data given the chains' current trees, on average over the chains."""
        return float(np.mean([chain.log_likelihood for chain in self._chains]))

    @property
    def log_posterior(self) -> float:
        """The log posterior density of the chains' current trees, on average over the chains."""
        return float(np.mean([chain.log_posterior for chain in self._chains]))

    @alone
    def _as_html(self, tree: Tree, num_answers: int, name: str) -> str:
        """Return how a notebook shows the hierarchy: how far it is, how to go on, and a drawing."""
        from treetalk.formats import svg

        num_draws = self._snapshots.num_draws
        if not num_draws:
            # Then the tree stands for itself alone, and nothing is known of how sure it is.
            tree = Tree(tree.parent, items=tree.items, names=tree.names)
        sampled = [counted(num_draws, "draw"), svg.mean_support(tree)] if num_draws else ["nothing was sampled yet"]
        facts = [
            counted(self.num_items, "item"),
            counted(num_answers, "answer"),
            f"{counted(len(self._chains[0].triplets), 'triplet')} in force",
            *sampled,
        ]
        hint = f"To answer questions about it: treetalk.notebook.talk({name})"
        return svg.as_html(svg.to_svg(tree), " · ".join(fact for fact in facts if fact), hint)

    @alone
    def diagnose(self) -> diagnostics.Diagnosis:
        """Return whether the recent draws can be trusted; its `sentence` says it in words."""
        return diagnosis_of(self.comparable, len(self._chains))

    @alone
    def to_arviz(self) -> Any:
        """Return the recent draws for ArviZ: log densities, and which clades are there."""
        from treetalk.arviz import to_arviz

        trees, densities = _draws(self.comparable, len(self._chains))
        return to_arviz(trees, densities.sum(axis=2), densities[:, :, 1], densities[:, :, 0])


def diagnosis_of(snapshots: Snapshots, num_chains: int) -> diagnostics.Diagnosis:
    """Return whether the draws among some snapshots can be trusted."""
    trees, densities = _draws(snapshots, num_chains)
    return diagnostics.diagnose(trees, densities.sum(axis=2))


def _draws(snapshots: Snapshots, num_chains: int) -> tuple[list[list[Tree]], NDArray[np.float64]]:
    """Return the draws of each chain, as many of each, and their log prior and likelihood."""
    rows = snapshots.draws_by_chain(num_chains)
    return [[snapshots.tree(i) for i in each] for each in rows.tolist()], snapshots.densities[rows]

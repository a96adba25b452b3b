"""Samplers that are broken on purpose: one textual replacement each, and the tests that are to find it."""

from typing import NamedTuple


class Selection(NamedTuple):
    """Some tests, and the environment that they run in."""

    tests: list[str]
    environment: dict[str, str]


class Mutant(NamedTuple):
    """A sampler with one mistake."""

    name: str
    file: str  # of _kernels
    old: str  # occurs once in it
    new: str
    found_by: str  # one of SELECTIONS


def draws(move: str, *cases: str) -> list[str]:
    return [f"tests/test_exactness.py::test_draws_have_the_exact_distribution[{case}-{move}]" for case in cases]


def many_draws(move: str, case: str) -> list[str]:
    return [f"verify/test_exactness_thoroughly.py::test_many_draws_have_the_exact_distribution[{case}-{move}]"]


COMPILED: dict[str, str] = {}
AS_PYTHON = {"NUMBA_DISABLE_JIT": "1"}
# Wrong mrcas and sizes lead beyond the ends of arrays.
WITH_BOUNDSCHECK = {"NUMBA_BOUNDSCHECK": "1"}
FREE = ("four, prior", "four, data")
BOUND = ("four, data, a triplet", "four, data, two triplets")
SELECTIONS = {
    "walk": Selection(draws("walk", *FREE), COMPILED),
    "guided": Selection(draws("guided", *FREE), COMPILED),
    "local": Selection(draws("local", *FREE), COMPILED),
    "times": Selection(
        ["tests/test_exactness.py::test_times_alone_have_the_exact_distribution_given_the_topology"], COMPILED
    ),
    "walk, triplets": Selection(draws("walk", *BOUND), COMPILED),
    "closeness": Selection(
        ["tests/test_exactness.py::test_six_leaves_have_pairs_as_close_as_they_should_be"], COMPILED
    ),
    "closeness, weights": Selection(
        ["tests/test_exactness.py::test_six_leaves_have_pairs_as_close_as_their_groups_ask_for"], COMPILED
    ),
    "presumed": Selection(
        ["tests/test_exactness.py::test_six_leaves_have_what_is_presumed_and_closeness_is_of_what_was_said"], COMPILED
    ),
    "closeness, counting": Selection(
        ["tests/test_regrafting.py::test_the_change_of_the_factor_is_what_counting_before_and_after_gives"], AS_PYTHON
    ),
    "unsaid": Selection(
        ["tests/test_exactness.py::test_six_leaves_differ_from_what_was_shown_as_they_should"], COMPILED
    ),
    "classes": Selection(["tests/test_classes.py::test_draws_of_classes_have_the_exact_distribution"], COMPILED),
    "columns": Selection(
        ["tests/test_exactness.py::test_draws_have_the_exact_distribution_where_columns_count_for_more_or_less"],
        COMPILED,
    ),
    "weights of columns": Selection(
        [
            "tests/test_columns.py::test_density_and_gradient_are_those_of_the_definition",
            "tests/test_columns.py::test_how_likely_a_deviation_makes_the_answers_is_nearly_what_quadrature_says",
        ],
        COMPILED,
    ),
    "unsaid, counting": Selection(
        ["tests/test_unsaid.py::test_the_change_of_the_factor_is_what_counting_before_and_after_gives"], AS_PYTHON
    ),
    "unsaid, said": Selection(["tests/test_unsaid.py::test_what_was_said_is_not_counted"], COMPILED),
    "walk, bounds": Selection(draws("walk", "four, data"), WITH_BOUNDSCHECK),
    "walk, triplets, bounds": Selection(draws("walk", *BOUND), WITH_BOUNDSCHECK),
    # Mistakes that 6,000 draws on four leaves do not show.
    "many draws": Selection(many_draws("local", "four, prior"), COMPILED),
    "scratch": Selection(
        ["verify/test_scratch.py::test_a_chain_with_spoilt_scratch_arrays_goes_the_same_way[local-free]"], COMPILED
    ),
    "region": Selection(["tests/test_region.py::test_the_region_is_what_trying_every_edge_finds"], AS_PYTHON),
    "prior": Selection(["tests/test_models.py::test_the_log_prior_is_the_product_over_nodes"], AS_PYTHON),
    "likelihood": Selection(["tests/test_models.py::test_the_log_likelihood_is_that_of_a_dense_normal"], AS_PYTHON),
}

MUTANTS = [
    # The walk: its density, and the prior's.
    Mutant(
        "walk: a forced edge not normalised",
        "walk.py",
        "log_norm = log_certain(most)",
        "log_norm = 0.0",
        "walk, triplets",
    ),
    Mutant(
        "walk: the old forced edge not normalised",
        "walk.py",
        "log_norm = log_certain((min(rows[path[0], HAZARD], rows[cut.s, HAZARD]) - above) / n)",
        "log_norm = 0.0",
        "walk, triplets",
    ),
    Mutant("walk: sign of the waiting time", "walk.py", "(waited - old_waited)", "(old_waited - waited)", "walk"),
    Mutant(
        "walk: slope of the prior, H_{n+k} - H_n",
        "walk.py",
        "slope = harmonic[n + k - 1] - harmonic[n - 1]",
        "slope = harmonic[n + k] - harmonic[n]",
        "walk",
    ),
    Mutant("walk: H_k for H_{k-1}", "walk.py", "harmonic[k - 1]", "harmonic[k]", "walk"),
    # The guided walk.
    Mutant("guided: sign of the choices", "guide.py", "log_old - log_new)", "log_new - log_old)", "guided"),
    Mutant("guided: the old choices left out", "guide.py", "log_old - log_new)", "-log_new)", "guided"),
    Mutant(
        "guided: the old stop left out",
        "guide.py",
        "            if j == 0:\n                log_old += math.log(choices.stop)",
        "            if j == 0:\n                log_old += 0.0",
        "guided",
    ),
    Mutant(
        "guided: the old age left out",
        "guide.py",
        "log_ratio += log_density_of_age(",
        "log_ratio += 0.0 * log_density_of_age(",
        "guided",
    ),
    Mutant("guided: ages not normalised", "guide.py", "(width * share * spread)", "(width * spread)", "guided"),
    Mutant(
        "guided, local: a twentieth of ages not normalised",
        "guide.py",
        "    waiting -= log_certain(most_rise(state, cut, edge) / edge.size)\n",
        "",
        "many draws",
    ),
    Mutant(
        "guided, local: H_k for H_{k-1}",
        "guide.py",
        "log_ratio += (hazard - rows[cut.p, HAZARD]) * harmonic[k - 1]",
        "log_ratio += (hazard - rows[cut.p, HAZARD]) * harmonic[k]",
        "guided",
    ),
    # The local regraft.
    Mutant(
        "local: the way back not normalised",
        "local.py",
        "math.log(weigh(old_edge.score, edge.score) / chosen.total)",
        "math.log(weigh(old_edge.score, edge.score))",
        "local",
    ),
    Mutant(
        "local: the way there not normalised",
        "local.py",
        "math.log(chosen.weight / chosen.total)",
        "math.log(chosen.weight)",
        "local",
    ),
    Mutant(
        "local: places without a way back",
        "local.py",
        "return beside(state, cut, spot)",
        "return left_below(state, beside(state, cut, spot))",
        "local",
    ),
    Mutant("local: messages two nodes up not lifted", "local.py", "min(cut.top, 2)", "min(cut.top, 1)", "scratch"),
    # What all regrafts share.
    Mutant("regraft: half of the likelihood's change", "prune.py", "return -0.5 * ((", "return -0.25 * ((", "walk"),
    Mutant("regraft: the old messages kept", "prune.py", "rows[w, j] = rows[room + i, j]", "pass", "walk"),
    Mutant("regraft: the proposal ignored", "chain.py", "if not log_ratio + change >= ", "if not change >= ", "walk"),
    Mutant(
        "regraft: sizes kept where the subtree was",
        "prune.py",
        "links[path[i], SIZE] = np.int64(links[path[i], SIZE]) - cut.size",
        "pass",
        "walk, bounds",
    ),
    # Times.
    Mutant(
        "times: no Jacobian",
        "times.py",
        "- hazard * conditional.exponent + y",
        "- hazard * conditional.exponent",
        "times",
    ),
    Mutant(
        "times: H_{l+r-1} for J",
        "times.py",
        "harmonic[left_size + right_size - 1] - harmonic[left_size - 1] - harmonic[right_size - 1]",
        "harmonic[left_size + right_size - 1]",
        "times",
    ),
    Mutant(
        "times: message from above as at its parent",
        "times.py",
        "above = above_variance + rows[links[v, PARENT], AGE] - rows[v, AGE]",
        "above = above_variance",
        "times",
    ),
    # Densities.
    Mutant(
        "prior: H_size for H_{size-1}",
        "state.py",
        "state.harmonic[np.int64(links[v, SIZE]) - 1]",
        "state.harmonic[np.int64(links[v, SIZE])]",
        "prior",
    ),
    Mutant(
        "likelihood: no motion along the stem",
        "state.py",
        "spread = rows[root, VARIANCE] + (1.0 - root_age)",
        "spread = rows[root, VARIANCE]",
        "likelihood",
    ),
    # Triplets.
    Mutant("region: nothing banned", "region.py", "marks[triplets[row, LOW]] = now", "pass", "region"),
    Mutant("region: no must", "region.py", " deepest = m\n", " pass\n", "region"),
    Mutant(
        "region: the shallowest must",
        "region.py",
        "if rows[m, AGE] < rows[deepest, AGE]:",
        "if deepest == path[last + 1] or rows[m, AGE] > rows[deepest, AGE]:",
        "region",
    ),
    Mutant(
        "mrcas: that of a and b not found again",
        "prune.py",
        "triplets[row, LOW] = mrca_by_age(links, rows, cut.p, other)",
        "pass",
        "walk, triplets, bounds",
    ),
    Mutant(
        "mrcas: that of all three not found again with c",
        "prune.py",
        "triplets[row, TOP] = mrca_by_age(links, rows, cut.p, a)",
        "pass",
        "walk, triplets, bounds",
    ),
    Mutant(
        "mrcas: that of all three not found again with a and b",
        "prune.py",
        "triplets[row, TOP] = mrca_by_age(links, rows, cut.p, c)",
        "pass",
        "walk, triplets, bounds",
    ),
    # The sizes of the clades in which pairs meet.
    Mutant(
        "closeness: sign",
        "chain.py",
        "change -= state.closeness[0]",
        "change += state.closeness[0]",
        "closeness",
    ),
    Mutant(
        "closeness: nodes that lose the subtree left out",
        "closeness.py",
        "math.log((size - k) / size)",
        "0.0",
        "closeness",
    ),
    Mutant(
        "closeness: the node where both ways meet counted as gaining",
        "closeness.py",
        "(w != join or place.j == 0)",
        "True",
        "closeness, counting",
    ),
    Mutant(
        "closeness: pairs that meet elsewhere left out",
        "closeness.py",
        "total += weight * math.log(size_of_meeting(state, cut, place, other) / np.int64(links[low, SIZE]))",
        "total += 0.0 * size_of_meeting(state, cut, place, other)",
        "closeness",
    ),
    Mutant(
        "closeness: a pair that meets elsewhere counted once, whatever it weighs",
        "closeness.py",
        "total += weight * math.log(size_of_meeting(",
        "total += 64 * math.log(size_of_meeting(",
        "closeness, weights",
    ),
    Mutant(
        "closeness: each pair of a group weighs as much as a link",
        "../groups.py",
        "of_a_link * num_links / num_pairs",
        "of_a_link",
        "closeness, weights",
    ),
    # What was shown and left unsaid.
    Mutant(
        "unsaid: the second stage left out",
        "chain.py",
        "if not -state.shown.weight[0] * more >= -exponential(state.rng):",
        "if state.shown.weight[0] < 0.0:",
        "unsaid",
    ),
    Mutant(
        "unsaid: sign",
        "chain.py",
        "if not -state.shown.weight[0] * more >=",
        "if not state.shown.weight[0] * more >=",
        "unsaid",
    ),
    Mutant(
        "unsaid: those below a place on the path, taken to meet where they did",
        "unsaid.py",
        "after = place.age\n        elif",
        "after = before\n        elif",
        "unsaid, counting",
    ),
    Mutant(
        "unsaid: those at the old place, taken to meet where they did",
        "unsaid.py",
        "after = highest",
        "after = before",
        "unsaid, counting",
    ),
    Mutant(
        "unsaid: what a move changes is not kept",
        "unsaid.py",
        "state.shown.num_unsaid[state.shown.changed[i]] += state.shown.changes[i]",
        "pass",
        "unsaid",
    ),
    Mutant(
        "unsaid: what was said counts",
        "../unsaid.py",
        "num_said[i] = _num_otherwise(piece, sizes[i])",
        "num_said[i] = 0",
        "unsaid, said",
    ),
    # Who is of one class with whom.
    Mutant(
        "classes: one more class as if the group were not there",
        "partitions.py",
        "(single + num_items - num_classes - 1)",
        "(single + num_items - num_classes)",
        "classes",
    ),
    Mutant(
        "classes: a group as if it were one item",
        "partitions.py",
        "log_factorials[counts[k] + size] - log_factorials[counts[k]]",
        "log_factorials[counts[k] + 1] - log_factorials[counts[k]]",
        "classes",
    ),
    Mutant(
        "classes: hints count for half",
        "partitions.py",
        "scores[classes[others[e]]] += weights[e]",
        "scores[classes[others[e]]] += 0.5 * weights[e]",
        "classes",
    ),
    # For how many columns each column counts.
    Mutant(
        "columns: more for less",
        "../columns.py",
        "scale[scale > 0] /= weights",
        "scale[scale > 0] *= weights",
        "columns",
    ),
    Mutant(
        "columns: no volume of the likeliest weights",
        "../columns.py",
        "-float(found.fun) - 0.5 *",
        "-float(found.fun) - 0.0 *",
        "weights of columns",
    ),
    Mutant(
        "columns: margins that vary no more or less with the weights",
        "columns.py",
        "by_weight[d] -= along",
        "by_weight[d] -= 0.0 * along",
        "weights of columns",
    ),
    # What answers imply for flat classes.
    Mutant(
        "presumed: weighs as much as what was said",
        "../state.py",
        "table[:, kernels.WEIGHT] = 0",
        "table[:, kernels.WEIGHT] = kernels.UNITS",
        "presumed",
    ),
    Mutant(
        "presumed: only one way round",
        "../presuming.py",
        "np.concatenate([apart, apart[:, ::-1]])",
        "apart",
        "presumed",
    ),
]

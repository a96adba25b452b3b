"""How likely answers are for weights of columns, and how that changes with the weights; see `treetalk.columns`."""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel, part

STEEPNESS = 1.7  # the logistic function is then next to the distribution function of a standard normal


@part
def set_products(table: Any, column: Any, out: Any) -> None:
    """Set a column to the product of a table with another one."""
    for i in range(table.shape[0]):
        total = 0.0
        for d in range(table.shape[1]):
            total += table[i, d] * column[d]
        out[i] = total


@kernel
def scores(margins: Any, spread: Any, root: Any, x: Any, weights: Any, varying: Any, out: Any) -> float:
    """Set the weights, the margins of random triples, and the score of each triplet; return the deviation of the margins.

    Logs of the weights are the product of `root` and `x`, but for a constant that makes the weights 1 on average.
    """
    set_products(root, x, weights)
    largest = weights.max()
    total = 0.0
    for d in range(x.size):
        weights[d] = math.exp(weights[d] - largest)
        total += weights[d]
    for d in range(x.size):
        weights[d] *= x.size / total
    set_products(spread, weights, varying)
    set_products(margins, weights, out)
    variance = 1e-300
    for i in range(varying.size):
        variance += varying[i] * varying[i]
    deviation = math.sqrt(variance)
    for t in range(out.size):
        out[t] *= STEEPNESS / deviation
    return deviation


@kernel
def loss(margins: Any, shares: Any, spread: Any, root: Any, x: Any, gradient: Any) -> float:
    """Return minus the log of the density of weights and answers, but for a constant, and set its gradient."""
    num_columns = x.size
    weights, varying, score = np.empty(num_columns), np.empty(spread.shape[0]), np.empty(margins.shape[0])
    deviation = scores(margins, spread, root, x, weights, varying, score)
    by_weight = np.zeros(num_columns)
    result, along = 0.0, 0.0
    for t in range(score.size):
        # log(1 + exp(-score)), and minus its derivative
        result += shares[t] * (max(-score[t], 0.0) + math.log1p(math.exp(-abs(score[t]))))
        slope = shares[t] / (1.0 + math.exp(min(score[t], 700.0)))
        along += slope * score[t]
        for d in range(num_columns):
            by_weight[d] += slope * STEEPNESS / deviation * margins[t, d]
    for i in range(varying.size):
        for d in range(num_columns):
            by_weight[d] -= along * varying[i] * spread[i, d] / (deviation * deviation)
    for d in range(num_columns):
        result += 0.5 * x[d] * x[d]
        gradient[d] = x[d]
    # That all weights are divided by their mean changes no score.
    for d in range(num_columns):
        for e in range(num_columns):
            gradient[e] -= root[d, e] * weights[d] * by_weight[d]
    return result

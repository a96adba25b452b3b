"""The estimator's chains on a Dask cluster go the way they go on threads, to the last bit. No statistics, so no level."""

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris

from treetalk.estimator import InteractiveClustering

distributed = pytest.importorskip(
    "distributed", reason="Dask's distributed is not installed: pip install 'dask[distributed]'"
)

TRIPLETS = [(0, 60, 120), (70, 110, 20)]


def fitted() -> InteractiveClustering:
    estimator = InteractiveClustering(3, n_chains=4, n_moves=5_000, n_draws=10, n_jobs=2)
    X = load_iris().data
    return estimator.fit(X, triplets=TRIPLETS[:1]).partial_fit(triplets=TRIPLETS[1:])


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_dask_cluster_gives_the_same_result_as_threads(cluster, report):
    here = fitted()
    with joblib.parallel_config("dask"):
        there = fitted()
    assert there.tree_ == here.tree_
    assert np.array_equal(there.distances_, here.distances_)
    assert np.array_equal(there.labels_, here.labels_)
    X = load_iris().data[::10]
    assert np.array_equal(there.transform(X), here.transform(X))
    executed = cluster.run(lambda dask_worker: dask_worker.state.executed_count)
    assert all(count > 0 for count in executed.values())
    report(f"Dask: {len(executed)} workers, processes of their own, gave the same hierarchies as threads")

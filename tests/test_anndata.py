"""AnnData objects and .h5ad files."""

import numpy as np
import pandas
import pytest

from commands import invoke
from treetalk import Chain, FormatError, Project, Session, open_project
from treetalk.importing import Options, from_anndata, import_source

anndata = pytest.importorskip("anndata", reason="anndata is not installed, or not for this version of pandas")
sparse = pytest.importorskip("scipy.sparse")

NUM_CELLS, NUM_GENES = 12, 8
CELLS = [f"cell {row}" for row in range(NUM_CELLS)]
RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(3, size=(NUM_CELLS, NUM_GENES)).astype(float)
REDUCED = RNG.normal(size=(NUM_CELLS, 3))


@pytest.fixture
def adata():
    made = anndata.AnnData(
        X=COUNTS.copy(),
        obs=pandas.DataFrame(
            {"n_counts": np.arange(NUM_CELLS), "louvain": pandas.Categorical(["a", "b"] * (NUM_CELLS // 2))},
            index=CELLS,
        ),
        var=pandas.DataFrame(index=[f"gene {column}" for column in range(NUM_GENES)]),
    )
    made.obsm["X_pca"] = REDUCED.copy()
    made.layers["log"] = np.log1p(COUNTS)
    return made


def test_the_observations_are_the_items(adata):
    X, items = from_anndata(adata)
    assert X.tolist() == COUNTS.tolist()
    assert items == CELLS
    assert from_anndata(adata, obsm="X_pca")[0].tolist() == REDUCED.tolist()
    assert from_anndata(adata, layer="log")[0].tolist() == np.log1p(COUNTS).tolist()


def test_sessions_chains_and_projects_take_an_object_as_it_is(adata, tmp_path):
    assert Session(adata).items == tuple(CELLS)
    assert Chain(adata, [("cell 0", "cell 1", "cell 2")]).tree.num_leaves == NUM_CELLS
    with Project.create(tmp_path / "p.treetalk", adata) as project:
        assert project.items == tuple(CELLS)
        assert project.feature_names[0] == "gene 0"


def test_a_sparse_matrix_is_made_dense(adata):
    adata.X = sparse.csr_matrix(COUNTS)
    assert from_anndata(adata)[0].tolist() == COUNTS.tolist()


def test_a_matrix_that_is_too_wide_is_refused_with_what_to_use_instead():
    wide = anndata.AnnData(X=sparse.csr_matrix((5, 20_000)))
    with pytest.raises(ValueError, match=r"in obsm there is nothing\): .*obsm='X_pca'\), after scanpy.pp.pca"):
        Session(wide)
    wide.obsm["X_umap"] = np.ones((5, 2))
    with pytest.raises(ValueError, match=r"5 rows and 20000 columns.*from_anndata\(adata, obsm='X_umap'\)$"):
        Session(wide)


def test_names_that_occur_twice_are_refused(adata, tmp_path):
    adata.obs_names = ["same"] * NUM_CELLS
    adata.write_h5ad(tmp_path / "cells.h5ad")
    for take in (Session, from_anndata):
        with pytest.raises(ValueError, match="the label of row 1, 'same', is that of another row too"):
            take(adata)
    with (
        pytest.warns(UserWarning, match="Observation names are not unique"),
        pytest.raises(FormatError, match="'same'"),
    ):
        import_source(tmp_path / "cells.h5ad")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"obsm": "X_tsne"}, "there is no 'X_tsne' in obsm; there is 'X_pca'"),
        ({"layer": "raw"}, "there is no layer 'raw'; the layers are: 'log'"),
        ({"layer": "log", "obsm": "X_pca"}, "the features are a layer or an obsm, not both"),
    ],
)
def test_a_matrix_that_is_not_there_is_named_with_those_that_are(adata, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        from_anndata(adata, **options)


def test_a_file_is_imported_with_what_is_known_about_the_cells_beside_it(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    imported = import_source(tmp_path / "cells.h5ad", Options(obsm="X_pca"))
    assert imported.items == tuple(CELLS)
    assert imported.X.shape == (NUM_CELLS, 3)
    assert imported.more[3] == {"n_counts": 3, "louvain": "b"}
    assert [column.role for column in imported.columns] == ["id", "embedding", "aside", "aside"]
    assert np.allclose(imported.recipe.transform(tmp_path / "cells.h5ad")[1], imported.X)


def test_a_column_about_the_cells_is_a_feature_if_it_is_asked_for(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    imported = import_source(tmp_path / "cells.h5ad", Options(obsm="X_pca", features=("X_pca", "louvain")))
    assert imported.X.shape[1] > 3


def test_the_command_makes_a_project_of_a_file(adata, tmp_path, capsys):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    done = invoke(capsys, "new", tmp_path / "p.treetalk", tmp_path / "cells.h5ad", "--obsm", "X_pca")
    assert done.code == 0, done.said
    assert "12 observations, 3 columns in X_pca" in done.printed
    with open_project(tmp_path / "p.treetalk") as project:
        assert project.items == tuple(CELLS)


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "cells.h5ad").write_text("no cells")
    with pytest.raises(FormatError, match=r"cells.h5ad: this is no .h5ad file"):
        import_source(tmp_path / "cells.h5ad")


def test_something_else_is_no_anndata_object():
    with pytest.raises(TypeError, match="an AnnData object is needed, not ndarray"):
        from_anndata(COUNTS)

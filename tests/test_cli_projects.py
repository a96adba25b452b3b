"""Whole stories with the installed command: from a file of each kind to a hierarchy, in a real terminal."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np
import pexpect
import pytest
from PIL import Image

from commands import COMMAND, run
from treetalk import Project, Tree, datasets, open_project

pytestmark = pytest.mark.large

TABLE = Path(datasets.__file__).parent / "animals.csv"
TARGET = TABLE.with_suffix(".nwk")
DOWN, ENTER, SPACE, CTRL_C = "\x1b[B", "\r", " ", "\x03"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A project of the built-in animals."""
    path = tmp_path_factory.mktemp("made") / "zoo.treetalk"
    result = run("new", str(path), str(TABLE))
    assert result.returncode == 0, result.stderr
    ways = f"treetalk serve {path} asks you in the browser, treetalk ask {path} in the terminal"
    assert result.stderr == f"Next: {ways}.\n"
    return path


def spawn(*arguments: object, columns: int = 80, **environment: str) -> pexpect.spawn:
    """The command in a terminal of its own."""
    return pexpect.spawn(
        str(COMMAND),
        [str(argument) for argument in arguments],
        env=os.environ | {"TERM": "xterm-256color"} | environment,
        encoding="utf-8",
        dimensions=(40, columns),
        timeout=60,
    )


# --- new, from files of every kind


def animals_as(kind: str, folder: Path) -> Path:
    """The animals in a file of another kind."""
    import pandas as pd

    frame = pd.read_csv(TABLE)
    path = folder / f"animals.{kind}"
    numbers = frame.select_dtypes("number").to_numpy(float)
    if kind == "tsv":
        frame.to_csv(path, sep="\t", index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind == "xlsx":
        frame.to_excel(path, index=False)
    elif kind == "npy":
        np.save(path, numbers)
    else:
        np.savez(path, X=numbers, name=frame.iloc[:, 0].to_numpy(str))
    return path


@pytest.mark.parametrize("kind", ["tsv", "parquet", "xlsx", "npy", "npz"])
def test_a_project_is_made_from_a_table_or_a_matrix_and_taken_away_as_newick(kind, tmp_path, treetalk):
    path = tmp_path / "zoo.treetalk"
    result = treetalk("new", path, animals_as(kind, tmp_path), "--json")
    assert result.code == 0, result.said
    said = json.loads(result.printed)
    assert said["num_items"] == 101
    assert said["num_features"] >= 16
    exported = treetalk("export", path, "--format", "newick")
    names = {"0", "100"} if kind == "npy" else {"lion", "tuna"}
    assert names <= set(Tree.from_newick(exported.printed).items)


def test_a_folder_of_texts_becomes_a_hierarchy_of_documents(tmp_path, treetalk):
    folder = tmp_path / "notes"
    folder.mkdir()
    subjects = {
        "sea": "fish swim in the salt sea with waves and tides",
        "sky": "birds fly high in the windy sky over clouds",
    }
    for subject, words in subjects.items():
        for i in range(6):
            (folder / f"{subject}{i}.txt").write_text(" ".join(np.random.default_rng(i).permutation(words.split())))
    path = tmp_path / "notes.treetalk"
    result = treetalk("new", path, folder)
    assert result.code == 0, result.said
    said = json.loads(treetalk("support", path, "sea0, sea1 | sky0", "--json").printed)
    assert said["support"] > 0.6
    with open_project(path, read_only=True) as project:
        assert "swim" in project.texts[0]


def test_a_folder_of_images_becomes_a_hierarchy_of_pictures(tmp_path, treetalk):
    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name, colour in {"red": (220, 30, 30), "blue": (30, 30, 220)}.items():
        for i in range(5):
            pixels = np.clip(np.array(colour) + rng.normal(0, 10, (40, 50, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"{name}{i}.png")
    path = tmp_path / "pictures.treetalk"
    result = treetalk("new", path, folder)
    assert result.code == 0, result.said
    with open_project(path, read_only=True) as project:
        assert project.session.support(("red0", "red1", "blue0")) > 0.9
        picture = project.picture("red0")
        assert picture.media_type in {"image/png", "image/jpeg"}


def test_the_project_keeps_what_was_done_so_that_new_items_are_treated_alike(zoo):
    with open_project(zoo, read_only=True) as project:
        items, X = project.recipe.transform(TABLE)
        assert items == project.items
        assert np.array_equal(X, project.X)


def test_new_says_what_it_guessed_and_the_guess_can_be_overridden(tmp_path, treetalk):
    shown = treetalk("new", tmp_path / "a.treetalk", TABLE).printed
    assert "animal    id " in shown
    assert "legs" in shown
    result = treetalk("new", tmp_path / "b.treetalk", TABLE, "--features", "legs,hair", "--json")
    assert json.loads(result.printed)["features"] == ["hair", "legs"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,legs\ncat,4\ndog,four\nlynx,4\nowl,2\nemu,2\neel,0\n", "line 3, column 'legs': 'four' is not a number"),
        ("name,legs\ncat,4\ndog\n", "line 3"),
        ("", "empty"),
    ],
)
def test_a_bad_source_is_one_sentence_and_no_project(tmp_path, text, sentence, treetalk):
    source = tmp_path / "bad.csv"
    source.write_text(text)
    result = treetalk("new", tmp_path / "a.treetalk", source)
    assert result.code == 1
    assert sentence in result.said
    assert "Traceback" not in result.said
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_new_never_overwrites_and_says_if_the_two_were_swapped(tmp_path, treetalk):
    source = tmp_path / "animals.csv"
    source.write_bytes(TABLE.read_bytes())
    result = treetalk("new", source, TABLE)
    assert (result.code, source.read_bytes()) == (1, TABLE.read_bytes())
    assert "is there already, and is left as it is" in result.said
    result = treetalk("new", source, tmp_path / "zoo.treetalk")
    assert "the project comes first, then the source" in result.said


# --- ask, in a terminal


def test_a_person_accepts_corrects_with_the_arrow_keys_undoes_and_quits(zoo):
    person = spawn("ask", zoo, "--who", "anna")
    person.expect("101 items, nothing said yet")
    person.expect("Enter accepts")
    person.send(ENTER)
    person.expect("you: .*accept")
    person.expect("Enter accepts")
    for key in (DOWN, SPACE, DOWN, SPACE, DOWN, SPACE):
        person.send(key)
    person.expect("together, apart from")
    person.send(ENTER)
    person.expect(r"you: .*, .* \| ")
    person.expect("Enter accepts")
    person.send(f"u{ENTER}")
    person.expect("Taken back")
    person.expect("Enter accepts")
    person.send(f"s{ENTER}")
    person.expect("you: .*skip")
    person.expect("Enter accepts")
    person.send(f"q{ENTER}")
    person.expect("All of it is in")
    person.expect(pexpect.EOF)
    person.close()
    assert person.exitstatus == 0
    with open_project(zoo, read_only=True) as project:
        records = project.records
    assert [record.answer.kind for record in records] == ["accept", "triplet", "retract", "skip"]
    assert set(records[3].answer.leaves) == set(records[1].answer.leaves), "undo brings the question back"
    assert {record.who for record in records} == {"anna"}
    assert all(record.seconds is not None for record in records[:2])
    assert Tree.from_newick(records[0].shown).num_leaves == 10


def test_ctrl_c_ends_the_dialogue_and_keeps_what_was_said(zoo, treetalk):
    person = spawn("ask", zoo, "--about", "lion, lynx, tuna, wasp")
    person.expect("Enter accepts")
    person.send(f"lion, tuna | wasp{ENTER}")
    person.expect(r"you: .*lion, tuna \| wasp")
    person.expect("Enter accepts")
    person.send(CTRL_C)
    person.expect(pexpect.EOF)
    person.close()
    assert person.exitstatus == 0
    said = json.loads(treetalk("answers", zoo, "--json").printed)
    assert len(said) == 1


def test_a_program_can_answer_through_a_pipe(zoo, treetalk):
    result = subprocess.run(
        [COMMAND, "ask", zoo, "--num", "3"], input="1 2 3\n\ns\n", capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    with open_project(zoo, read_only=True) as project:
        assert [record.answer.kind for record in project.records] == ["triplet", "accept", "skip"]


def test_while_one_asks_another_is_told_who_holds_the_project_and_may_look(zoo, treetalk):
    person = spawn("ask", zoo)
    person.expect("Enter accepts")
    result = treetalk("add", zoo, zoo)
    assert result.code == 3
    assert f"process {person.pid} on" in result.said
    assert "(treetalk ask, since" in result.said
    assert treetalk("show", zoo, "--depth", "2").code == 0
    os.kill(person.pid, signal.SIGKILL)
    person.wait()
    assert treetalk("add", zoo, triplets(zoo.parent, "lion,lynx,tuna")).code == 0


# --- add, check, sample, simulate


def triplets(folder: Path, *rows: str) -> str:
    path = folder / "triplets.csv"
    path.write_text("\n".join(["a,b,c", *rows]))
    return path


def test_triplets_from_a_file_are_recorded_once_and_contradictions_are_set_aside_and_found(zoo, tmp_path, treetalk):
    file = triplets(tmp_path, "lion,tuna,wasp", "tuna,lion,wasp", "lion,lynx,tuna")
    result = treetalk("add", zoo, file, "--who", "anna")
    assert result.code == 0, result.said
    assert "2 triplets added" in result.printed
    assert "1 triplet had been said before" in result.printed
    assert treetalk("check", zoo).printed == "The answers are consistent: 2 triplets in force.\n"
    clashing = triplets(tmp_path, "lion,wasp,tuna")
    result = treetalk("check", zoo, clashing)
    assert result.code == 2
    assert "lion, wasp | tuna (line 2) contradicts lion, tuna | wasp (answer 0)." in result.printed
    result = treetalk("add", zoo, clashing)
    assert result.code == 2
    assert "triplets.csv, line 2, is set aside: lion, wasp | tuna (answer 2) contradicts" in result.said
    result = treetalk("add", zoo, clashing)
    assert result.code == 2, "whoever adds it again is told again"
    assert result.printed.startswith("No triplets added")
    result = treetalk("check", zoo, "--json")
    assert result.code == 2
    (conflict,) = json.loads(result.printed)["conflicts"]
    assert conflict["contradicts"] == [{"id": 0, "triplet": ["lion", "tuna", "wasp"]}]
    assert treetalk("answers", zoo, "--retract", "0").code == 0
    assert treetalk("check", zoo).code == 0


def test_an_answer_that_a_file_outvotes_is_told_of(zoo, tmp_path, treetalk):
    others = [name for name in datasets.load_animals().items if name not in {"lion", "lynx", "puma", "wasp"}][:12]
    right = [f"{pair},{other}" for other in others for pair in ("lion,lynx", "lynx,puma")]
    assert treetalk("add", zoo, triplets(tmp_path, "lion,wasp,lynx", "lion,puma,wasp", *right)).code == 0
    result = treetalk("add", zoo, triplets(tmp_path, "lion,lynx,wasp", "lynx,puma,wasp"))
    assert result.code == 2
    assert (
        "Answer 0 is set aside: lion, wasp | lynx (answer 0) contradicts lion, lynx | wasp (answer 26)" in result.said
    )
    assert json.loads(treetalk("info", zoo, "--json").printed)["answers"]["set_aside"] == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lion,tuna,wasp\n", "the header has no column 'a'"),
        ("a,b,c\nlion,tuna,wasp\nlion,tunna,wasp\n", "line 3: there is no item 'tunna'; did you mean 'tuna'?"),
    ],
)
def test_a_bad_file_of_triplets_adds_nothing(zoo, tmp_path, text, sentence, treetalk):
    file = tmp_path / "triplets.csv"
    file.write_text(text)
    result = treetalk("add", zoo, file)
    assert result.code == 1
    assert sentence in result.said
    assert sqlite3.connect(zoo).execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_info_tells_which_features_answers_are_about(tmp_path, treetalk):
    labels = np.arange(60) % 4
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[:, 0] = labels + 0.1 * X[:, 0]
    path = tmp_path / "some.treetalk"
    Project.create(path, X, [f"item {i}" for i in range(60)], feature_names=["telling", "b", "c", "d", "e"]).close()
    assert "all features count alike" in treetalk("info", path).printed
    said = triplets(tmp_path, *(f"item {i},item {i + 4},item {i + 6}" for i in range(0, 40)))
    assert treetalk("add", path, said).code == 0
    assert "counts for more: telling" in treetalk("info", path).printed
    weights = json.loads(treetalk("info", path, "--json").printed)["column_weights"]
    assert weights[0] == max(weights) > 1.5
    assert sum(weights) == pytest.approx(5, abs=0.01)


def test_sampling_stops_at_the_time_given_and_is_kept(zoo, treetalk):
    result = treetalk("sample", zoo, "--time", "0.5", "--json")
    assert result.code == 0, result.said
    said = json.loads(result.printed)
    info = json.loads(treetalk("info", zoo, "--json").printed)
    assert info["sampling"]["num_moves"] == said["moves_made"]


def test_a_result_that_can_be_trusted_is_not_sampled_away(treetalk, tmp_path):
    path = tmp_path / "few.treetalk"
    X = 10 * np.eye(3)[[0, 0, 0, 1, 1, 2]] + np.random.default_rng(0).normal(size=(6, 3))
    Project.create(path, X).close()
    first = json.loads(treetalk("sample", path, "--json").printed)
    assert first["is_trustworthy"]
    assert json.loads(treetalk("sample", path, "--time", 0, "--json").printed) == first


def test_after_answers_change_there_are_draws_under_the_new_ones(zoo, treetalk, tmp_path):
    treetalk("add", zoo, triplets(tmp_path, "lion,wasp,tuna"))
    assert json.loads(treetalk("info", zoo, "--json").printed)["sampling"]["num_draws"] > 0
    assert json.loads(treetalk("support", zoo, "lion, wasp | tuna", "--json").printed)["support"] == 1
    treetalk("answers", zoo, "--retract", 0)
    found = json.loads(treetalk("support", zoo, "lion, wasp | tuna", "--json").printed)
    assert found["num_draws"] > 0
    assert found["support"] < 1


def test_ctrl_c_while_sampling_keeps_what_was_sampled(zoo, treetalk):
    before = json.loads(treetalk("info", zoo, "--json").printed)["sampling"]["num_moves"]
    person = spawn("sample", zoo, "--time", "600")
    person.expect("moves in each chain")
    time.sleep(0.5)
    person.send(CTRL_C)
    person.expect("made in all")
    person.expect(pexpect.EOF)
    person.close()
    assert person.exitstatus == 130
    assert json.loads(treetalk("info", zoo, "--json").printed)["sampling"]["num_moves"] > before


def test_a_simulated_user_tells_how_many_questions_it_takes_and_leaves_the_project_alone(zoo, tmp_path, treetalk):
    before = zoo.read_bytes()
    out = tmp_path / "curves.csv"
    arguments = ("simulate", zoo, "--target", TARGET, "--queries", "12", "--runs", "2", "--out", out)
    result = treetalk(*arguments, "--json")
    assert result.code == 0, result.said
    said = json.loads(result.printed)
    curves = np.array(said["triplet_distance"])
    assert curves.shape == (2, 13)
    assert set(said["queries_until"]) == {"0.1", "0.05", "0"}
    assert out.read_text().splitlines()[1] == f"0,0,{curves[0, 0]}"
    assert zoo.read_bytes() == before
    result = treetalk(*arguments)
    assert result.said == f"{out} is there already; --force overwrites it.\n"
    result = treetalk("simulate", zoo, "--target", "nonsense")
    assert result.code == 1
    assert result.said.startswith("There is neither a column nor a file 'nonsense' to aim at")

"""A bar in a cell of a real notebook: it is seen while something takes long, and is gone afterwards."""

import nbformat
from nbclient import NotebookClient

CELL = """
import time
from treetalk.progress import Progress
with Progress(40, "Counting") as progress:
    for _ in range(40):
        time.sleep(0.1)
        progress.advance(1)
"""


def test_a_bar_is_shown_in_a_cell_and_taken_away():
    seen = []
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = NotebookClient(notebook, timeout=120)
    process = client.process_message

    def watched(message, cell, index):
        if message["msg_type"] in {"display_data", "update_display_data"}:
            seen.append(message["content"]["data"]["text/html"])
        return process(message, cell, index)

    client.process_message = watched
    client.execute()
    assert any("Counting <progress" in html for html in seen)
    assert seen[-1] == ""
    assert [output["data"]["text/html"] for output in notebook.cells[0].outputs] == [""]

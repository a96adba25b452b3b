"""The example notebooks: executed anew, without anything that would differ from one machine to the next.

``python verify/notebooks.py`` executes those in the folder ``notebooks``, and stores what came out.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Cells in which something is sampled while nobody looks.
VARIES = "varies"
SECONDS = 240


def executed(path: Path) -> Any:
    """The notebook with new outputs; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
    )
    client.execute(cwd=str(path.parent))
    return cleaned(notebook)


def cleaned(notebook: Any) -> Any:
    """The same without what speaks of this machine, and with a drawing in the place of a widget, which needs a kernel."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({"tags": cell.metadata["tags"]} if "tags" in cell.metadata else {})
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET, None)
            output.pop("transient", None)
    return notebook


def words_of(notebook: Any) -> list[tuple[int, str]]:
    """What the cells printed or returned, as text, with their places; without those that vary."""
    found = []
    for place, cell in enumerate(notebook.cells):
        if VARIES in cell.metadata.get("tags", ()):
            continue
        for output in cell.get("outputs", ()):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            found.append((place, text))
    return found


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:] or PATHS):
        nbformat.write(executed(path), path)
        print(path.name)

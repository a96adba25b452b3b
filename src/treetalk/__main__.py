"""``python -m treetalk`` is the command ``treetalk``."""

from treetalk.cli import app

app(prog_name="treetalk")

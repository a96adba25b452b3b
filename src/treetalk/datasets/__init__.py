"""Data that come with treetalk."""

from treetalk.datasets.animals import Animals, load_animals

__all__ = ["Animals", "load_animals"]

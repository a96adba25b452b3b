"""Data that come with treetalk, and those of the paper's experiments."""

from treetalk.datasets.animals import Animals, load_animals
from treetalk.datasets.benchmarks import BENCHMARKS, Benchmark, load_benchmark

__all__ = ["BENCHMARKS", "Animals", "Benchmark", "load_animals", "load_benchmark"]

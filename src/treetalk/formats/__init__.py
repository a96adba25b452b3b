"""Trees as text and matrices, and back: one module for each format.

These modules know `Tree` and nothing above it. Faults in a text are `FormatError` with the line and the column.
"""

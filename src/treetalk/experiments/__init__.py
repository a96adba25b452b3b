"""The paper's experiments in one command: which runs, making them, and a report. Only the command line stands above."""

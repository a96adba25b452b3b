"""Speed next to other packages, measured side by side in one run: ``make bench``."""

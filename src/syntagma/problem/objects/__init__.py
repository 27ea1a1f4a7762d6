"""Parsed sentences of other packages as problems, by their documented attributes alone."""

"""Sparse features, shared by the linear scorer and best-first search: templates and weights."""

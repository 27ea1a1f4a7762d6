"""Sparse features, shared by the linear scorer and best-first search: templates, weight tables."""

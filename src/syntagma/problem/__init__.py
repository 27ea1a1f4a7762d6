"""The input and its laws: words, constraints, validation, canonical order, trees."""

"""The public API of ordering: one model behind `order`, `realize` and `score`."""

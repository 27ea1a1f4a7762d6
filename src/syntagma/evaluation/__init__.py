"""Figures: BLEU, exact match, time, spans, the scores of the shared task."""

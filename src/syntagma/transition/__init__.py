"""The transition system (L15): states, legality, beam search, encoding; what both scorers share."""

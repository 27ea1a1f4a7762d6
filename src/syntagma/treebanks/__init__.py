"""Gold data: sentences with trees or CCG derivations, conditions, and visits of training."""

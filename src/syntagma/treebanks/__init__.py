"""Gold data: sentences with their trees, CCGbanks, and what a condition gives away of them."""

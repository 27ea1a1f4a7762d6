"""Results as parsed sentences of other packages, which are imported when they are asked for."""

"""Many trainings: a model for every treebank of a collection, or the best of many settings."""

"""Combinatory Categorial Grammar: categories and how they combine, derivations."""

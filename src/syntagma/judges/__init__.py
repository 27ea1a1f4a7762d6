"""Judges of finished orders: pretrained language models of sentences as people write them."""

"""File handling: text read line by line, compressed or not; files written whole or not at all."""

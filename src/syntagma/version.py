"""The version of the package, in one place."""

VERSION = "0.6.0"

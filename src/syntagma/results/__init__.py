"""The output and its checks: linearizations, realizations, CCG derivations, spelling."""

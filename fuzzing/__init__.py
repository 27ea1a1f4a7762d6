"""Fuzzing: random and hostile inputs, each run in a process with limits of memory and time.

    make fuzz SEED=1 MINUTES=5 TARGETS="models"
    python -m fuzzing --target models --seed 1 --count 2000

`targets` lists what is fuzzed and says how to add a target.
"""

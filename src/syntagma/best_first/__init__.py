"""Best-first search (ZC15): agenda, chart, two grammars, edge templates, guided learning."""

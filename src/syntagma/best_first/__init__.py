"""Best-first search (ZC15): agenda and chart, two grammars, edge features, guided learning."""

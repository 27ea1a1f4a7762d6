"""From lemmas to text: inflection, choice of forms, detokenisation."""

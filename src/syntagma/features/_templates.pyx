"""Tables of feature templates, checked when they are made."""

from libc.stdint cimport uint64_t


cdef class TemplateTable:
    """A checked set of templates, given as pairs (scope, names of atoms).

    `atoms` lists all names in the order in which they are hashed. `scopes` maps each scope to the
    atoms that its templates may name; templates are sorted by scope in this order.
    """

    def __init__(self, templates, atoms, scopes):
        self.texts = tuple(f"{scope}: {' '.join(names)}" for scope, names in templates)
        if len({(row[0], frozenset(row[1])) for row in templates}) != len(self.texts):
            raise ValueError("a feature template is listed twice")
        if len(self.texts) > MAX_TEMPLATES:
            raise ValueError(f"more than {MAX_TEMPLATES} feature templates")
        if len(scopes) > MAX_SCOPES:
            raise ValueError(f"more than {MAX_SCOPES} scopes")
        for name, _ in templates:
            if name not in scopes:
                raise ValueError(f"unknown template scope {name!r}")
        number = {name: i for i, name in enumerate(atoms)}
        cdef int i, scope, count = 0
        cdef uint64_t key
        for scope, (scope_name, known) in enumerate(scopes.items()):
            self.set.bounds[scope] = count
            for text, (name, names) in zip(self.texts, templates):
                if name != scope_name:
                    continue
                shown = repr(" ".join(names))
                unknown = [atom for atom in names if atom not in number]
                if unknown:
                    raise ValueError(f"unknown atom {unknown[0]!r} in template {shown}")
                numbers = sorted(number[atom] for atom in names)
                if not 0 < len(numbers) <= MAX_ATOMS or len(set(numbers)) != len(numbers):
                    raise ValueError(f"template {shown} repeats an atom or has too many")
                if not set(names) <= set(known):
                    raise ValueError(f"template {shown} names an atom that its scope does not have")
                key = 0x2545F4914F6CDD1D
                for byte in text.encode():
                    key = fold(key, byte + 1)
                self.set.templates[count].seed = key
                self.set.templates[count].n_atoms = len(numbers)
                for i in range(len(numbers)):
                    self.set.templates[count].atoms[i] = numbers[i]
                count += 1
        self.set.bounds[len(scopes)] = count

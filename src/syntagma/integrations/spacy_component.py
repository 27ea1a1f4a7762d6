"""A component of spaCy's pipelines that orders the words of each sentence again:
`nlp.add_pipe("syntagma")`.

spaCy imports this module whenever it makes a pipeline, so Syntagma's search and models are imported
when the component is made. The types of a factory's arguments must not be strings, so this module
does not postpone the evaluation of annotations.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import minibatch, raise_error

from syntagma.errors import ProblemError, SyntagmaError, shown
from syntagma.problem.parse import Annotation, ParseOrigin
from syntagma.problem.problem import Problem
from syntagma.problem.word import Word
from syntagma.results.linearization import Linearization, Token

if TYPE_CHECKING:
    from syntagma.linearizer.linearizer import Linearizer

# Each sentence's result is in `Doc.user_data` under the key that spaCy gives to an attribute of a
# span, so that `Doc.from_docs` and `Span.as_doc` move it with the sentence.
_ATTRIBUTE = ("._.", "syntagma")
_MODEL_FILE = "model.syntagma"

Handler = Callable[[str, Any, list[Doc], Exception], None]
Record = dict[str, Any]  # a result as plain data, which spaCy can store and send to processes
Records = dict[tuple[int, int], Record | None]  # by the first character of the sentence and its end


class SyntagmaComponent:
    """Orders the words of each sentence of a `Doc`, given what the parse says of them.

    `doc._.syntagma` is then a list with a `Linearization` for each sentence, None for a sentence of
    white space. `sentence._.syntagma` is that of a sentence (a `Span` of `doc.sents`). A `Doc` in
    which no component has set sentence boundaries is one sentence.
    """

    def __init__(
        self,
        name: str,
        model: str,
        given: dict[str, bool],
        options: dict[str, Any],
        judge: dict[str, Any],
    ) -> None:
        """`given` are arguments of `Problem.from_spacy`, `options` those of `order_many`, `judge`
        those of `load`."""
        from syntagma.models.installed import is_name
        from syntagma.models.loading import model_path

        self.name = name
        self._given = given
        self._options = options
        self._judge = judge
        self._handle: Handler = raise_error
        self._path = model_path(model)
        self._installed = is_name(model)
        self._linearizer: Linearizer | None = None
        # A pipeline that was moved has its model in its own folder: `from_disk` will find it.
        if self._path.exists():
            self._load()

    @property
    def linearizer(self) -> "Linearizer":
        """The model; it can be used for anything else, too."""
        return self._linearizer or self._load()

    def _load(self) -> "Linearizer":
        from syntagma.linearizer.linearizer import load

        self._linearizer = load(self._path, **self._judge)
        self._linearizer.order_many([], **self._options)  # checks them
        return self._linearizer

    def __call__(self, doc: Doc) -> Doc:
        [result] = self._order([doc])
        if isinstance(result, SyntagmaError):
            raise result
        _store(doc, result)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Order the sentences of many documents, those of a batch together."""
        for docs in minibatch(stream, size=batch_size):
            for doc, result in zip(docs, self._order(docs), strict=True):
                if isinstance(result, SyntagmaError):
                    self._handle(self.name, self, [doc], result)
                else:
                    _store(doc, result)
                    yield doc

    def set_error_handler(self, error_handler: Handler) -> None:
        self._handle = error_handler

    def get_error_handler(self) -> Handler:
        return self._handle

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Write the model, unless it is installed, so that the pipeline can be moved."""
        source = self.linearizer.info.path
        target = Path(path) / _MODEL_FILE
        if source is None or self._installed or source.absolute() == target.absolute():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> "SyntagmaComponent":
        """Read the model that `to_disk` has written, if it has written one."""
        stored = Path(path) / _MODEL_FILE
        if stored.exists():
            self._path, self._installed = stored, False
            self._load()
        return self

    def _order(self, docs: Sequence[Doc]) -> list[Records | SyntagmaError]:
        """For each document the records of its sentences, or its first error."""
        sentences = [list(_sentences(doc)) for doc in docs]
        problems = [self._problem(each) for spans in sentences for each in spans]
        wanted = [each for each in problems if each is not None]
        results = self.linearizer.order_many(wanted, on_error="yield", **self._options)
        ordered = iter([None if each is None else next(results) for each in problems])
        return [_records(spans, [next(ordered) for _ in spans]) for spans in sentences]

    def _problem(self, sentence: Span) -> Problem | SyntagmaError | None:
        if sentence.text.isspace():
            return None
        try:
            return Problem.from_spacy(
                sentence, **self._given, tag_column=self.linearizer.tag_column
            )
        except SyntagmaError as error:
            return error


def _sentences(doc: Doc) -> Iterator[Span]:
    if len(doc) and not doc.has_annotation("SENT_START"):
        yield doc[:]
    else:
        yield from doc.sents


def _records(sentences: Sequence[Span], results: Sequence[object]) -> Records | SyntagmaError:
    records: Records = {}
    for number, (sentence, result) in enumerate(zip(sentences, results, strict=True), start=1):
        if isinstance(result, SyntagmaError):
            fault = ProblemError(f"sentence {number} {shown(sentence.text)}: {result}")
            fault.__cause__ = result
            return fault
        order = to_record(result) if isinstance(result, Linearization) else None
        records[sentence.start_char, sentence.end_char] = order
    return records


def _store(doc: Doc, records: Records) -> None:
    for place in _stored(doc):
        del doc.user_data[_ATTRIBUTE + place]
    for place, record in records.items():
        doc.user_data[_ATTRIBUTE + place] = record


def _stored(doc: Doc) -> Records:
    """The results of a document in the order of its sentences."""
    found = {
        key[2:]: record
        for key, record in doc.user_data.items()
        if isinstance(key, tuple) and key[:2] == _ATTRIBUTE
    }
    return dict(sorted(found.items()))


def to_record(linearization: Linearization) -> Record:
    """The order of a problem that was read from a parse, without CCG derivations."""
    origin = linearization.problem.origin
    assert isinstance(origin, ParseOrigin)
    return {
        "words": [list(astuple(word)) for word in linearization.problem.words],
        "annotations": [list(each) for each in origin.annotations],
        "tag_column": origin.tag_column,
        "tokens": [list(astuple(token)) for token in linearization.tokens],
        "score": linearization.score,
        "fluency": linearization.fluency,
        "judged": [list(each) for each in linearization.judged],
        "model_tags": list(linearization.model_tags),
    }


def from_record(record: Record) -> Linearization:
    """The linearization that was made a record."""
    annotations = tuple(Annotation(*each) for each in record["annotations"])
    problem = Problem(
        tuple(Word(*each) for each in record["words"]),
        origin=ParseOrigin(annotations, (), record["tag_column"]),
    )
    return Linearization(
        tuple(Token(*each) for each in record["tokens"]),
        record["score"],
        problem,
        record["fluency"],
        tuple((name, part) for name, part in record["judged"]),
        model_tags=tuple(record["model_tags"]),
    )


def _of_doc(doc: Doc) -> list[Linearization | None] | None:
    """`doc._.syntagma`; None if the component has not seen the document."""
    # `Span.as_doc` copies the results of all sentences, also of those outside the span.
    end = len(doc.text)
    results = [
        None if record is None else from_record(record)
        for (first, last), record in _stored(doc).items()
        if first >= 0 and last <= end
    ]
    return results if results or not len(doc) else None


def _of_sentence(sentence: Span) -> Linearization | None:
    """`sentence._.syntagma`; None if the span is not a sentence that the component has seen."""
    key = (*_ATTRIBUTE, sentence.start_char, sentence.end_char)
    record = sentence.doc.user_data.get(key)
    return None if record is None else from_record(record)


Doc.set_extension("syntagma", getter=_of_doc, force=True)
Span.set_extension("syntagma", getter=_of_sentence, force=True)


def create_component(
    nlp: Language,
    name: str,
    model: str,
    tags: bool,
    arcs: bool,
    labels: bool,
    beam: Optional[int],  # noqa: UP045
    threads: int,
    max_words: int,
    projective: bool,
    judge: Optional[str],  # noqa: UP045
    judge_weight: Optional[float],  # noqa: UP045
) -> SyntagmaComponent:
    given = {"tags": tags, "arcs": arcs, "labels": labels}
    options = {"beam": beam, "threads": threads, "max_words": max_words, "projective": projective}
    judged = {"judge": judge, "judge_weight": judge_weight}
    return SyntagmaComponent(name, model, given, options, judged)


Language.factory(
    "syntagma",
    assigns=["doc._.syntagma", "span._.syntagma"],
    default_config={
        "model": "en",
        "tags": True,
        "arcs": True,
        "labels": True,
        "beam": None,
        "threads": 1,
        "max_words": 512,
        "projective": False,
        "judge": None,
        "judge_weight": None,
    },
    func=create_component,
)

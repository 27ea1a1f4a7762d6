"""The component of spaCy's pipelines, in pipelines that need no trained model."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from toys.models import toy_vocabulary
from toys.network import toy_header, toy_stored
from toys.packages import install
from toys.parses import parses, put_in_order

import syntagma
from syntagma import ArgumentError, Linearization, ModelError, Problem, ProblemError
from syntagma.judges import opening
from syntagma.judges.opening import open_judge
from syntagma.models.model import save_model
from syntagma.problem.parse import Parse
from syntagma.request import DEFAULT_MAX_WORDS

pytest.importorskip("spacy", reason="no spaCy: pip install 'syntagma[spacy]'")

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

import syntagma.integrations.spacy_component as spacy_component
from syntagma.integrations.spacy_component import from_record, to_record

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src/syntagma/models/en.syntagma"


def pipeline(*, sentences: bool = True, **config: Any) -> Language:
    nlp = spacy.blank("en")
    if sentences:
        nlp.add_pipe("sentencizer")
    nlp.add_pipe("syntagma", config=config)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    return pipeline()


def parsed(nlp: Language) -> Any:
    """Two sentences with tags, arcs and labels."""
    return Doc(
        nlp.vocab,
        words=["Dogs", "bark", ".", "She", "sang"],
        tags=["NNS", "VBP", ".", "PRP", "VBD"],
        lemmas=["dog", "bark", ".", "she", "sing"],
        heads=[1, 1, 1, 4, 4],
        deps=["nsubj", "ROOT", "punct", "nsubj", "ROOT"],
    )


def texts(doc: Any) -> list[str | None]:
    return [None if each is None else each.text for each in doc._.syntagma]


def test_every_sentence_has_its_order(nlp: Language) -> None:
    doc = nlp("The dog barked. She read the book.")
    assert texts(doc) == ["The dog barked .", "She read the book ."]
    first, second = doc.sents
    assert first._.syntagma == doc._.syntagma[0]
    assert second._.syntagma.text == "She read the book ."
    assert doc[1:3]._.syntagma is None


def test_the_result_is_that_of_the_linearizer(nlp: Language) -> None:
    doc = nlp.get_pipe("syntagma")(parsed(nlp))
    en = syntagma.load("en")
    for sentence, result in zip(doc.sents, doc._.syntagma, strict=True):
        expected = en.order(Problem.from_spacy(sentence))
        assert result == expected
        assert result.problem.origin == expected.problem.origin
        assert result.model_tags == expected.model_tags
        assert result.to_spacy().to_json() == expected.to_spacy().to_json()


@pytest.mark.parametrize(
    ("config", "given"),
    [
        ({}, ("NNS", 2, "nsubj")),
        ({"tags": False}, (None, 2, "nsubj")),
        ({"labels": False}, ("NNS", 2, None)),
        ({"arcs": False}, ("NNS", None, None)),
    ],
)
def test_the_configuration_says_what_is_given(config: Any, given: Any) -> None:
    nlp = pipeline(**config)
    result = nlp.get_pipe("syntagma")(parsed(nlp))._.syntagma[0]
    words = result.problem.words
    dogs = next(word for word in words if word.form == "Dogs")
    head = None if dogs.head is None else words[dogs.head - 1].form
    assert (dogs.tag, head, dogs.deprel) == (given[0], given[1] and "bark", given[2])


def test_documents_without_words_and_documents_not_seen(nlp: Language) -> None:
    assert nlp("")._.syntagma == []
    assert nlp("\n ")._.syntagma == [None]
    assert nlp.make_doc("dogs")._.syntagma is None
    assert nlp.make_doc("dogs")[:]._.syntagma is None


def test_a_sentence_of_white_space_has_no_order() -> None:
    nlp = pipeline(sentences=False)
    doc = Doc(nlp.vocab, words=["dogs", "\n", "bark"], sent_starts=[True, True, True])
    assert texts(nlp.get_pipe("syntagma")(doc)) == ["dogs", None, "bark"]


def test_without_sentence_boundaries_a_document_is_one_sentence() -> None:
    doc = pipeline(sentences=False)("The dog barked. He left")
    assert len(doc._.syntagma) == 1
    assert sorted(doc._.syntagma[0].words) == sorted(token.text for token in doc)


TEXTS = ["The dog barked. He left.", "", "She read a book", "A bird sang. \n The dog"]


@pytest.mark.parametrize("options", [{}, {"batch_size": 1}, {"batch_size": 3}])
def test_a_stream_gives_what_single_documents_give(nlp: Language, options: Any) -> None:
    found = list(nlp.pipe(TEXTS, **options))
    assert [doc.text for doc in found] == TEXTS
    assert [doc._.syntagma for doc in found] == [nlp(text)._.syntagma for text in TEXTS]


def test_threads_change_nothing(nlp: Language) -> None:
    several = pipeline(threads=2)
    assert [texts(doc) for doc in several.pipe(TEXTS)] == [texts(doc) for doc in nlp.pipe(TEXTS)]


@pytest.mark.slow
def test_processes_change_nothing(nlp: Language) -> None:
    found = nlp.pipe(TEXTS, n_process=2)
    assert [doc._.syntagma for doc in found] == [nlp(text)._.syntagma for text in TEXTS]


def test_a_stream_is_read_batch_by_batch(nlp: Language) -> None:
    taken = 0

    def stream() -> Iterator[Doc]:
        nonlocal taken
        for text in ["dogs bark"] * 5:
            taken += 1
            yield nlp.make_doc(text)

    next(nlp.get_pipe("syntagma").pipe(stream(), batch_size=2))
    assert taken == 2


def test_results_are_stored_with_the_document(nlp: Language) -> None:
    doc = nlp("The dog barked.")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.syntagma == doc._.syntagma
    assert doc.copy()._.syntagma == doc._.syntagma
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    [loaded] = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert loaded._.syntagma == doc._.syntagma


def test_results_move_with_their_sentences(nlp: Language) -> None:
    """Documents are joined, and sentences become documents, without a warning of lost data."""
    doc, other = nlp("barks dog a . sings bird a ."), nlp("the slept cat .")
    other.user_data[7] = "of somebody else"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        joined = Doc.from_docs([doc, nlp("the slept cat .")])
    assert joined._.syntagma == doc._.syntagma + other._.syntagma
    assert [each._.syntagma for each in joined.sents] == joined._.syntagma
    for sentence in joined.sents:
        alone = sentence.as_doc(copy_user_data=True)
        assert alone._.syntagma == [sentence._.syntagma]
        assert sentence.as_doc()._.syntagma is None


def test_a_document_that_is_seen_again_has_new_results(nlp: Language) -> None:
    doc = nlp("dogs bark . she sang .")
    merged = nlp.get_pipe("syntagma")(doc)
    assert len(merged._.syntagma) == 2
    for token in merged:
        token.is_sent_start = token.i == 0
    assert texts(nlp.get_pipe("syntagma")(merged)) == [str(merged[:]._.syntagma)]


def test_a_sentence_that_cannot_be_ordered_is_named() -> None:
    nlp = pipeline(max_words=3)
    with pytest.raises(ProblemError, match=r"sentence 2 'She read a book\.': the bag has 5 words"):
        nlp("He left. She read a book.")


def test_the_error_handler_of_the_pipeline_decides() -> None:
    nlp = pipeline(max_words=3)
    with pytest.raises(ProblemError, match="sentence 1"):
        list(nlp.pipe(["He left.", "She read a book."]))
    failed: list[tuple[str, list[str]]] = []
    nlp.set_error_handler(
        lambda name, component, docs, error: failed.append((name, [doc.text for doc in docs]))
    )
    good = list(nlp.pipe(["He left.", "She read a book.", "Birds sang."]))
    assert [doc.text for doc in good] == ["He left.", "Birds sang."]
    assert failed == [("syntagma", ["She read a book."])]
    assert nlp.get_pipe("syntagma").get_error_handler() is nlp.default_error_handler


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"model": "xx"}, ModelError, "no model named 'xx' is installed"),
        ({"model": "en-best-first"}, ModelError, "best-first"),
        ({"beam": 0}, ArgumentError, "beam must be between 1 and 1024"),
        ({"threads": 0}, ArgumentError, "threads must be between"),
        ({"max_words": 0}, ArgumentError, "max_words must be between"),
        ({"judge": "nobody"}, ArgumentError, "there is no judge 'nobody'"),
        ({"judge_weight": 1.0}, ArgumentError, "judge_weight goes with a judge"),
        ({"tags": "some"}, ValueError, "tags"),
        ({"projective": "some"}, ValueError, "projective"),
        ({"beams": 3}, ValueError, "beams"),
    ],
)
def test_a_wrong_configuration_is_refused_at_once(
    config: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pipeline(**config)


def test_a_judge_chooses_among_the_best_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    class Longing:
        def log_probs(self, sentences: Sequence[str]) -> list[float]:
            return [-100.0 * sentence.startswith("The") for sentence in sentences]

    monkeypatch.setattr(
        opening, "open_judge", lambda name, weight, errors: open_judge(Longing(), weight)
    )
    nlp = pipeline(judge="smollm2", judge_weight=2.0)
    [result] = nlp("The dog barked")._.syntagma
    assert result.parts["judge"] == 0
    assert not result.text.startswith("The")


def test_arcs_may_cross_unless_it_is_forbidden(tmp_path: Path) -> None:
    stored = toy_stored(lifting=True)
    stored.arrays["network.lift.out.bias"][:] = np.array([0, 9, 0, 0])  # lifts all it can
    path = tmp_path / "lifts.syntagma"
    save_model(path, toy_header(lifting=True), toy_vocabulary(), stored)
    for projective in (False, True):
        nlp = pipeline(sentences=False, model=str(path), projective=projective)
        words = [f"w{place}" for place in range(6)]
        doc = Doc(nlp.vocab, words=words, heads=[0, 0, 1, 1, 3, 0], deps=["dep"] * 6)
        with pytest.warns(syntagma.SyntagmaWarning, match="labels"):
            [result] = nlp.get_pipe("syntagma")(doc)._.syntagma
        assert result.projective is projective


def test_the_default_limit_is_that_of_order(nlp: Language) -> None:
    meta = nlp.get_pipe_meta("syntagma")
    assert meta.default_config["max_words"] == DEFAULT_MAX_WORDS
    assert meta.assigns == ["doc._.syntagma", "span._.syntagma"]


@pytest.mark.slow
def test_a_pipeline_is_saved_and_loaded(nlp: Language, tmp_path: Path) -> None:
    narrow = pipeline(beam=2, arcs=False)
    narrow.to_disk(tmp_path / "pipeline")
    assert not list(tmp_path.rglob("*.syntagma")), "a shipped model need not be copied"
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe_config("syntagma")["beam"] == 2
    text = "She read the book."
    assert again(text)._.syntagma == narrow(text)._.syntagma
    from_bytes = pipeline().from_bytes(nlp.to_bytes())
    assert from_bytes(text)._.syntagma == nlp(text)._.syntagma


def test_an_installed_model_does_not_travel_with_the_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as installed:
        installed.syspath_prepend(str(install(tmp_path / "site")))
        pipeline(model="tlh").to_disk(tmp_path / "pipeline")
        assert not list((tmp_path / "pipeline").rglob("*.syntagma"))
        assert "syntagma" in spacy.load(tmp_path / "pipeline").pipe_names
    with pytest.raises(ModelError, match="no model named 'tlh' is installed"):
        spacy.load(tmp_path / "pipeline")


@pytest.mark.slow
def test_a_model_of_ones_own_travels_with_the_pipeline(tmp_path: Path) -> None:
    model = tmp_path / "my.syntagma"
    shutil.copyfile(SHIPPED, model)
    nlp = pipeline(model=str(model))
    expected = nlp("The dog barked.")._.syntagma
    nlp.to_disk(tmp_path / "pipeline")
    model.unlink()
    (tmp_path / "pipeline").rename(tmp_path / "moved")
    again = spacy.load(tmp_path / "moved")
    assert again("The dog barked.")._.syntagma == expected
    again.to_disk(tmp_path / "moved")  # over itself
    again.to_disk(tmp_path / "copy")
    assert spacy.load(tmp_path / "copy")("The dog barked.")._.syntagma == expected


def test_a_missing_model_file_is_named_when_it_is_needed(tmp_path: Path) -> None:
    nlp = pipeline(model=str(tmp_path / "none.syntagma"))
    with pytest.raises(ModelError, match=r"none\.syntagma"):
        nlp("The dog barked.")


def test_a_component_can_be_pickled(nlp: Language) -> None:
    component = pickle.loads(pickle.dumps(nlp.get_pipe("syntagma")))
    doc = nlp.make_doc("The dog barked")
    assert component(doc)._.syntagma[0].text == "The dog barked"


def test_the_linearizer_can_be_used(nlp: Language) -> None:
    doc = nlp("Do n't ask.")
    result = doc._.syntagma[0]
    assert isinstance(result, Linearization)
    linearizer = nlp.get_pipe("syntagma").linearizer
    assert linearizer.spell(result).to_spacy(nlp.vocab).text == "Don't ask."


def test_labels_that_the_model_does_not_know_are_reported_once() -> None:
    nlp = pipeline()
    docs = [parsed(nlp) for _ in range(3)]
    for doc in docs:
        doc[0].dep_ = "nsubjclear"
    with pytest.warns(syntagma.SyntagmaWarning, match="does not know the label nsubjclear") as seen:
        list(nlp.get_pipe("syntagma").pipe(docs))
    assert len({str(each.message) for each in seen}) == 1


ENTRY_POINT = """
import sys
import spacy
nlp = spacy.blank("en")
heavy = [name for name in ("syntagma.linearizer", "syntagma.models") if name in sys.modules]
assert "syntagma.integrations.spacy_component" in sys.modules, "the entry point was not found"
assert not heavy, f"every pipeline would load {heavy}"
nlp.add_pipe("syntagma")
print(nlp("The dog barked")._.syntagma[0].text)
"""


@pytest.mark.slow
def test_spacy_finds_the_component_by_its_entry_point(tmp_path: Path) -> None:
    """In a process that does not import Syntagma itself, from metadata as pip would write it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [(name, target)] = project["entry-points"]["spacy_factories"].items()
    metadata = tmp_path / "syntagma-0.0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: syntagma\nVersion: 0.0.0\n")
    (metadata / "entry_points.txt").write_text(f"[spacy_factories]\n{name} = {target}\n")
    paths = [str(tmp_path), str(ROOT / "src")]
    script = f"import sys; sys.path[:0] = {paths!r}\n{ENTRY_POINT}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout.strip() == "The dog barked", run.stderr
    module, _, function = target.partition(":")
    assert module == spacy_component.__name__
    assert callable(getattr(spacy_component, function))


def test_the_extension_attributes_are_registered() -> None:
    assert Doc.has_extension("syntagma")
    assert Span.has_extension("syntagma")


@given(parses())
def test_a_record_holds_the_whole_result(parse: Parse) -> None:
    problem = Problem.from_conllu(
        [
            {"form": word.form, "head": word.head, "xpos": "X", "lemma": word.annotation.lemma}
            for word in parse.words
        ]
    )
    result = put_in_order(problem)
    record = json.loads(json.dumps(to_record(result)))
    again = from_record(record)
    assert again == result
    assert again.model_tags == result.model_tags
    assert again.problem.origin == result.problem.origin

# Makes the model `en` from the data: make -f benchmarks/recipes/en.mk FOLDER=runs/en
#
# A step takes one to two and a quarter hours of CPU time on one core. A training that was stopped is
# resumed by the same command, after its last whole epoch. docs/lab/shipped-models.md says what each step adds.

# Where the data is: as in benchmarks/shared_data.py.
SYNTAGMA_DATA ?= ../shared/data
FOLDER := runs/en
PYTHON := .venv/bin/python
SYNTAGMA := .venv/bin/syntagma

EWT := $(SYNTAGMA_DATA)/ud/en_ewt/en_ewt-ud
TREEBANK := $(EWT)-train.conllu $(EWT)-dev.conllu
AMALGUM := $(addprefix $(SYNTAGMA_DATA)/silver/en_amalgum_,$(addsuffix .conllu.xz,academic bio fiction interview news voyage))
SILVER := $(addprefix $(SYNTAGMA_DATA)/silver2/en_,$(addsuffix .conllu.xz,wikinews openstax standardebooks))
TEXT := $(addprefix $(SYNTAGMA_DATA)/text/en_,$(addsuffix .txt.xz,wikinews openstax standardebooks))

CREDITS := --licence CC-BY-SA-4.0 --attribution "UD English EWT 2.16 (CC BY-SA 4.0), AMALGUM (CC BY 4.0, CC BY-SA 3.0, \
CC BY 2.5, Project Gutenberg), Wikinews (CC BY 2.5), OpenStax (CC BY 4.0), Standard Ebooks (public domain)"
TRAIN := $(SYNTAGMA) train $(TREEBANK) --name en --language English $(CREDITS)
PRETRAIN := $(addprefix --pretrain ,$(AMALGUM))

$(FOLDER)/en.syntagma: $(FOLDER)/both.syntagma $(FOLDER)/en.lm
	$(SYNTAGMA) add-lm $^ $(EWT)-dev.conllu --output $@

# From words, tags, arcs and labels alone.
$(FOLDER)/first.syntagma: | $(FOLDER)
	$(TRAIN) --output $@ $(PRETRAIN) --pretrain-epochs 2 --epochs 10 --batch-words 600 --learning-rate 0.002 \
		--min-count 4 --no-realize

# Once more, with a higher learning rate where the treebank begins.
$(FOLDER)/second.syntagma: $(FOLDER)/first.syntagma
	$(TRAIN) --output $@ --start $< $(PRETRAIN) --pretrain-epochs 1 --epochs 24 --batch-words 400 --seed 2 --no-realize

# Realisation.
$(FOLDER)/third.syntagma: $(FOLDER)/second.syntagma
	$(TRAIN) --output $@ --start $< --realize --epochs 10 --learning-rate 0.0005 --batch-words 400

# UPOS tags, features and liftings, and more machine-parsed text; the treebank is one part in six of it.
$(FOLDER)/fourth.syntagma: $(FOLDER)/third.syntagma $(FOLDER)/silver2.conllu
	$(TRAIN) --output $@ --start $< $(PRETRAIN) --pretrain $(FOLDER)/silver2.conllu \
		$(foreach time,1 2 3 4 5 6,--pretrain $(EWT)-train.conllu) --pretrain-epochs 1 --epochs 14 \
		--learning-rate 0.0012 --batch-words 400 --dropout 0.2 --word-dropout 0.2 --realize --seed 3

# Still more text, in two trainings that can run side by side; the mean of the three is better than each.
$(FOLDER)/fifth.syntagma: $(FOLDER)/left.syntagma $(FOLDER)/right.syntagma $(FOLDER)/fourth.syntagma
	$(PYTHON) benchmarks/recipes/average.py $^ --output $@

$(FOLDER)/left.syntagma: SEED := 5
$(FOLDER)/right.syntagma: SEED := 6
$(FOLDER)/left.syntagma $(FOLDER)/right.syntagma: $(FOLDER)/%.syntagma: $(FOLDER)/fourth.syntagma $(FOLDER)/silver2-%.conllu
	$(TRAIN) --output $@ --start $< --pretrain $(FOLDER)/silver2-$*.conllu \
		$(foreach time,1 2,--pretrain $(EWT)-train.conllu) --pretrain-epochs 1 --epochs 6 \
		--learning-rate 0.001 --batch-words 400 --dropout 0.2 --word-dropout 0.2 --realize --seed $(SEED)

# A second network, for bags and partial trees: the mean of two trainings, one from the other. The first network and
# the tables of words stay.
$(FOLDER)/both.syntagma: $(FOLDER)/seventh.syntagma $(FOLDER)/sixth.syntagma
	$(PYTHON) benchmarks/recipes/average.py $^ --output $@

BAGS = $(TRAIN) --output $@ --start $< --specialize bags --pretrain $(word 2,$^) --pretrain-epochs 1 \
	--batch-words 400 --dropout 0.15 --word-dropout 0.2 --realize

$(FOLDER)/sixth.syntagma: $(FOLDER)/fifth.syntagma $(FOLDER)/silver2-sixth.conllu
	$(BAGS) $(foreach time,1 2 3,--pretrain $(EWT)-train.conllu) --epochs 5 --learning-rate 0.001 --seed 11

$(FOLDER)/seventh.syntagma: $(FOLDER)/sixth.syntagma $(FOLDER)/silver2-seventh.conllu
	$(BAGS) $(foreach time,1 2,--pretrain $(EWT)-train.conllu) --epochs 4 --learning-rate 0.0008 --seed 13

$(FOLDER)/silver2-sixth.conllu: | $(FOLDER)
	$(PYTHON) benchmarks/recipes/silver_sample.py $(SILVER) --words 3000000 --confidence -0.2 --output $@

$(FOLDER)/silver2-seventh.conllu: | $(FOLDER)
	$(PYTHON) benchmarks/recipes/silver_sample.py $(SILVER) --words 2700000 --confidence -0.3 --output $@

$(FOLDER)/silver2-left.conllu: $(FOLDER)/silver2.conllu
	$(PYTHON) benchmarks/recipes/silver_sample.py $(SILVER) --words 6900000 --confidence -0.15 --without $< \
		--output $@ --output $(FOLDER)/silver2-right.conllu

$(FOLDER)/silver2-right.conllu: $(FOLDER)/silver2-left.conllu ;

$(FOLDER)/silver2.conllu: | $(FOLDER)
	$(PYTHON) benchmarks/recipes/silver_sample.py $(SILVER) --words 2700000 --output $@

$(FOLDER)/en.lm: | $(FOLDER)
	$(SYNTAGMA) train-lm $(TEXT) $(AMALGUM) $(EWT)-train.conllu --output $@ --dev $(EWT)-dev.conllu \
		--max-ngrams 4900000

$(FOLDER):
	mkdir -p $@

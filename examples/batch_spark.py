"""Orders bags of words in a Spark DataFrame: each task of Spark loads the model once.

    spark-submit examples/batch_spark.py bags.jsonl ordered.parquet

The input has a column `words` (a list of strings), and may have others, such as `id`. The output
has these and `text`, `score` and `error`, of which either the first two or the last is null.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pandas
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

import syntagma


def order(bags: DataFrame, model: str = "en") -> DataFrame:
    """The DataFrame with the best order of each bag."""

    def order_frames(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        linearizer = syntagma.load(model)
        for frame in frames:
            problems = [list(words) for words in frame["words"]]
            results = [*linearizer.order_many(problems, on_error="yield")]
            failed = [isinstance(each, syntagma.SyntagmaError) for each in results]
            pairs = [*zip(results, failed, strict=True)]
            yield frame.assign(
                text=[None if bad else each.text for each, bad in pairs],
                score=[None if bad else each.score for each, bad in pairs],
                error=[str(each) if bad else None for each, bad in pairs],
            )

    found = [
        StructField("text", StringType()),
        StructField("score", DoubleType()),
        StructField("error", StringType()),
    ]
    return bags.mapInPandas(order_frames, StructType([*bags.schema.fields, *found]))


if __name__ == "__main__":
    source, target = sys.argv[1:3]
    spark = SparkSession.builder.appName("syntagma").getOrCreate()
    order(spark.read.json(source)).write.parquet(target)

"""Reads a table that does not exist."""

from pyspark.sql import SparkSession


def main():
    spark = SparkSession.builder.appName("missing-table").getOrCreate()
    spark.sql("SELECT * FROM sales.orders WHERE day = '2026-11-30'").show()


if __name__ == "__main__":
    main()

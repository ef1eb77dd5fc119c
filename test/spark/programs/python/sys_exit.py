"""Chooses its exit code and says nothing."""

import sys

from pyspark.sql import SparkSession


def main():
    spark = SparkSession.builder.appName("sys-exit").getOrCreate()
    print("rows:", spark.range(100).count())
    sys.exit(3)


if __name__ == "__main__":
    main()

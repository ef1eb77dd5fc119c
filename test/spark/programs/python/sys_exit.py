"""Chooses its exit code and says nothing."""

import sys

from pyspark.sql import SparkSession


def main():
    SparkSession.builder.appName("sys-exit").getOrCreate()
    sys.exit(3)


if __name__ == "__main__":
    main()

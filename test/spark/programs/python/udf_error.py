"""Dies of an exception that is thrown in a Python function on an executor."""

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf


def share(n):
    return 100 / (n - 4)


def main():
    spark = SparkSession.builder.appName("udf-error").getOrCreate()
    spark.range(10).select(udf(share, "double")("id")).collect()


if __name__ == "__main__":
    main()

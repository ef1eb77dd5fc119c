"""Imports a module that is not in the image."""

import fraud_model_client

from pyspark.sql import SparkSession


def main():
    spark = SparkSession.builder.appName("missing-module").getOrCreate()
    fraud_model_client.score(spark.range(100))


if __name__ == "__main__":
    main()

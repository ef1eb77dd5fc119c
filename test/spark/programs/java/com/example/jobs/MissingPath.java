package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Reads a folder that does not exist. */
public final class MissingPath {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("missing-path").getOrCreate();
    spark.read().parquet("file:///data/orders/2026-11-30").count();
  }
}

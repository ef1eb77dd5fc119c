package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Divides by a column that is zero, in ANSI mode. */
public final class DivideByZero {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("divide-by-zero").config("spark.sql.ansi.enabled", "true").getOrCreate();
    spark.range(10).selectExpr("sum(100 / (id - 4)) AS ratio").show();
  }
}

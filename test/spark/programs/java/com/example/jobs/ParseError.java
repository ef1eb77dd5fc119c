package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Runs a statement that is not SQL. */
public final class ParseError {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("parse-error").getOrCreate();
    spark.sql("SELECT id FORM orders WHERE id > 3").show();
  }
}

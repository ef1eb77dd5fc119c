package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Ends well. */
public final class Success {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("success").getOrCreate();
    System.out.println("rows: " + spark.range(100).count());
    spark.stop();
  }
}

package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Dies of an exception whose message is 200 KB long. */
public final class LongMessage {
  public static void main(String[] args) {
    SparkSession.builder().appName("long-message").getOrCreate();
    String rejected = "order 4711 rejected; ".repeat(200 * 1024 / 21 + 1);
    throw new IllegalStateException("batch failed: " + rejected, new RuntimeException("too many rejected orders"));
  }
}

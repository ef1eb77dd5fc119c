package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Loses a non-daemon thread to an exception and does not notice. */
public final class ThreadErrorIgnored {
  public static void main(String[] args) {
    SparkSession.builder().appName("thread-error-ignored").getOrCreate();
    new Thread(() -> {
      throw new IllegalStateException("no rates for region eu-west");
    }, "loader-0").start();
  }
}

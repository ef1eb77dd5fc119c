package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Loses a worker thread to an exception, notices that and leaves with an exit code. */
public final class ThreadError {
  public static void main(String[] args) throws Exception {
    SparkSession.builder().appName("thread-error").getOrCreate();
    boolean[] done = new boolean[1];
    Thread loader = new Thread(() -> {
      load("eu-west");
      done[0] = true;
    }, "loader-0");
    loader.start();
    loader.join();
    if (!done[0]) {
      System.exit(1);
    }
  }

  private static void load(String region) {
    throw new IllegalStateException("no rates for region " + region);
  }
}

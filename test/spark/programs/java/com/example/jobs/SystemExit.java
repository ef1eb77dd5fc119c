package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Chooses its exit code and says nothing. */
public final class SystemExit {
  public static void main(String[] args) {
    SparkSession.builder().appName("system-exit").getOrCreate();
    System.exit(3);
  }
}

package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Is ended by a SIGTERM from outside the JVM while it works. */
public final class Sigterm {
  public static void main(String[] args) throws Exception {
    SparkSession.builder().appName("sigterm").getOrCreate();
    new ProcessBuilder("kill", "-TERM", Long.toString(ProcessHandle.current().pid())).inheritIO().start();
    Thread.sleep(600_000);
  }
}

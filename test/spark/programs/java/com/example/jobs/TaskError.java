package com.example.jobs;

import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/** Dies of an exception that is thrown in a task on an executor. */
public final class TaskError {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("task-error").getOrCreate();
    spark.range(10).map((MapFunction<Long, Long>) TaskError::price, Encoders.LONG()).collectAsList();
  }

  private static long price(long id) {
    if (id == 7) {
      throw new IllegalArgumentException("negative price for item " + id);
    }
    return id * 3;
  }
}

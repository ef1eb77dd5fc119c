package com.example.jobs;

import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Runs a streaming query whose function throws. */
public final class StreamError {
  public static void main(String[] args) throws Exception {
    SparkSession spark = SparkSession.builder().appName("stream-error").getOrCreate();
    spark.readStream().format("rate").option("rowsPerSecond", 20).load()
        .select(functions.col("value")).as(Encoders.LONG())
        .map((MapFunction<Long, Long>) StreamError::check, Encoders.LONG())
        .writeStream().format("noop").queryName("checks").option("checkpointLocation", "file:///tmp/checks").start()
        .awaitTermination();
  }

  private static long check(long value) {
    if (value == 13) {
      throw new IllegalArgumentException("unlucky value " + value);
    }
    return value;
  }
}

package com.example.jobs;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Holds on to more than the driver's heap has. */
public final class HeapOom {
  public static void main(String[] args) {
    SparkSession.builder().appName("heap-oom").getOrCreate();
    List<long[]> kept = new ArrayList<>();
    while (true) {
      kept.add(new long[4 << 20]);
    }
  }
}

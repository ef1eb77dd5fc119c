package com.example.jobs;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** Dies of an exception of its own with two causes. */
public final class NestedCauses {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("nested-causes").getOrCreate();
    System.out.println("rows: " + spark.range(100).count());
    loadPartners("partners-2026-11.csv");
  }

  private static void loadPartners(String file) {
    try {
      parse(file);
    } catch (IllegalStateException e) {
      throw new RuntimeException("cannot load partners from " + file, e);
    }
  }

  private static void parse(String file) {
    try {
      throw new IOException("line 17: expected 5 columns, found 3");
    } catch (IOException e) {
      throw new IllegalStateException("malformed record in " + file, e);
    }
  }
}

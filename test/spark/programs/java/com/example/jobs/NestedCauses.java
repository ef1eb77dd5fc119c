package com.example.jobs;

import java.util.NoSuchElementException;
import org.apache.spark.sql.SparkSession;

/** Dies of an exception of its own with two causes. */
public final class NestedCauses {
  public static void main(String[] args) {
    SparkSession.builder().appName("nested-causes").getOrCreate();
    price(4711);
  }

  private static void price(int order) {
    try {
      tariff(9);
    } catch (IllegalStateException e) {
      throw new RuntimeException("cannot price order " + order, e);
    }
  }

  private static void tariff(int zone) {
    try {
      throw new NoSuchElementException("zone " + zone);
    } catch (NoSuchElementException e) {
      throw new IllegalStateException("no tariff for zone " + zone, e);
    }
  }
}

package com.example.jobs;

import org.apache.spark.sql.SparkSession;

/** Dies of an exception whose text is beyond ASCII, with characters of two, three and four bytes. */
public final class MultiByte {
  public static void main(String[] args) {
    SparkSession.builder().appName("multi-byte").getOrCreate();
    throw new IllegalStateException("Auftrag für Kundin Müller: 注文が見つかりません 🚚", new RuntimeException("Lager leer — 在庫切れ"));
  }
}

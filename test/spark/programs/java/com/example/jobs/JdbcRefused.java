package com.example.jobs;

import java.util.Properties;
import org.apache.spark.sql.SparkSession;

/** Reads from a database that does not listen, with a password in the URL. */
public final class JdbcRefused {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("jdbc-refused").getOrCreate();
    String url = "jdbc:hive2://127.0.0.1:1/sales;user=etl;password=Tr0ub4dor-3";
    spark.read().option("driver", "org.apache.hive.jdbc.HiveDriver").jdbc(url, "orders", new Properties()).show();
  }
}

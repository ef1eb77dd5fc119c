package com.example.jobs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Fills memory outside the heap until the container's limit is passed. */
public final class ContainerOom {
  public static void main(String[] args) {
    SparkSession.builder().appName("container-oom").getOrCreate();
    List<ByteBuffer> kept = new ArrayList<>();
    while (true) {
      ByteBuffer block = ByteBuffer.allocateDirect(64 << 20);
      for (int i = 0; i < block.capacity(); i += 4096) {
        block.put(i, (byte) 1);
      }
      kept.add(block);
    }
  }
}

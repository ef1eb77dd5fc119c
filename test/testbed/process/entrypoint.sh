#!/usr/bin/env bash
# Stands for the entrypoint of Spark's images: turns the arguments driver and executor into commands.
set -ex

case "$1" in
driver)
  shift
  command=("$SPARK_HOME/bin/spark-submit"
    --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS"
    --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS"
    --deploy-mode client "$@")
  ;;
executor)
  readarray -t options < <(env | grep ^SPARK_JAVA_OPT_ | sort -t_ -k4 -n | cut -d= -f2-)
  command=("$JAVA_HOME/bin/java" "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY"
    -cp "$SPARK_CONF_DIR:$SPARK_HOME/jars/*"
    org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend
    --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES"
    --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP"
    --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME")
  ;;
*)
  command=("$@")
  ;;
esac
exec "${command[@]}"

package main

// What the drivers of the demo print, as Spark, the JVM and Python print it.
const (
	exceptionClass = "java.lang.IllegalStateException"

	startLog = `26/03/11 08:41:02 WARN NativeCodeLoader: Unable to load native-hadoop library for your platform... using builtin-java classes where applicable
26/03/11 08:41:03 INFO SparkContext: Running Spark version 4.1.0
26/03/11 08:41:04 INFO Utils: Successfully started service 'sparkDriver' on port 7078.
26/03/11 08:41:12 INFO DAGScheduler: Job 0 finished: count at Daily.scala:31, took 2.114 s
`

	uncaught = `Exception in thread "main" ` + trace + `26/03/11 08:41:14 INFO ShutdownHookManager: Shutdown hook called
`

	trace = exceptionClass + `: The orders of 2026-03-11 are incomplete
	at com.example.jobs.Daily$.check(Daily.scala:42)
	at com.example.jobs.Daily$.main(Daily.scala:17)
	at com.example.jobs.Daily.main(Daily.scala)
	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
	at org.apache.spark.deploy.JavaMainApplication.start(SparkApplication.scala:52)
	at org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)
Caused by: java.lang.NumberFormatException: For input string: "n/a"
	at java.base/java.lang.Integer.parseInt(Integer.java:652)
	at com.example.jobs.Daily$.count(Daily.scala:58)
	at com.example.jobs.Daily$.check(Daily.scala:40)
	... 6 more
`

	pythonTrace = `Traceback (most recent call last):
  File "/opt/spark/jobs/daily.py", line 12, in <module>
    total = sizes["2026-03-11"]
            ~~~~~^^^^^^^^^^^^^^
KeyError: '2026-03-11'
26/03/11 08:41:14 INFO ShutdownHookManager: Shutdown hook called
`

	pythonAnnotation = `org.apache.spark.SparkUserAppException: User application exited with 1
	at org.apache.spark.deploy.PythonRunner$.main(PythonRunner.scala:130)
	at org.apache.spark.deploy.PythonRunner.main(PythonRunner.scala)
	at org.apache.spark.deploy.JavaMainApplication.start(SparkApplication.scala:52)
	at org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)
`
)

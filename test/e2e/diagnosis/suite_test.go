// Package diagnosis proves the main job with the real operator: what users see on an application and its driver pod.
package diagnosis

import (
	"context"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

func TestDiagnosis(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Diagnosis")
}

// corpus is the folder of the engine's cases.
var corpus = filepath.Join("..", "..", "..", "pkg", "enricher", "diagnosis", "testdata", "corpus")

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{
		Cluster:  cluster.Options{Cases: corpus},
		Enricher: &cluster.EnricherOptions{},
	})
})

const javaTrace = `java.lang.IllegalStateException: The orders of 2026-03-11 are incomplete
	at com.example.jobs.Daily.check(Daily.scala:42)
	at com.example.jobs.Daily$.main(Daily.scala:17)
	at com.example.jobs.Daily.main(Daily.scala)
Caused by: java.lang.NumberFormatException: For input string: "n/a"
	at java.base/java.lang.Integer.parseInt(Integer.java:652)
	at com.example.jobs.Daily.count(Daily.scala:58)
	... 3 more
`

const pythonTrace = `Traceback (most recent call last):
  File "/opt/spark/jobs/daily.py", line 12, in <module>
    total = sizes["2026-03-11"]
KeyError: '2026-03-11'
`

const pythonAnnotation = `org.apache.spark.SparkUserAppException: User application exited with 1
	at org.apache.spark.deploy.PythonRunner$.main(PythonRunner.scala:130)
	at org.apache.spark.deploy.PythonRunner.main(PythonRunner.scala)
`

// infoLog is what a driver prints before it fails.
const infoLog = `26/03/11 08:41:03 INFO SparkContext: Running Spark version 4.1.0
26/03/11 08:41:09 WARN TaskSetManager: Lost task 0.0 in stage 1.0 (TID 3) (10.42.3.18 executor 1): java.io.IOException: retried
`

const fatal = infoLog + `Exception in thread "main" ` + javaTrace

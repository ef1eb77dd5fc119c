package catalogue

import "strings"

// LanguagePackages are the libraries of the languages themselves, without their network and security.
var LanguagePackages = []string{
	"java.lang.", "java.util.", "java.math.", "java.text.", "java.time.", "java.io.", "java.nio.", "jdk.internal.util.",
	"jdk.internal.math.", "scala.", "kotlin.", "groovy.lang.",
	// Spark's rows are containers as those of the languages are.
	"org.apache.spark.sql.Row", "org.apache.spark.sql.catalyst.expressions.GenericRow",
}

// NotLanguages begin like those and are none of them: reflection, pools and channels call without the program.
var NotLanguages = []string{"java.lang.reflect.", "java.util.concurrent.TimeoutException", "java.nio.channels."}

// SoftwarePackages are those of Spark, the JDK and common libraries.
var SoftwarePackages = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "kotlin.", "kotlinx.", "org.apache.", "py4j.", "io.netty.",
	"com.fasterxml.", "com.google.", "com.amazonaws.", "com.amazon.", "software.amazon.", "io.fabric8.", "okhttp3.", "okio.",
	"org.slf4j.", "io.delta.", "com.esotericsoftware.", "org.codehaus.", "org.sparkproject.", "org.postgresql.", "com.mysql.",
	"oracle.", "org.json4s.", "akka.", "org.spark_project.", "groovy.", "com.microsoft.", "com.azure.", "net.snowflake.",
	"com.snowflake.", "com.mongodb.", "org.bson.", "org.elasticsearch.", "org.opensearch.", "com.datastax.", "redis.clients.",
	"com.redislabs.", "io.lettuce.", "com.rabbitmq.", "com.sforce.", "com.springml.", "com.crealytics.", "com.clickhouse.",
	"io.trino.", "com.facebook.", "org.mariadb.", "com.ibm.", "com.teradata.", "com.vertica.", "com.databricks.", "com.uber.",
	"org.projectnessie.", "com.nvidia.", "ai.rapids.", "ml.dmlc.", "com.johnsnowlabs.", "org.tensorflow.", "ai.onnxruntime.",
	"ai.djl.", "org.graphframes.", "org.locationtech.", "com.intel.", "org.hibernate.", "org.springframework.", "io.grpc.",
	"io.confluent.", "io.debezium.", "com.typesafe.", "org.xerial.", "net.jpountz.", "com.github.luben.", "org.eclipse.",
	"org.antlr.", "org.yaml.", "com.zaxxer.", "org.jboss.", "io.minio.", "com.aliyun.", "com.qcloud.", "com.obs.", "org.rocksdb.",
	"com.hierynomus.", "com.jcraft.", "org.jets3t.", "com.twitter.", "org.roaringbitmap.", "org.neo4j.", "com.couchbase.",
	"com.singlestore.", "com.starrocks.", "org.duckdb.", "org.sqlite.", "org.h2.", "org.objenesis.", "net.razorvine.",
	"com.linkedin.", "com.emc.", "io.pravega.", "io.prometheus.", "io.opentelemetry.", "org.scalatest.", "breeze.", "cats.",
	"shapeless.", "shaded.", "repackaged.", "org.objectweb.", "com.thoughtworks.", "org.joda.", "com.sksamuel.", "com.arangodb.",
	"com.exasol.", "io.unitycatalog.", "xenon.", "com.simba.", "za.co.absa.", "io.openlineage.", "org.geotools.", "com.synapse.", "com.cloudera.", "com.hortonworks.",
}

// SparkAPI are the classes of Spark that a program calls itself.
var SparkAPI = []string{
	"org.apache.spark.rdd.", "org.apache.spark.sql.Dataset", "org.apache.spark.sql.DataFrame", "org.apache.spark.sql.Column",
	"org.apache.spark.sql.functions", "org.apache.spark.ml.", "org.apache.spark.mllib.", "org.apache.spark.api.java.",
}

// PythonComputing are the packages that only compute: the exceptions of the language in them say that they were called wrongly.
var PythonComputing = []string{"pandas", "numpy", "polars", "pyspark", "scipy", "sklearn", "dateutil", "pytz"}

// PythonPackages are modules that programs import, as their exceptions' classes begin.
var PythonPackages = setOf(`aiohttp airflow anthropic azure boto3 botocore cassandra clickhouse_connect
		clickhouse_driver confluent_kafka cx_Oracle databricks dbt delta elastic_transport elasticsearch fsspec gcsfs google
		great_expectations grpc gspread httpx huggingface_hub hvac jinja2 kafka kazoo kubernetes mlflow mysql neo4j openai
		opensearchpy oracledb pandera paramiko pika pinot psycopg psycopg2 py4j pyarrow pydantic pydeequ pyhive pyiceberg
		pymongo pymssql pymysql pyodbc pyspark pyodps ray redis requests s3fs salesforce simple_salesforce smart_open
		snowflake soda sqlalchemy tenacity thrift transformers trino urllib3 xgboost`)

// PythonLibraries are parts of the paths below which no program's own file lies.
var PythonLibraries = []string{
	"site-packages/", "dist-packages/", "/python/pyspark/", "pyspark.zip/", "/py4j-", "/py4j/", "/lib/python", "<frozen", "<__array_function__",
}

// PythonOfSpark are the packages that come with Spark and are not installed as others are.
var PythonOfSpark = []struct{ Path, Name string }{
	{"/python/pyspark/", "pyspark"}, {"pyspark.zip/", "pyspark"}, {"/py4j-", "py4j"}, {"/py4j/", "py4j"},
}

// PythonOwnModules are modules of Python's own library that only compute.
var PythonOwnModules = setOf("json decimal re struct csv binascii zoneinfo datetime uuid statistics fractions ast xml html builtins")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

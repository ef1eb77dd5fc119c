package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// pythonOrigin reads a Python traceback, whose last frame threw.
func pythonOrigin(class string, frames []string) origin {
	var beneath []string // the frames beneath the program's last own
	for _, f := range frames {
		switch {
		case isPythonOwn(f):
			beneath = nil
		case isPythonFrame(f):
			beneath = append(beneath, f)
		}
	}
	if len(beneath) == 0 {
		return origin{program: true}
	}
	thrower := packageInFile(beneath[len(beneath)-1])
	for _, f := range beneath {
		if strings.HasSuffix(f, ", in <module>") && packageInFile(f) != "" {
			return origin{software: thrower, importing: true}
		}
	}
	if isBuiltin(class) && (thrower == "" || isComputing(thrower) && class != "RuntimeError") {
		return origin{program: true}
	}
	return origin{software: thrower}
}

// computing are the packages that only compute: the exceptions of the language in them say that they were called wrongly.
var computing = []string{"pandas", "numpy", "polars", "pyspark", "scipy", "sklearn", "dateutil", "pytz"}

func isComputing(name string) bool {
	for _, c := range computing {
		if name == c {
			return true
		}
	}
	return false
}

// isBuiltin: Python prints the language's own exceptions without a module, and those of its own library with one.
func isBuiltin(class string) bool {
	module, _, qualified := strings.Cut(class, ".")
	if qualified {
		return pythonOwnModules[module]
	}
	return strings.HasSuffix(class, "Error") || pythonOthers[class]
}

// pythonOwnModules are modules of Python's own library that only compute.
var pythonOwnModules = setOf("json decimal re struct csv binascii zoneinfo datetime uuid statistics fractions ast xml html builtins")

var pythonOthers = map[string]bool{"StopIteration": true, "Exception": true, "Warning": true, "BaseException": true}

func isPythonFrame(f string) bool { return strings.HasPrefix(f, `File "`) }

// pythonLibraries are parts of the paths below which no program's own file lies.
var pythonLibraries = []string{
	"site-packages", "dist-packages", "/pyspark", "py4j", "/lib/python", "<frozen", "pyspark.zip", "<__array_function__",
}

func isPythonOwn(f string) bool {
	if !isPythonFrame(f) {
		return false
	}
	for _, lib := range pythonLibraries {
		if strings.Contains(f, lib) {
			return false
		}
	}
	return true
}

// packageInFile is the package that a frame's file belongs to; "" for Python's own library.
func packageInFile(f string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(f, `File "`), `"`)
	for _, root := range []string{"site-packages/", "dist-packages/"} {
		if at := strings.LastIndex(path, root); at >= 0 {
			name, _, _ := strings.Cut(path[at+len(root):], "/")
			return strings.TrimSuffix(name, ".py")
		}
	}
	for _, name := range []string{"pyspark", "py4j"} {
		if strings.Contains(path, "/"+name) {
			return name
		}
	}
	return ""
}

// notebookFrames are the frames of IPython, which prints "File /opt/app/job.py:8, in run()" and "Cell In[3], line 1", in
// the form of a traceback.
func notebookFrames(lines []string) []string {
	var frames []string
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(l, "File "); ok && strings.Contains(rest, ", in ") && !strings.HasPrefix(rest, `"`) {
			path, _, _ := strings.Cut(rest, ":")
			frames = append(frames, `File "`+path+`"`)
		} else if strings.HasPrefix(l, "Cell In[") {
			frames = append(frames, `File "notebook"`)
		}
	}
	return frames
}

// pythonPackages are modules that programs import, as their exceptions' classes begin.
var pythonPackages = setOf(`aiohttp airflow anthropic azure boto3 botocore cassandra clickhouse_connect
		clickhouse_driver confluent_kafka cx_Oracle databricks dbt delta elastic_transport elasticsearch fsspec gcsfs google
		great_expectations grpc gspread httpx huggingface_hub hvac jinja2 kafka kazoo kubernetes mlflow mysql neo4j openai
		opensearchpy oracledb pandera paramiko pika pinot psycopg psycopg2 py4j pyarrow pydantic pydeequ pyhive pyiceberg
		pymongo pymssql pymysql pyodbc pyspark pyodps ray redis requests s3fs salesforce simple_salesforce smart_open
		snowflake soda sqlalchemy tenacity thrift transformers trino urllib3 xgboost`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isPythonPackage reports whether a class's module is a package: a known one, or one whose own files the traceback shows
// among the installed.
func isPythonPackage(x *throwable.Exception, class string) bool {
	module, _, _ := strings.Cut(class, ".")
	if pythonPackages[module] {
		return true
	}
	for _, link := range x.Chain() {
		for _, f := range link.Frames {
			if isPythonFrame(f) && packageInFile(f) == module {
				return true
			}
		}
	}
	return false
}

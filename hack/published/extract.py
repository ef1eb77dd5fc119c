#!/usr/bin/env python3
"""Prints the names of a published list, so that it can be renewed.

    hack/published/extract.py LIST            all names
    hack/published/extract.py LIST --missing  the names that the list's file does not decide yet

The artefacts are fetched by mvn and pip; the Spark distributions are those that hack/spark/fetch.sh puts into .cache
(written here as version/jar). To renew a list, raise its versions here and in the head of its file, and
decide each name that --missing prints. Lists without an entry here are kept by hand from the documents that their
heads name.
"""
import argparse
import ast
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
DATA = ROOT / "pkg/enricher/diagnosis/internal/catalogue/published/data"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
EXCEPTION = re.compile(r"(Exception|Error|Failure|InvalidToken)\.class$")

# Class lists: artefacts, and which of their classes are the software's own.
CLASSES = {
    "kafka": (["org.apache.kafka:kafka-clients:3.9.1"], r"org/apache/kafka/(common/errors|clients|common/(KafkaException|config/|security/|network/))"),
    "iceberg": (["org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0"], r"org/apache/iceberg/(?!shaded|relocated)"),
    "hudi": (["org.apache.hudi:hudi-spark3.5-bundle_2.12:1.0.2"], r"org/apache/hudi/(?!org/|com/|javax/|io/)"),
    "paimon": (["org.apache.paimon:paimon-bundle:1.0.1"], r"org/apache/paimon/(?!shade)"),
    "hadoop": (["org.apache.hadoop:hadoop-common:3.4.1", "4.3.0/hadoop-client-api", "org.apache.hadoop:hadoop-azure:3.4.1"],
               r"org/apache/hadoop/(fs|hdfs|io|ipc|security|util|net|ha|crypto|conf|service|metrics2|mapred/[A-Z]|mapreduce/)|org/apache/hadoop/Hadoop"),
    "celeborn": (["org.apache.celeborn:celeborn-client-spark-3-shaded_2.12:0.5.4"], r"org/apache/celeborn/(?!shaded)"),
    "uniffle": (["org.apache.uniffle:rss-client-spark3-shaded:0.9.2"], r"org/apache/uniffle/(?!shaded)"),
    "mongodb": (["org.mongodb:mongodb-driver-core:5.5.0"], r"com/mongodb/(?!internal)"),
    "cassandra": (["com.datastax.oss:java-driver-core:4.17.0"], r"com/datastax/"),
    "aws": (["software.amazon.awssdk:sdk-core:2.31.0", "software.amazon.awssdk:s3:2.31.0"], r"software/amazon/"),
    "google": (["com.google.api:gax:2.63.0"], r"com/google/api/"),
    "azure": (["com.azure:azure-storage-blob:12.30.0"], r"com/azure/"),
    "postgresql": (["org.postgresql:postgresql:42.7.7"], r"org/postgresql/"),
    "mysql": (["com.mysql:mysql-connector-j:9.3.0"], r"com/mysql/"),
    "sqlserver": (["com.microsoft.sqlserver:mssql-jdbc:12.10.1.jre11"], r"com/microsoft/"),
    "snowflake": (["net.snowflake:snowflake-jdbc:3.24.2"], r"net/snowflake/client/(?!jdbc/internal)"),
    "oracle": (["com.oracle.database.jdbc:ojdbc11:23.8.0.25.04"], r"oracle/"),
    "redshift": (["com.amazon.redshift:redshift-jdbc42:2.1.0.33"], r"com/amazon/redshift/"),
    "rabbitmq": (["com.rabbitmq:amqp-client:5.25.0"], r"com/rabbitmq/"),
    "redis": (["redis.clients:jedis:5.2.0"], r"redis/"),
    "elasticsearch": (["co.elastic.clients:elasticsearch-java:8.17.0"], r"co/elastic/"),
    "orc": (["org.apache.orc:orc-core:1.9.5"], r"org/apache/orc/"),
    "arrow": (["org.apache.arrow:arrow-vector:17.0.0"], r"org/apache/arrow/"),
    "parquet": (["4.3.0/parquet-common", "4.3.0/parquet-column", "4.3.0/parquet-hadoop"],
                r"org/apache/parquet/(?!shaded)"),
}

DELTA = ["io.delta:delta-spark_2.12:3.3.2", "io.delta:delta-spark_2.13:4.0.0", "io.delta:delta-spark_2.13:4.0.1",
         "io.delta:delta-spark_2.13:4.1.0", "io.delta:delta-spark_4.1_2.13:4.3.0"]
SPARK = ["org.apache.spark:spark-core_2.12:3.4.4", "3.5.9/spark-common-utils_2", "org.apache.spark:spark-common-utils_2.13:4.0.1",
         "4.1.4/spark-common-utils_2", "4.3.0/spark-common-utils_2"]
PYSPARK = ["3.5.9", "4.1.4", "4.3.0"]

# Modules of Python packages whose exception classes are listed.
PYTHON = {
    "botocore==1.40.0": ("botocore/exceptions.py", "botocore.exceptions"),
    "google-api-core==2.44.0": ("google/api_core/exceptions.py", "google.api_core.exceptions"),
    "openai==3.63.0": ("openai/_exceptions.py", "openai"),
    "redis==8.2.0": ("redis/exceptions.py", "redis.exceptions"),
    "pymongo==4.20.1": ("pymongo/errors.py", "pymongo.errors"),
    "elasticsearch==9.5.1": ("elasticsearch/exceptions.py", "elasticsearch.exceptions"),
    "requests==2.34.2": ("requests/exceptions.py", "requests.exceptions"),
}


def jar(artefact):
    if "/" in artefact:
        version, name = artefact.split("/")
        (path,) = (ROOT / ".cache/spark" / version / "jars").glob(f"{name}*.jar")
        return zipfile.ZipFile(path)
    group, name, version = artefact.split(":")
    directory = tempfile.mkdtemp()
    subprocess.run(["mvn", "-q", "-B", COPY, f"-Dartifact={group}:{name}:{version}:jar", f"-DoutputDirectory={directory}"],
                   check=True, stdout=subprocess.DEVNULL)
    return zipfile.ZipFile(f"{directory}/{name}-{version}.jar")


def wheel(package):
    directory = tempfile.mkdtemp()
    subprocess.run(["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", directory, package], check=True)
    (path,) = pathlib.Path(directory).iterdir()
    return zipfile.ZipFile(path).read


def conditions(table, sub):
    for name, body in table.items():
        yield name
        for inner in body.get(sub, {}):
            yield f"{name}.{inner}"


def spark_conditions(artefacts, pattern):
    for artefact in artefacts:
        archive = jar(artefact)
        for member in archive.namelist():
            table = json.loads(archive.read(member)) if re.fullmatch(pattern, member) else {}
            # Newer versions keep the classes of SQLSTATE in error-classes.json.
            yield from conditions({k: v for k, v in table.items() if isinstance(v, dict)}, "subClass")


def pyspark_conditions():
    for version in PYSPARK:
        archive = zipfile.ZipFile(ROOT / ".cache/spark" / version / "python/lib/pyspark.zip")
        try:
            text = archive.read("pyspark/errors/error-conditions.json")
        except KeyError:
            text = literal(archive.read("pyspark/errors/error_classes.py").decode(), "ERROR_CLASSES_JSON")
        yield from conditions(json.loads(text), "sub_class")


def literal(source, name):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            return ast.literal_eval(value)
    raise KeyError(name)


def classes(artefacts, own):
    for artefact in artefacts:
        for member in jar(artefact).namelist():
            if re.match(own, member) and EXCEPTION.search(member) and not re.search(r"\$\d|FunctionWith", member):
                yield member.removesuffix(".class").replace("/", ".")


def python_classes():
    for package, (member, module) in PYTHON.items():
        for name in re.findall(r"^class (\w+)", wheel(package)(member).decode(), re.M):
            yield f"{module}.{name}"


def psycopg_codes():
    source = wheel("psycopg2-binary==2.9.13")("psycopg2/errorcodes.py").decode()
    return re.findall(r"^([A-Z0-9_]+) = '([0-9A-Z]{5})'", source, re.M)


def names(name):
    if name == "delta":
        return spark_conditions(DELTA, r"error/delta-error-classes\.json")
    if name == "spark":
        return spark_conditions(SPARK, r"error/error-(conditions|classes)\.json")
    if name == "pyspark":
        return pyspark_conditions()
    if name == "sqlstate":
        return list(json.loads(jar(SPARK[-1]).read("error/error-states.json"))) + [code for _, code in psycopg_codes()]
    if name == "psycopg2":
        return ["psycopg2.errors." + "".join(p.capitalize() for p in n.split("_")) for n, _ in psycopg_codes() if not n.startswith("CLASS_")]
    if name == "python":
        return python_classes()
    if name == "kafka-codes":
        return kafka_codes()
    return classes(*CLASSES[name])


def kafka_codes():
    archive = jar(CLASSES["kafka"][0][0])
    out = subprocess.run(["javap", "-cp", archive.filename, "org.apache.kafka.common.protocol.Errors"],
                         check=True, capture_output=True, text=True).stdout
    return re.findall(r"static final org\.apache\.kafka\.common\.protocol\.Errors (\w+);", out)


def decided(name):
    lines = (DATA / f"{name}.tsv").read_text().splitlines()
    return {line.split("\t")[0] for line in lines if not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list")
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args()
    known = decided(args.list) if args.missing else set()
    print("\n".join(sorted(set(names(args.list)) - known)))


if __name__ == "__main__":
    main()

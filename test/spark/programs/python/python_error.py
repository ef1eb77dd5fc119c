"""Dies of an exception of its own with a cause, in the driver."""

from pyspark.sql import SparkSession


def read_threshold(settings):
    try:
        return settings["threshold"]
    except KeyError as e:
        raise ValueError("settings have no threshold") from e


def main():
    SparkSession.builder.appName("python-error").getOrCreate()
    read_threshold({"limit": 3})


if __name__ == "__main__":
    main()

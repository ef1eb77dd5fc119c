package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// valueRules: values and files that are bad.
var valueRules = []Rule{
	{
		ID: "value.parquet-decoding-exception",
		Classes: []string{
			"ParquetDecodingException", "FileFormatException", "BadRecordException", "MalformedRecordException",
			"CorruptRecordException", "ChecksumException", "DataFormatException",
			"UnsupportedTemporalTypeException", "SparkArithmeticException", "SparkDateTimeException",
			"SparkNumberFormatException", "SparkUpgradeException", "InvalidProtocolBufferException",
			"JsonParseException", "MalformedInputException", "BadZipFile", "ZipException",
			"SchemaParseException", "ArrowInvalid", "DataError", "IntegrityError",
			"SQLIntegrityConstraintViolationException", "DataTruncation", "CorruptedFileException",
			"TextParsingException", "InvalidRecordException", "UnicodeDecodeError",
			"EmptyDataError", "BadGzipFile", "OutOfBoundsDatetime", "ArrowTypeError",
		},
		Reason: failure.ReasonInvalidData,
	},
	{
		ID:      "value.eof-exception.unexpected-end-of-input-stream",
		Classes: []string{"EOFException"}, Texts: []string{"unexpected end of input stream", "reached the end of stream"},
		Reason: failure.ReasonInvalidData,
	},
	{
		ID:      "value.arithmetic-exception.divide-by-zero",
		Classes: []string{"ArithmeticException"}, Texts: []string{"divide by zero", "overflow. "},
		Not: []string{"biginteger", "bigdecimal"}, Reason: failure.ReasonInvalidData,
	},
	{
		ID: "value.is-not-a-parquet-file",
		Texts: []string{
			"is not a parquet file", "could not read footer", "expected magic number", "malformed orc",
			"not a data file", "not an avro data file", "invalid sync", "malformed records are detected",
			"malformed record", "incorrect header check", "not in gzip format", "invalid magic", "corrupt",
			"unexpected end of zlib", "unexpected end-of-input", "duplicate key value violates",
			"violates not-null constraint", "violates unique constraint", "duplicate entry",
			"value too long for type", "out of range for column", "null value in column", "data truncation", "multiple source rows matched", "data truncated",
			"more than one row returned by a subquery", "constraint violated", "check constraint",
			"values to assemble cannot be null", "encountered null while assembling",
			"encountered nan while assembling", "unseen label", "null value appeared in non-nullable field",
			"invalid utf-8", "ora-00001", "ora-01400", "ora-01438", "ora-01722", "ora-12899", "sqlstate=23",
			"sqlstate=22", "error tokenizing data", "stl_load_errors", "sys_load_error_detail",
			"error while reading data, error message",
		},
		Not: []string{"class ", "wrong fs"}, Reason: failure.ReasonInvalidData,
	},
}

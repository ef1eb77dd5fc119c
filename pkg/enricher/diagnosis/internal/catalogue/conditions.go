package catalogue

import (
	"strings"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// condition is what an error condition or SQLSTATE means. One that names only the place where something failed
// (place) decides where nothing beneath it does.
type condition struct {
	reason    v1beta2.Reason
	retryable v1beta2.Retryable
	place     bool
}

// conditionVerdict looks a condition up: by its whole name, then by its main name, then by prefix, then its SQLSTATE.
func conditionVerdict(name, state string) (condition, bool) {
	if name != "" {
		if c, ok := conditions[name]; ok {
			return c, true
		}
		main, _, _ := strings.Cut(name, ".")
		if c, ok := conditions[main]; ok {
			return c, true
		}
		for _, p := range conditionPrefixes {
			if strings.HasPrefix(name, p.prefix) {
				return p.condition, true
			}
		}
	}
	if c, ok := states[state]; ok {
		return c, true
	}
	if len(state) == 5 {
		c, ok := stateClasses[state[:2]]
		return c, ok
	}
	return condition{}, false
}

var conditions = map[string]condition{
	"DATA_SOURCE_NOT_FOUND":                                    {reason: v1beta2.ReasonMissingDependency},
	"CANNOT_LOAD_FUNCTION_CLASS":                               {reason: v1beta2.ReasonMissingDependency},
	"CODEC_NOT_AVAILABLE":                                      {reason: v1beta2.ReasonMissingDependency},
	"PACKAGE_NOT_INSTALLED":                                    {reason: v1beta2.ReasonMissingDependency},
	"PYTHON_DATA_SOURCE_ERROR":                                 {reason: v1beta2.ReasonUserCodeError, place: true},
	"UNSUPPORTED_PACKAGE_VERSION":                              {reason: v1beta2.ReasonDependencyConflict},
	"PYTHON_VERSION_MISMATCH":                                  {reason: v1beta2.ReasonDependencyConflict},
	"CATALOG_NOT_FOUND":                                        {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_DRIVER_MEMORY":                                    {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_EXECUTOR_MEMORY":                                  {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_EXECUTOR_MEMORY_OPTIONS":                          {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_KRYO_SERIALIZER_BUFFER_SIZE":                      {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_CONF_VALUE":                                       {reason: v1beta2.ReasonInvalidConfiguration},
	"INVALID_SPARK_CONFIG":                                     {reason: v1beta2.ReasonInvalidConfiguration},
	"KRYO_BUFFER_OVERFLOW":                                     {reason: v1beta2.ReasonInvalidConfiguration},
	"CONFIG_NOT_AVAILABLE":                                     {reason: v1beta2.ReasonInvalidConfiguration},
	"CANNOT_MODIFY_CONFIG":                                     {reason: v1beta2.ReasonInvalidConfiguration},
	"CANNOT_MODIFY_STATIC_CONFIG":                              {reason: v1beta2.ReasonInvalidConfiguration},
	"MASTER_URL_NOT_SET":                                       {reason: v1beta2.ReasonInvalidConfiguration},
	"MASTER_URL_INVALID":                                       {reason: v1beta2.ReasonInvalidConfiguration},
	"NOT_NULL_ASSERT_VIOLATION":                                {reason: v1beta2.ReasonInvalidData},
	"NOT_NULL_CONSTRAINT_VIOLATION":                            {reason: v1beta2.ReasonInvalidData},
	"NULL_MAP_KEY":                                             {reason: v1beta2.ReasonInvalidData},
	"EXCEED_LIMIT_LENGTH":                                      {reason: v1beta2.ReasonInvalidData},
	"CANNOT_LOAD_PROTOBUF_CLASS":                               {reason: v1beta2.ReasonMissingDependency},
	"EXPRESSION_ENCODING_FAILED":                               {reason: v1beta2.ReasonUserCodeError, place: true},
	"EXPRESSION_DECODING_FAILED":                               {reason: v1beta2.ReasonUserCodeError, place: true},
	"DATETIME_FIELD_OUT_OF_BOUNDS":                             {reason: v1beta2.ReasonInvalidData},
	"SQL_CONF_NOT_FOUND":                                       {reason: v1beta2.ReasonInvalidConfiguration},
	"JAVA_GATEWAY_EXITED":                                      {reason: v1beta2.ReasonInvalidConfiguration},
	"PATH_NOT_FOUND":                                           {reason: v1beta2.ReasonDataNotFound},
	"LOAD_DATA_PATH_NOT_EXISTS":                                {reason: v1beta2.ReasonDataNotFound},
	"FAILED_READ_FILE.FILE_NOT_EXIST":                          {reason: v1beta2.ReasonDataNotFound},
	"UNABLE_TO_INFER_SCHEMA":                                   {reason: v1beta2.ReasonDataNotFound},
	"DELTA_PATH_DOES_NOT_EXIST":                                {reason: v1beta2.ReasonDataNotFound},
	"DELTA_MISSING_DELTA_TABLE":                                {reason: v1beta2.ReasonDataNotFound},
	"DELTA_LOG_FILE_NOT_FOUND":                                 {reason: v1beta2.ReasonDataNotFound},
	"DELTA_FILE_NOT_FOUND":                                     {reason: v1beta2.ReasonDataNotFound},
	"DELTA_FILE_NOT_FOUND_DETAILED":                            {reason: v1beta2.ReasonDataNotFound},
	"FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH":       {reason: v1beta2.ReasonSchemaMismatch},
	"FAILED_READ_FILE":                                         {reason: v1beta2.ReasonInvalidData, place: true},
	"INCOMPATIBLE_DATA_FOR_TABLE":                              {reason: v1beta2.ReasonSchemaMismatch},
	"INSERT_COLUMN_ARITY_MISMATCH":                             {reason: v1beta2.ReasonSchemaMismatch},
	"INSERT_PARTITION_COLUMN_ARITY_MISMATCH":                   {reason: v1beta2.ReasonSchemaMismatch},
	"CANNOT_MERGE_SCHEMAS":                                     {reason: v1beta2.ReasonSchemaMismatch},
	"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE":                      {reason: v1beta2.ReasonSchemaMismatch},
	"PARQUET_CONVERSION_FAILURE":                               {reason: v1beta2.ReasonSchemaMismatch},
	"ERROR_READING_AVRO_UNKNOWN_FINGERPRINT":                   {reason: v1beta2.ReasonSchemaMismatch},
	"AVRO_INCOMPATIBLE_READ_TYPE":                              {reason: v1beta2.ReasonSchemaMismatch},
	"DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG": {reason: v1beta2.ReasonInvalidConfiguration},
	"DELTA_INVALID_PROTOCOL_VERSION":                           {reason: v1beta2.ReasonDependencyConflict},
	"DELTA_VERSIONS_NOT_CONTIGUOUS":                            {reason: v1beta2.ReasonInvalidData},
	"DELTA_TRUNCATED_TRANSACTION_LOG":                          {reason: v1beta2.ReasonInvalidData},
	"DELTA_REPLACE_WHERE_MISMATCH":                             {reason: v1beta2.ReasonInvalidData},
	"DELTA_FAILED_TO_MERGE_FIELDS":                             {reason: v1beta2.ReasonSchemaMismatch},
	"DELTA_MERGE_INCOMPATIBLE_DATATYPE":                        {reason: v1beta2.ReasonSchemaMismatch},
	"DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE":                    {reason: v1beta2.ReasonSchemaMismatch},
	"DELTA_METADATA_MISMATCH":                                  {reason: v1beta2.ReasonSchemaMismatch},
	"DELTA_SCHEMA_CHANGED":                                     {reason: v1beta2.ReasonSchemaMismatch},
	"CONCURRENT_QUERY":                                         {reason: v1beta2.ReasonStreamingStateError},
	"CONCURRENT_STREAM_LOG_UPDATE":                             {reason: v1beta2.ReasonStreamingStateError},
	"BATCH_METADATA_NOT_FOUND":                                 {reason: v1beta2.ReasonStreamingStateError},
	"KAFKA_DATA_LOSS":                                          {reason: v1beta2.ReasonStreamingStateError},
	"MISSING_TIMESTAMP_OFFSET":                                 {reason: v1beta2.ReasonStreamingStateError},
	"OFFSET_LOG_MISMATCH":                                      {reason: v1beta2.ReasonStreamingStateError},
	"STREAM_FAILED":                                            {reason: v1beta2.ReasonUserCodeError, place: true},
	"FOREACH_BATCH_USER_FUNCTION_ERROR":                        {reason: v1beta2.ReasonUserCodeError, place: true},
	"FOREACH_USER_FUNCTION_ERROR":                              {reason: v1beta2.ReasonUserCodeError, place: true},
	"FAILED_EXECUTE_UDF":                                       {reason: v1beta2.ReasonUserCodeError, place: true},
	"FAILED_FUNCTION_CALL":                                     {reason: v1beta2.ReasonUserCodeError, place: true},
	"PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR":               {reason: v1beta2.ReasonUserCodeError, place: true},
	"UDTF_EXEC_ERROR":                                          {reason: v1beta2.ReasonUserCodeError},
	"USER_RAISED_EXCEPTION":                                    {reason: v1beta2.ReasonUserCodeError},
	"TASK_WRITE_FAILED":                                        {reason: v1beta2.ReasonUserCodeError, place: true},
	"FAILED_JDBC":                                              {reason: v1beta2.ReasonExternalServiceUnavailable, place: true},
	"FAILED_RENAME_PATH":                                       {reason: v1beta2.ReasonUserCodeError, place: true},
	"FAILED_RENAME_TEMP_FILE":                                  {reason: v1beta2.ReasonUserCodeError, place: true},
	"CANNOT_CREATE_DATA_SOURCE_TABLE":                          {reason: v1beta2.ReasonSqlAnalysisError, place: true},
	"INTERNAL_ERROR":                                           {reason: v1beta2.ReasonUnknown, place: true},
	"UNABLE_TO_ACQUIRE_MEMORY":                                 {reason: v1beta2.ReasonDriverOutOfMemory, place: true},
	"_LEGACY_ERROR_TEMP_2250":                                  {reason: v1beta2.ReasonDriverOutOfMemory},
	"CANNOT_RECEIVE_REPLY":                                     {reason: v1beta2.ReasonExecutorLost, place: true},
	"SPARK_JOB_CANCELLED":                                      {reason: v1beta2.ReasonDriverTerminated},
	"OPERATION_CANCELED":                                       {reason: v1beta2.ReasonDriverTerminated},
	"CONNECT":                                                  {reason: v1beta2.ReasonUnknown, place: true},
	"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE":   {reason: v1beta2.ReasonInvalidData},
}

type prefixed struct {
	prefix string
	condition
}

var conditionPrefixes = []prefixed{
	{"DELTA_CONCURRENT_", condition{reason: v1beta2.ReasonCommitConflict}},
	{"DELTA_PROTOCOL_CHANGED", condition{reason: v1beta2.ReasonCommitConflict}},
	{"DELTA_METADATA_CHANGED", condition{reason: v1beta2.ReasonCommitConflict}},
	{"DELTA_SCHEMA_CHANGE", condition{reason: v1beta2.ReasonSchemaMismatch}},
	{"DELTA_UNSUPPORTED_FEATURES_", condition{reason: v1beta2.ReasonDependencyConflict}},
	{"DELTA_SOURCE_", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"DELTA_STREAM", condition{reason: v1beta2.ReasonStreamingStateError, place: true}},
	{"CANNOT_LOAD_STATE_STORE", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"CANNOT_WRITE_STATE_STORE", condition{reason: v1beta2.ReasonStreamingStateError, place: true}},
	{"STATE_STORE_", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"STDS_", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"STATEFUL_PROCESSOR_", condition{reason: v1beta2.ReasonStreamingStateError, place: true}},
	{"STREAMING_STATEFUL_", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"STREAMING_CHECKPOINT", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"MALFORMED_CHECKPOINT", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"KAFKA_", condition{reason: v1beta2.ReasonStreamingStateError, place: true}},
	{"CHECKPOINT_FILE_", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"MALFORMED_", condition{reason: v1beta2.ReasonInvalidData}},
	{"INCOMPATIBLE_STREAMING", condition{reason: v1beta2.ReasonStreamingStateError}},
	{"INVALID_SPARK_", condition{reason: v1beta2.ReasonInvalidConfiguration}},
	{"INVALID_CONF", condition{reason: v1beta2.ReasonInvalidConfiguration}},
	{"DELTA_", condition{reason: v1beta2.ReasonSqlAnalysisError, place: true}},
}

// states are the SQLSTATEs that mean something else than their class.
var states = map[string]condition{
	"22KD3": {reason: v1beta2.ReasonMissingDependency},
	"42501": {reason: v1beta2.ReasonAccessDenied},
	"42K03": {reason: v1beta2.ReasonDataNotFound},
	"42K0B": {reason: v1beta2.ReasonInvalidData, place: true},
	"42KDE": {reason: v1beta2.ReasonSqlAnalysisError, place: true},
	"56038": {reason: v1beta2.ReasonInvalidConfiguration},
	"54006": {reason: v1beta2.ReasonInvalidConfiguration, place: true},
	"58030": {reason: v1beta2.ReasonExternalServiceUnavailable, place: true},
	"57012": {reason: v1beta2.ReasonExternalServiceUnavailable, place: true},
	"53200": {reason: v1beta2.ReasonDriverOutOfMemory, place: true},
	"P0001": {reason: v1beta2.ReasonUserCodeError},
	"2200G": {reason: v1beta2.ReasonSchemaMismatch, place: true},
}

// stateClasses are the first two characters of a SQLSTATE.
var stateClasses = map[string]condition{
	"07": {reason: v1beta2.ReasonSqlAnalysisError, place: true},
	"08": {reason: v1beta2.ReasonExternalServiceUnavailable, retryable: v1beta2.RetryableTrue},
	"0A": {reason: v1beta2.ReasonSqlAnalysisError, place: true},
	"21": {reason: v1beta2.ReasonInvalidData},
	"22": {reason: v1beta2.ReasonInvalidData, place: true},
	"23": {reason: v1beta2.ReasonInvalidData},
	"28": {reason: v1beta2.ReasonAccessDenied},
	"38": {reason: v1beta2.ReasonUserCodeError, place: true},
	"39": {reason: v1beta2.ReasonUserCodeError, place: true},
	"40": {reason: v1beta2.ReasonCommitConflict},
	"42": {reason: v1beta2.ReasonSqlAnalysisError},
	"54": {reason: v1beta2.ReasonSqlAnalysisError, place: true},
	"F0": {reason: v1beta2.ReasonInvalidConfiguration},
	"XX": {reason: v1beta2.ReasonUnknown, place: true},
}

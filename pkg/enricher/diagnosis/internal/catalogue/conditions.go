package catalogue

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue/published"
)

// condition is what an error condition or SQLSTATE means. One that names only the place where something failed
// (place) decides where nothing beneath it does.
type condition struct {
	reason    failure.Reason
	retryable failure.Retryable
	place     bool
	// defers: neither it nor its SQLSTATE says whose fault it is; cause and frames decide.
	defers bool
}

// conditionVerdict looks a condition up: by its whole name, then by its main name, in the published lists, by prefix, and
// at last by its SQLSTATE.
func conditionVerdict(name, state string) (c condition, rule string, ok bool) {
	if name != "" {
		if c, ok := conditions[name]; ok {
			return c, ruleID("condition.", name), true
		}
		main, _, _ := strings.Cut(name, ".")
		if c, ok := conditions[main]; ok {
			return c, ruleID("condition.", main), true
		}
		if d, ok := published.Condition(name); ok {
			c := condition{reason: d.Reason, retryable: d.Retryable, place: d.Reason == failure.ReasonSqlAnalysisError, defers: d.Defer}
			return c, ruleID("condition."+d.List+".", main), true
		}
		for _, p := range conditionPrefixes {
			if strings.HasPrefix(name, p.prefix) {
				return p.condition, ruleID("condition.", p.prefix+"*"), true
			}
		}
	}
	if c, ok := states[state]; ok {
		return c, "sqlstate." + state, true
	}
	if len(state) == 5 {
		c, ok := stateClasses[state[:2]]
		return c, "sqlstate." + state[:2], ok
	}
	return condition{}, "", false
}

// maxRuleID is the longest ID of a rule, in bytes.
const maxRuleID = 63

func ruleID(kind, name string) string {
	id := kind + name
	return id[:min(len(id), maxRuleID)]
}

// verdict fills in the defaults of the condition's reason.
func (c condition) verdict(rule string) Verdict {
	v := Of(rule, c.reason)
	if c.retryable != "" {
		v.Retryable = c.retryable
	}
	return v
}

var conditions = map[string]condition{
	"DATA_SOURCE_NOT_FOUND":                                    {reason: failure.ReasonMissingDependency},
	"CANNOT_LOAD_FUNCTION_CLASS":                               {reason: failure.ReasonMissingDependency},
	"CODEC_NOT_AVAILABLE":                                      {reason: failure.ReasonMissingDependency},
	"PACKAGE_NOT_INSTALLED":                                    {reason: failure.ReasonMissingDependency},
	"PYTHON_DATA_SOURCE_ERROR":                                 {defers: true},
	"UNSUPPORTED_PACKAGE_VERSION":                              {reason: failure.ReasonDependencyConflict},
	"PYTHON_VERSION_MISMATCH":                                  {reason: failure.ReasonDependencyConflict},
	"CATALOG_NOT_FOUND":                                        {reason: failure.ReasonInvalidConfiguration},
	"INVALID_DRIVER_MEMORY":                                    {reason: failure.ReasonInvalidConfiguration},
	"INVALID_EXECUTOR_MEMORY":                                  {reason: failure.ReasonInvalidConfiguration},
	"INVALID_EXECUTOR_MEMORY_OPTIONS":                          {reason: failure.ReasonInvalidConfiguration},
	"INVALID_KRYO_SERIALIZER_BUFFER_SIZE":                      {reason: failure.ReasonInvalidConfiguration},
	"INVALID_CONF_VALUE":                                       {reason: failure.ReasonInvalidConfiguration},
	"INVALID_SPARK_CONFIG":                                     {reason: failure.ReasonInvalidConfiguration},
	"KRYO_BUFFER_OVERFLOW":                                     {reason: failure.ReasonInvalidConfiguration},
	"CONFIG_NOT_AVAILABLE":                                     {reason: failure.ReasonInvalidConfiguration},
	"CANNOT_MODIFY_CONFIG":                                     {reason: failure.ReasonInvalidConfiguration},
	"CANNOT_MODIFY_STATIC_CONFIG":                              {reason: failure.ReasonInvalidConfiguration},
	"MASTER_URL_NOT_SET":                                       {reason: failure.ReasonInvalidConfiguration},
	"MASTER_URL_INVALID":                                       {reason: failure.ReasonInvalidConfiguration},
	"NOT_NULL_ASSERT_VIOLATION":                                {reason: failure.ReasonInvalidData},
	"NOT_NULL_CONSTRAINT_VIOLATION":                            {reason: failure.ReasonInvalidData},
	"NULL_MAP_KEY":                                             {reason: failure.ReasonInvalidData},
	"EXCEED_LIMIT_LENGTH":                                      {reason: failure.ReasonInvalidData},
	"CANNOT_LOAD_PROTOBUF_CLASS":                               {reason: failure.ReasonMissingDependency},
	"EXPRESSION_ENCODING_FAILED":                               {defers: true},
	"EXPRESSION_DECODING_FAILED":                               {defers: true},
	"DATETIME_FIELD_OUT_OF_BOUNDS":                             {reason: failure.ReasonInvalidData},
	"SQL_CONF_NOT_FOUND":                                       {reason: failure.ReasonInvalidConfiguration},
	"JAVA_GATEWAY_EXITED":                                      {reason: failure.ReasonInvalidConfiguration},
	"PATH_NOT_FOUND":                                           {reason: failure.ReasonDataNotFound},
	"LOAD_DATA_PATH_NOT_EXISTS":                                {reason: failure.ReasonDataNotFound},
	"FAILED_READ_FILE.FILE_NOT_EXIST":                          {reason: failure.ReasonDataNotFound},
	"UNABLE_TO_INFER_SCHEMA":                                   {reason: failure.ReasonDataNotFound},
	"DELTA_PATH_DOES_NOT_EXIST":                                {reason: failure.ReasonDataNotFound},
	"DELTA_MISSING_DELTA_TABLE":                                {reason: failure.ReasonDataNotFound},
	"DELTA_LOG_FILE_NOT_FOUND":                                 {reason: failure.ReasonDataNotFound},
	"DELTA_FILE_NOT_FOUND":                                     {reason: failure.ReasonDataNotFound},
	"DELTA_FILE_NOT_FOUND_DETAILED":                            {reason: failure.ReasonDataNotFound},
	"FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH":       {reason: failure.ReasonSchemaMismatch},
	"FAILED_READ_FILE":                                         {reason: failure.ReasonInvalidData, place: true},
	"INCOMPATIBLE_DATA_FOR_TABLE":                              {reason: failure.ReasonSchemaMismatch},
	"INSERT_COLUMN_ARITY_MISMATCH":                             {reason: failure.ReasonSchemaMismatch},
	"INSERT_PARTITION_COLUMN_ARITY_MISMATCH":                   {reason: failure.ReasonSchemaMismatch},
	"CANNOT_MERGE_SCHEMAS":                                     {reason: failure.ReasonSchemaMismatch},
	"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE":                      {reason: failure.ReasonSchemaMismatch},
	"PARQUET_CONVERSION_FAILURE":                               {reason: failure.ReasonSchemaMismatch},
	"ERROR_READING_AVRO_UNKNOWN_FINGERPRINT":                   {reason: failure.ReasonSchemaMismatch},
	"AVRO_INCOMPATIBLE_READ_TYPE":                              {reason: failure.ReasonSchemaMismatch},
	"DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG": {reason: failure.ReasonInvalidConfiguration},
	"DELTA_INVALID_PROTOCOL_VERSION":                           {reason: failure.ReasonDependencyConflict},
	"DELTA_VERSIONS_NOT_CONTIGUOUS":                            {reason: failure.ReasonInvalidData},
	"DELTA_TRUNCATED_TRANSACTION_LOG":                          {reason: failure.ReasonInvalidData},
	"DELTA_REPLACE_WHERE_MISMATCH":                             {reason: failure.ReasonInvalidData},
	"DELTA_FAILED_TO_MERGE_FIELDS":                             {reason: failure.ReasonSchemaMismatch},
	"DELTA_MERGE_INCOMPATIBLE_DATATYPE":                        {reason: failure.ReasonSchemaMismatch},
	"DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE":                    {reason: failure.ReasonSchemaMismatch},
	"DELTA_METADATA_MISMATCH":                                  {reason: failure.ReasonSchemaMismatch},
	"DELTA_SCHEMA_CHANGED":                                     {reason: failure.ReasonSchemaMismatch},
	"CONCURRENT_QUERY":                                         {reason: failure.ReasonStreamingStateError},
	"CONCURRENT_STREAM_LOG_UPDATE":                             {reason: failure.ReasonStreamingStateError},
	"BATCH_METADATA_NOT_FOUND":                                 {reason: failure.ReasonStreamingStateError},
	"KAFKA_DATA_LOSS":                                          {reason: failure.ReasonStreamingStateError},
	"MISSING_TIMESTAMP_OFFSET":                                 {reason: failure.ReasonStreamingStateError},
	"OFFSET_LOG_MISMATCH":                                      {reason: failure.ReasonStreamingStateError},
	"STREAM_FAILED":                                            {defers: true},
	"FOREACH_BATCH_USER_FUNCTION_ERROR":                        {reason: failure.ReasonUserCodeError, place: true},
	"FOREACH_USER_FUNCTION_ERROR":                              {reason: failure.ReasonUserCodeError, place: true},
	"FAILED_EXECUTE_UDF":                                       {reason: failure.ReasonUserCodeError, place: true},
	"FAILED_FUNCTION_CALL":                                     {defers: true},
	"PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR":               {defers: true},
	"CONTEXT_ONLY_VALID_ON_DRIVER":                             {reason: failure.ReasonUserCodeError},
	"UDTF_EXEC_ERROR":                                          {reason: failure.ReasonUserCodeError},
	"USER_RAISED_EXCEPTION":                                    {reason: failure.ReasonUserCodeError},
	"TASK_WRITE_FAILED":                                        {defers: true},
	"FAILED_JDBC":                                              {reason: failure.ReasonExternalServiceUnavailable, place: true},
	"FAILED_RENAME_PATH":                                       {defers: true},
	"FAILED_RENAME_TEMP_FILE":                                  {defers: true},
	"CANNOT_CREATE_DATA_SOURCE_TABLE":                          {reason: failure.ReasonSqlAnalysisError, place: true},
	"INTERNAL_ERROR":                                           {defers: true},
	"UNABLE_TO_ACQUIRE_MEMORY":                                 {reason: failure.ReasonDriverOutOfMemory, place: true},
	"_LEGACY_ERROR_TEMP_2250":                                  {reason: failure.ReasonDriverOutOfMemory},
	"CANNOT_RECEIVE_REPLY":                                     {reason: failure.ReasonExecutorLost, place: true},
	"SPARK_JOB_CANCELLED":                                      {reason: failure.ReasonDriverTerminated},
	"OPERATION_CANCELED":                                       {reason: failure.ReasonDriverTerminated},
	"CONNECT":                                                  {defers: true},
	"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE":   {reason: failure.ReasonInvalidData},
}

type prefixed struct {
	prefix string
	condition
}

var conditionPrefixes = []prefixed{
	{"DELTA_CONCURRENT_", condition{reason: failure.ReasonCommitConflict}},
	{"DELTA_PROTOCOL_CHANGED", condition{reason: failure.ReasonCommitConflict}},
	{"DELTA_METADATA_CHANGED", condition{reason: failure.ReasonCommitConflict}},
	{"DELTA_SCHEMA_CHANGE", condition{reason: failure.ReasonSchemaMismatch}},
	{"DELTA_UNSUPPORTED_FEATURES_", condition{reason: failure.ReasonDependencyConflict}},
	{"DELTA_SOURCE_", condition{reason: failure.ReasonStreamingStateError}},
	{"DELTA_STREAM", condition{reason: failure.ReasonStreamingStateError, place: true}},
	{"CANNOT_LOAD_STATE_STORE", condition{reason: failure.ReasonStreamingStateError}},
	{"CANNOT_WRITE_STATE_STORE", condition{reason: failure.ReasonStreamingStateError, place: true}},
	{"STATE_STORE_", condition{reason: failure.ReasonStreamingStateError}},
	{"STDS_", condition{reason: failure.ReasonStreamingStateError}},
	{"STATEFUL_PROCESSOR_", condition{reason: failure.ReasonStreamingStateError, place: true}},
	{"STREAMING_STATEFUL_", condition{reason: failure.ReasonStreamingStateError}},
	{"STREAMING_CHECKPOINT", condition{reason: failure.ReasonStreamingStateError}},
	{"MALFORMED_CHECKPOINT", condition{reason: failure.ReasonStreamingStateError}},
	{"KAFKA_", condition{reason: failure.ReasonStreamingStateError, place: true}},
	{"CHECKPOINT_FILE_", condition{reason: failure.ReasonStreamingStateError}},
	{"MALFORMED_", condition{reason: failure.ReasonInvalidData}},
	{"INCOMPATIBLE_STREAMING", condition{reason: failure.ReasonStreamingStateError}},
	{"INVALID_SPARK_", condition{reason: failure.ReasonInvalidConfiguration}},
	{"INVALID_CONF", condition{reason: failure.ReasonInvalidConfiguration}},
	{"DELTA_", condition{reason: failure.ReasonSqlAnalysisError, place: true}},
}

// states are the SQLSTATEs that mean something else than their class.
var states = map[string]condition{
	"22KD3": {reason: failure.ReasonMissingDependency},
	"42501": {reason: failure.ReasonAccessDenied},
	"42K03": {reason: failure.ReasonDataNotFound},
	"42K0B": {reason: failure.ReasonInvalidData, place: true},
	"42KDE": {reason: failure.ReasonSqlAnalysisError, place: true},
	"56038": {reason: failure.ReasonInvalidConfiguration},
	"54006": {reason: failure.ReasonInvalidConfiguration, place: true},
	"58030": {reason: failure.ReasonExternalServiceUnavailable, place: true},
	"57012": {reason: failure.ReasonExternalServiceUnavailable, place: true},
	"53200": {reason: failure.ReasonDriverOutOfMemory, place: true},
	"P0001": {reason: failure.ReasonUserCodeError},
	"2200G": {reason: failure.ReasonSchemaMismatch, place: true},
}

// stateClasses are the first two characters of a SQLSTATE.
var stateClasses = map[string]condition{
	"07": {reason: failure.ReasonSqlAnalysisError, place: true},
	"08": {reason: failure.ReasonExternalServiceUnavailable, retryable: failure.RetryableTrue},
	"0A": {reason: failure.ReasonSqlAnalysisError, place: true},
	"21": {reason: failure.ReasonInvalidData},
	"22": {reason: failure.ReasonInvalidData, place: true},
	"23": {reason: failure.ReasonInvalidData},
	"28": {reason: failure.ReasonAccessDenied},
	"38": {defers: true},
	"39": {defers: true},
	"40": {reason: failure.ReasonCommitConflict},
	"42": {reason: failure.ReasonSqlAnalysisError},
	"54": {reason: failure.ReasonSqlAnalysisError, place: true},
	"F0": {reason: failure.ReasonInvalidConfiguration},
	"XX": {defers: true},
}

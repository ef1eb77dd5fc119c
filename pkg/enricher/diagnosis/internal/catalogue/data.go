package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

var dataRules = []Rule{
	// Commits.
	{ID: "data.concurrent-append-exception", Classes: []string{
		"ConcurrentAppendException", "ConcurrentDeleteReadException", "ConcurrentDeleteDeleteException",
		"ConcurrentTransactionException", "ConcurrentWriteException", "MetadataChangedException",
		"ProtocolChangedException", "DeltaConcurrentModificationException", "CommitFailedException",
		"HoodieWriteConflictException",
		"HoodieLockException", "SQLTransactionRollbackException",
		"MySQLTransactionRollbackException", "LockException", "WaitingForLockException",
		"NessieReferenceConflictException", "NessieConflictException", "CommitFailedError",
		"PreconditionFailed", "PreconditionFailedException",
	}, Reason: failure.ReasonCommitConflict},
	{
		ID:      "data.validation-exception.conflicting-files",
		Classes: []string{"ValidationException"},
		Texts: []string{
			"conflicting files", "found new conflicting", "cannot commit, found new", "cannot commit, missing data files",
			"cannot determine history between starting snapshot",
		},
		Reason: failure.ReasonCommitConflict,
	},
	{
		ID: "data.could-not-serialize-access",
		Texts: []string{
			"could not serialize access", "ora-00060", "ora-08177", "sqlstate=40001", "sqlstate=40p01",
			"deadlock detected", "deadlock found when trying", "lost the race",
			"requirement failed: branch main has changed", "was deadlocked on lock",
			"lock wait timeout exceeded",
		},
		Reason: failure.ReasonCommitConflict,
	},

	// Throttling and outages that share classes with refusals.
	{
		ID: "data.slowdown",
		Texts: []string{
			"slowdown", "slow down", "please reduce your request rate", "status code: 503", "status code: 429",
			"statuscode=503", "server_busy", "serverbusy", "too many requests", "toomanyrequests", "throttl",
			"rate exceeded", "503 service unavailable", "429 client error", "503 server error",
			"502 bad gateway", "504 gateway", "502 server error", "504 server error", "500 server error",
			"quota exceeded for quota metric", "requestlimitexceeded", "provisionedthroughputexceeded",
			"response code: 503", "response code: 502", "response code: 504", "response code: 429",
			"response code: 500", "status code: 500", "status code: 502", "status code: 504",
			"status code 429", "status code 500", "status code 502", "status code 503", "status code 504",
			"error code 429", "error code 500", "error code 502", "error code 503", "error code 504",
		},
		Reason: failure.ReasonExternalServiceUnavailable,
	},

	{
		ID:      "data.client-response-error.429",
		Classes: []string{"ClientResponseError"},
		Starts:  []string{"429, ", "500, ", "502, ", "503, ", "504, "}, Reason: failure.ReasonExternalServiceUnavailable,
	},

	{
		ID:    "data.resource-exhausted",
		Texts: []string{"resource_exhausted", "(timeout_exceeded)", "(too_many_simultaneous_queries)", "(too_many_parts)"},
		Not:   []string{"larger than max", "exceeds maximum size"}, Reason: failure.ReasonExternalServiceUnavailable,
	},

	// Refusals.
	{ID: "data.client-response-error.401", Classes: []string{"ClientResponseError"}, Starts: []string{"401, ", "403, "}, Reason: failure.ReasonAccessDenied},
	{
		ID:      "data.rest-client-exception.error-code-401",
		Classes: []string{"RestClientException"}, Texts: []string{"error code: 401", "error code: 403"},
		Reason: failure.ReasonAccessDenied,
	},
	{
		ID: "data.access-control-exception",
		Classes: []string{
			"AccessControlException", "AuthorizationException", "TopicAuthorizationException",
			"GroupAuthorizationException", "SaslAuthenticationException", "AuthenticationException",
			"NoAuthWithAWSException", "NoAwsCredentialsException", "CredentialInitializationException",
			"GSSException", "KrbException", "LoginException", "NoCredentialsError", "PartialCredentialsError",
			"ClusterAuthorizationException", "TransactionalIdAuthorizationException", "DefaultCredentialsError",
			"ClientAuthenticationError", "Forbidden", "Unauthorized", "PermissionDenied", "InvalidToken",
			"SecretManager$InvalidToken", "NotAuthorizedException", "ForbiddenException",
			"HiveAccessControlException", "SslAuthenticationException", "MongoSecurityException",
			"UnauthenticatedException", "PermissionDeniedException", "SnowflakeSecurityException",
			"CredentialUnavailableException", "CredentialUnavailableError", "CredentialRetrievalError",
			"InvalidIdentityTokenException", "TokenRetrievalError", "UnauthorizedSSOTokenError", "SSOTokenLoadError",
		},
		Reason: failure.ReasonAccessDenied,
	},
	{
		ID: "data.status-code-403",
		Texts: []string{
			"status code: 403", "status code: 401", "security_exception", "web identity token file", "no aws credentials provided", "403 forbidden", "401 unauthorized",
			"error code: accessdenied", "access denied", "accessdenied", "403 client error", "401 client error",
			"invalidaccesskeyid", "signaturedoesnotmatch", "expiredtoken", "invalidtoken", "no aws credentials",
			"unable to load credentials", "unable to load aws credentials", "gss initiate failed",
			"kerberos tgt", "simple authentication is not enabled", "permission denied: user=",
			"password authentication failed", "login failed for user", "ora-01017", "ora-01031",
			"insufficient privilege", "insufficient_privilege", "does not have privileges", "not authorized",
			"unauthorizedoperation", "authorizationpermissionmismatch", "authenticationfailed",
			"authentication failed", "response code: 403", "response code: 401", "no credentials",
			"unable to obtain password", "invalid credentials", "expired credentials",
			"does not have storage.objects", "permission_denied", "is not authorized to perform",
			"permission denied for", "forbidden (service", "incorrect username or password",
			"public-key authentication", "anonymous caller", "http 403", "http 401", "(status code: 403",
			"token has expired", "expired token", "the security token", "could not find credentials",
			"no valid credentials", "no valid tokens", ", 403,", ", 401,", "invalid_grant", "unauthenticated",
			"authentication required", "auth fail", "auth cancel", "aadsts", "anonymous credentials",
			"error code: 401;", "clock skew too great", "server not found in kerberos", "user denied access",
			"lacks privileges", "sqlstate=28", "sqlstate 28", "sqlstate: 28", "sqlstate=42501",
			"ora-28000", "ora-28001", "password is invalid", "password or account is invalid", "authorization failure",
			"status code 401", "status code 403", "status-code: 401", "status-code: 403", "error code 401", "error code 403",
			"no pg_hba.conf entry", "error access_denied", "http error 401", "http error 403", "authorization_failed",
			"authentication_failed", "client cannot authenticate via", "error getting access token", "security access token",
		},
		Reason: failure.ReasonAccessDenied,
	},
	{ID: "data.access-denied-exception", Classes: []string{"AccessDeniedException"}, Reason: failure.ReasonAccessDenied},
	{ID: "data.permission-error", Classes: []string{"PermissionError"}, Reason: failure.ReasonAccessDenied},
	{ID: "data.permission-denied", Texts: []string{"permission denied"}, Not: []string{"line "}, Reason: failure.ReasonAccessDenied},

	// Streams. These come before missing data: a missing offset is no missing file.
	{
		ID: "data.offset-out-of-range-exception",
		Classes: []string{
			"OffsetOutOfRangeException", "StateSchemaNotCompatible", "InvalidUnsafeRowException",
			"StateStoreKeySchemaNotCompatible", "StateStoreValueSchemaNotCompatible",
			"KafkaIllegalStateException",
		},
		Reason: failure.ReasonStreamingStateError,
	},
	{
		ID: "data.some-data-may-have-been-lost",
		Texts: []string{
			"some data may have been lost", "offset was changed from", "offsets out of range",
			"offset out of range", "failondataloss", "concurrent update to the log",
			"multiple streaming jobs detected", "sources in the checkpoint offsets",
			"error reading delta file", "error reading snapshot file",
			"provided schema doesn't match to the schema for existing state", "state schema is not compatible",
			"state schema file", "state schema version",
			"cannot start query with id", "another stream instance",
			"incompatible format detected in checkpoint", "detected incompatible change to the streaming query",
			"incomplete log file", "corrupt delta file", "shard iterator", "malformed log file",
			"failed to read log file", "iteratorexpired", "expiredoffset",
			"the number of partitions in checkpoint", "multiple streaming queries are concurrently using",
			"is after the ending offset", "doesn't exist when compacting batch", "unable to find batch",
		},
		Reason: failure.ReasonStreamingStateError,
	},

	{
		ID:      "data.illegal-state-exception.doesn-t-exist",
		Classes: []string{"IllegalStateException"}, Starts: []string{"batch "}, Texts: []string{" doesn't exist"},
		Reason: failure.ReasonStreamingStateError,
	},

	{
		ID:      "data.illegal-state-exception.sources",
		Classes: []string{"IllegalStateException"}, Texts: []string{"/sources/", "/offsets/", "/commits/"},
		All: []string{"does not exist"}, Reason: failure.ReasonStreamingStateError,
	},

	{
		ID: "data.batch-gone", Starts: []string{"batch "}, Texts: []string{" doesn't exist"}, Reason: failure.ReasonStreamingStateError,
	},

	// Schemas.
	{
		ID:      "data.class-cast-exception.org-apache-spark-unsafe-types",
		Classes: []string{"ClassCastException"}, Texts: []string{"org.apache.spark.unsafe.types.", "catalyst.expressions.mutable"},
		All: []string{"cannot be cast to"}, Reason: failure.ReasonSchemaMismatch,
		Hint: "Files hold another type than the schema says they do: compare the schema of the oldest and newest files with the table's.",
	},
	{
		ID: "data.schema-column-convert-not-supported-exception",
		Classes: []string{
			"SchemaColumnConvertNotSupportedException", "AvroTypeException", "IncompatibleSchemaException",
			"SchemaCompatibilityException", "HoodieSchemaException", "SchemaBackwardsCompatibilityException",
			"MissingSchemaFieldException", "SchemaMismatchError",
		},
		Reason: failure.ReasonSchemaMismatch,
	},
	{
		ID: "data.schema-mismatch",
		Texts: []string{
			"schema mismatch", "match the data schema", "failed to merge fields", "failed merging schema", "incompatible schema",
			"schemas are not compatible", "cannot write incompatible data", "data type mismatch in schema",
			"not enough data columns", "too many data columns", "cannot safely cast",
			"schema of your delta table has changed", "parquet column cannot be converted",
			"cannot find data for the output column", "mergeschema", "schema evolution",
			"is incompatible with table schema", "schema being registered is incompatible", "cannot find source column for partition",
			"dictionary.plainvaluesdictionary$",
		},
		Reason: failure.ReasonSchemaMismatch,
	},

	// Things that are not there.
	{
		ID: "data.files-replaced", Texts: []string{"it is possible the underlying files have been updated"},
		Reason: failure.ReasonDataNotFound, Retryable: failure.RetryableUnknown,
		Hint: "Another job replaced the files while this one read them: order the two, or write with a table format that keeps versions.",
	},
	{ID: "data.client-response-error.404", Classes: []string{"ClientResponseError"}, Starts: []string{"404, "}, Reason: failure.ReasonDataNotFound},
	{
		ID: "data.invalid-input-exception",
		Classes: []string{
			"InvalidInputException", "UnknownTopicOrPartitionException", "NoSuchObjectException",
			"NoSuchBucketException", "NoSuchKeyException", "NoSuchTableException", "TableNotFoundException",
			"ResourceNotFoundError", "NotFound", "NoSuchBucket", "NoSuchKey", "NotFoundException",
			"NoSuchFileException", "FileNotFoundException", "FileNotFoundError", "UnknownStoreException",
			"EntityNotFoundException", "PathNotFoundException", "NoSuchUploadException",
			"IndexNotFoundException", "ResourceNotFoundException", "NoSuchDatabaseException",
			"SparkFileNotFoundException", "TableNotFoundError",
		},
		Reason: failure.ReasonDataNotFound,
	},
	{
		ID: "data.path-does-not-exist",
		Texts: []string{
			"path does not exist", "input path does not exist", "nosuchbucket", "nosuchkey", "no such bucket",
			"bucket does not exist", "no such file or directory", "status code: 404", "404 not found",
			"404 client error", "specified bucket does not exist", "specified container does not exist",
			"specified filesystem does not exist", "specified path does not exist",
			"specified blob does not exist", "containernotfound", "filesystemnotfound", "pathnotfound",
			"unknown topic", "topic does not exist", "not present in metadata after", "unable to infer schema",
			"table or view does not exist", "ora-00942", "unknown database", "unknown_topic_or_partition",
			"key does not exist", "' doesn't exist", "table does not exist", "table doesn't exist",
			"directory does not exist", "location does not exist", "response code: 404", "file does not exist",
			"is not a delta table",
			"invalid object name", "no such table", "not found: table", "not found: dataset",
			"subject not found", "error code: 40401", "no input paths specified", "object does not exist",
			"(404) when calling the", "unknown_topic_or_part", "resource_does_not_exist", "aws error no_such_",
			"http error 404", "no files found that match the pattern",
			"aws error resource_not_found", "(unknown_table)", "(unknown_database)",
		},
		Reason: failure.ReasonDataNotFound,
	},

	{
		ID:    "data.relation.does-not-exist",
		Texts: []string{"relation \"", "database \""}, All: []string{"\" does not exist"},
		Not:    []string{"column \""},
		Reason: failure.ReasonDataNotFound,
	},
}

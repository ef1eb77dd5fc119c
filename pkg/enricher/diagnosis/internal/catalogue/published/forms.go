package published

import (
	"regexp"
	"strings"
)

// forms in the order of trust: a database's own number, then its SQLSTATE; a service's own code, then the status of the
// protocol that carried it.
var forms = []form{
	// Databases.
	{list: "oracle-codes", anchor: "ora-", before: 1, code: expr(`(?:^|\W)(ORA-\d{5})(?:\D|$)`)},
	{list: "oracle-codes", anchor: "tns-", before: 1, prefix: "ORA-", code: expr(`(?:^|\W)TNS-(\d{5})(?:\D|$)`)},
	{list: "oracle-codes", anchor: "dpy-", before: 1, code: expr(`(?:^|\W)(DPY-\d{4})(?:\D|$)`)},
	{list: "oracle-codes", anchor: "dpi-", before: 1, code: expr(`(?:^|\W)(DPI-\d{4})(?:\D|$)`)},
	{
		list: "sqlserver-codes", anchor: "[sql server]", after: 400,
		code: expr(`(?i)^\[SQL Server\][^\[\]]*?\((-?\d{1,5})\) \(SQL`),
	},
	{list: "sqlserver-codes", anchor: ", level ", before: 12, code: expr(`\bMsg (\d{1,5}), Level \d+`)},
	{list: "sqlserver-codes", anchor: ", severity: ", before: 14, code: expr(`\bError: (\d{1,5}), Severity: \d+`)},
	{
		list: "sqlserver-codes", anchor: "(", class: []string{"pymssql"}, shape: number,
		code: expr(`^\((\d{1,5}), b?['"]`),
	},
	{list: "mysql-codes", anchor: "error ", before: 1, code: expr(`(?:^|\W)ERROR (\d{4}) \([0-9A-Z]{5}\)`)},
	{
		list: "mysql-codes", anchor: "(", before: 6, shape: stateInParentheses,
		code: expr(`(?:^|\D)(\d{4}) \([0-9A-Z]{5}\): `),
	},
	{list: "mysql-codes", anchor: "(", class: mysqlClasses, shape: number, code: expr(`^\((\d{4}), ["']`)},
	{list: "mysql-codes", anchor: "pymysql.err.", code: expr(`^pymysql\.err\.\w+[):]* ?:? ?\((\d{4}), ["']`)},
	{list: "mysql-codes", anchor: "mysqldb.", code: expr(`(?i)^MySQLdb\.[\w.]+[):]* ?:? ?\((\d{4}), ["']`)},
	{
		list: "snowflake-codes", anchor: "(", before: 8, shape: stateInParentheses,
		code: expr(`(?:^|\D)(\d{6}) \((?:[0-9A-Z]{5}|n/a|None)\)`),
	},
	{list: "redshift-codes", anchor: "[amazon]", code: expr(`(?i)^\[Amazon\](?:\[[^\[\]]*\])*\((\d{2,6})\)`)},
	{list: "cassandra-codes", anchor: "code=", code: expr(`^code=([0-9A-F]{4}) \[`)},
	{list: "mongodb-codes", anchor: "error ", code: expr(`^error -?\d+ \(([A-Z]\w+)\)`)},
	{list: "mongodb-codes", anchor: "codename", code: expr(`^codeName["']?\s*[:=]\s*["']?(\w+)`)},
	{list: "elasticsearch-codes", anchor: "_exception", before: 60, code: expr(`\[type=(\w+_exception)\b`)},
	{list: "elasticsearch-codes", anchor: "_exception", before: 70, code: expr(`"type"\s*:\s*"(\w+_exception)"`)},
	{list: "elasticsearch-codes", anchor: "_exception", before: 60, code: expr(`\(\d{3}, ['"](\w+_exception)['"]`)},
	{
		list: "elasticsearch-codes", anchor: "_exception", before: 60, class: []string{"elasticsearch", "opensearch"},
		code: expr(`(?:^|[^\w])(\w+_exception)\b`),
	},
	{
		list: "redis-codes", anchor: "", class: []string{"redis", "jedis", "lettuce", "responseerror"},
		code: expr(`^-?([A-Z]{3,})\b`),
	},
	{list: "redis-codes", anchor: "noauth ", before: 2, code: expr(`(?:^|[:-] ?)(NOAUTH) Auth`)},
	{list: "redis-codes", anchor: "wrongpass ", before: 2, code: expr(`(?:^|[:-] ?)(WRONGPASS) `)},
	{list: "redis-codes", anchor: "noperm ", before: 2, code: expr(`(?:^|[:-] ?)(NOPERM) `)},
	{list: "redis-codes", anchor: "oom command not allowed", before: 2, code: expr(`(?:^|[:-] ?)(OOM) command`)},
	{list: "redis-codes", anchor: "clusterdown ", before: 2, code: expr(`(?:^|[:-] ?)(CLUSTERDOWN) `)},
	{list: "redis-codes", anchor: "misconf ", before: 2, code: expr(`(?:^|[:-] ?)(MISCONF) `)},
	{list: "sqlstate", anchor: "sqlstate", code: expr(`(?i)^SQLSTATE(?:\s*[=:]\s*|[\[(])["']?([0-9A-Z]{5})\b`)},
	{list: "sqlstate", anchor: "sql state [", code: expr(`(?i)^SQL state \[([0-9A-Z]{5})\]`)},
	{list: "sqlstate", anchor: "('", class: []string{"error"}, code: expr(`^\('([0-9A-Z]{5})', ['"]\[`)},
	{list: "sqlstate", anchor: "(pyodbc.", code: expr(`^\(pyodbc\.\w+\) \('([0-9A-Z]{5})', `)},
	{
		list: "sqlstate", anchor: "(", before: 8, shape: stateInParentheses,
		code: expr(`(?:^|\D)\d{4,6} \(([0-9A-Z]{5})\): `),
	},

	// Services.
	{list: "bigquery-codes", anchor: "\"reason\"", code: expr(`^"reason"\s*:\s*"(\w+)"`)},
	{list: "bigquery-codes", anchor: "'reason'", code: expr(`^'reason'\s*:\s*'(\w+)'`)},
	{list: "bigquery-codes", anchor: "reason", code: expr(`^reason\s*[:=]\s*([a-z]+[A-Z]\w+)`)},
	{list: "gcs-codes", anchor: "\"reason\"", code: expr(`^"reason"\s*:\s*"(\w+)"`)},
	{list: "gcs-codes", anchor: "'reason'", code: expr(`^'reason'\s*:\s*'(\w+)'`)},
	{list: "aws-codes", anchor: "error code: ", code: expr(`(?i)^error code: ([A-Za-z][\w.]+)`)},
	{list: "aws-codes", anchor: "an error occurred (", code: expr(`(?i)^an error occurred \(([\w.]+)\) when calling`)},
	{list: "aws-codes", anchor: "aws error ", code: expr(`(?i)^AWS Error ([A-Z_]+)\b`)},
	{list: "aws-codes", anchor: "<code>", code: expr(`(?i)^<Code>(\w+)</Code>`)},
	{list: "aws-codes", anchor: "amazonaws", after: 400, code: expr(`\):([A-Z]\w+)(?:\s|$)`)},
	{list: "azure-codes", anchor: "aadsts", code: expr(`^(AADSTS\d{5,7})\b`)},
	{
		list: "azure-codes", anchor: "operation failed: \"", after: 400,
		code: expr(`\d{3}, (?:GET|HEAD|PUT|POST|PATCH|DELETE), [^,\s]+,(?: rId: [\w-]+,)? (\w+), "`),
	},
	{list: "azure-codes", anchor: "error code: ", code: expr(`(?i)^error code: ([A-Za-z]\w+)`)},
	{list: "azure-codes", anchor: "errorcode", code: expr(`(?i)^ErrorCode["']?\s*[:=]\s*["']?(\w+)`)},
	{list: "azure-codes", anchor: "\"code\"", code: expr(`^"code"\s*:\s*"(\w+)"`)},
	{list: "azure-codes", anchor: "<code>", code: expr(`(?i)^<Code>(\w+)</Code>`)},
	{list: "salesforce-codes", anchor: "exceptioncode=", code: expr(`(?i)^exceptionCode=['"]?([A-Z_]+)`)},
	{list: "salesforce-codes", anchor: "errorcode", code: expr(`^errorCode["']?\s*[:=]\s*["']?([A-Z]+(?:_[A-Z]+)+)\b`)},
	{
		list: "salesforce-codes", anchor: "", class: []string{"salesforce", "sforce"},
		code: expr(`^([A-Z]+(?:_[A-Z]+)+): `),
	},
	{list: "rabbitmq-codes", anchor: "reply-text=", code: expr(`^reply-text=([A-Z]+(?:_[A-Z]+)*)\b`)},
	{list: "rabbitmq-codes", anchor: "access_refused - ", code: expr(`^(ACCESS_REFUSED) - `)},
	{list: "kafka-codes", anchor: "kafkaerror{", code: expr(`^KafkaError\{(?:retriable,|fatal,)*code=(\w+)`)},
	{
		list: "kafka-codes", anchor: "while fetching metadata with correlation id", after: 200,
		code: expr(`\{[^}]*=([A-Z_]+)\}`),
	},

	// Protocols.
	{list: "grpc-codes", anchor: "statusruntimeexception: ", code: expr(`^StatusRuntimeException: ([A-Z_]+)`)},
	{
		list: "grpc-codes", anchor: "", class: []string{"statusruntimeexception", "io.grpc.statusexception"},
		code: expr(`^([A-Z_]+)(?::|$)`),
	},
	{list: "grpc-codes", anchor: "statuscode.", code: expr(`^StatusCode\.([A-Z_]+)`)},
	{list: "http-codes", anchor: "status code", code: expr(`(?i)^status code:? (\d{3})\b`)},
	{list: "http-codes", anchor: "status-code: ", code: expr(`(?i)^status-code: (\d{3})\b`)},
	{list: "http-codes", anchor: "; error code: ", code: expr(`^; error code: (\d{3})\b`)},
	{
		list: "http-codes", anchor: "", class: []string{"googlejsonresponse", "tokenresponseexception"},
		code: expr(`^(\d{3}) [A-Z]`),
	},
	{list: "http-codes", anchor: "http response code: ", code: expr(`(?i)^HTTP response code: (\d{3})\b`)},
	{list: "http-codes", anchor: " client error: ", before: 3, code: expr(`^(\d{3}) Client Error: `)},
	{list: "http-codes", anchor: " server error: ", before: 3, code: expr(`^(\d{3}) Server Error: `)},
	{list: "http-codes", anchor: "http error ", code: expr(`(?i)^HTTP Error (\d{3})\b`)},
	{list: "http-codes", anchor: "http/", code: expr(`(?i)^HTTP/\d(?:\.\d)? (\d{3})\b`)},
	{list: "http-codes", anchor: "error code: ", code: expr(`^Error code: (\d{3}) - `)},
	{
		list: "http-codes", anchor: " http", before: 12,
		code: expr(`(?:^|\D)(\d{3}) (?:GET|POST|PUT|DELETE|PATCH) https?://`),
	},
	{
		list: "http-codes", anchor: "operation failed: \"", after: 400,
		code: expr(`(?i)^Operation failed: ".*?", (\d{3}), (?:GET|HEAD|PUT|POST|PATCH|DELETE), `),
	},
}

var mysqlClasses = []string{
	"pymysql", "mysql", "operationalerror", "programmingerror", "integrityerror", "internalerror", "dataerror",
}

// stateInParentheses: a number and a SQLSTATE, as in 1045 (28000) and 002003 (42S02).
var stateInParentheses = &shape{name: "state", holds: func(s string, at int) bool {
	return at >= 5 && s[at-1] == ' ' && digit(s[at-2]) && strings.IndexByte(s[at:min(len(s), at+7)], ')') >= 4
}}

// number follows the parenthesis.
var number = &shape{name: "number", holds: func(s string, at int) bool { return at+1 < len(s) && digit(s[at+1]) }}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func expr(s string) *regexp.Regexp { return regexp.MustCompile(s) }

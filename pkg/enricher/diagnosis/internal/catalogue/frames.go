package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// FrameRule is for a root cause whose words say nothing, or might be said of anything: what it was doing tells.
type FrameRule struct {
	// starts: the message begins with one of these, if any are given.
	Starts []string
	ID     string
	Class  string
	Frames []string
	Reason failure.Reason
	Hint   string
}

// FrameRules are asked from top to bottom.
var FrameRules = []FrameRule{
	{
		ID: "frame.hadoop-number", Class: "NumberFormatException",
		Frames: []string{
			"hadoop.conf.Configuration.getInt", "hadoop.conf.Configuration.getLong", "hadoop.conf.Configuration.getFloat",
			"hadoop.conf.Configuration.getDouble",
		},
		Reason: failure.ReasonInvalidConfiguration,
		Hint: "A Hadoop setting has a value, often one with a unit, that this version of the library cannot read: " +
			"bring the Hadoop jars to one version, or set it to a plain number.",
	},
	{
		ID: "frame.arrow-ipc", Class: "IllegalArgumentException", Frames: []string{"arrow.vector.ipc.message.MessageSerializer.readMessage"},
		Reason: failure.ReasonDependencyConflict,
		Hint:   "Spark cannot read what the Python worker's pyarrow writes: use a pyarrow version that this Spark supports.",
	},
	{
		ID: "frame.class-reader", Class: "IllegalArgumentException",
		Frames: []string{"asm5.ClassReader.<init>", "asm6.ClassReader.<init>", "asm7.ClassReader.<init>", "objectweb.asm.ClassReader.<init>"},
		Reason: failure.ReasonDependencyConflict,
		Hint:   "This Spark cannot read classes compiled for so new a Java: run it on a Java that it supports.",
	},
	{
		// A value that is none: Java says so without a word.
		ID: "frame.value-of", Class: "IllegalArgumentException",
		Frames: []string{"java.sql.Date.valueOf", "java.sql.Timestamp.valueOf", "java.sql.Time.valueOf", "java.util.UUID.fromString"},
		Reason: failure.ReasonInvalidData,
	},
	// Databases answer in the server's language: what the client was doing is the same everywhere.
	{
		ID: "frame.database-login",
		Frames: []string{
			"core.v3.ConnectionFactoryImpl.doAuthentication", "mysql.cj.protocol.a.NativeAuthenticationProvider",
			"jdbc.driver.T4CTTIoauthenticate", "sqlserver.jdbc.SQLServerConnection.sendLogon", "jdbc.SQLServerConnection$LogonCommand",
			"mariadb.jdbc.client.impl.ConnectionHelper.authenticationHandler",
		},
		Reason: failure.ReasonAccessDenied,
	},
	{
		// The server said no while the client connected; what it says stands in its own language.
		ID: "frame.postgres-refused", Class: "PSQLException", Starts: []string{"FATAL", "ФАТАЛ", "致命"},
		Frames: []string{"org.postgresql.Driver.connect"}, Reason: failure.ReasonAccessDenied,
	},
	{
		// The server refused a statement of a session that was open.
		ID: "frame.database-statement", Class: "SQLServerException",
		Frames: []string{
			"SQLServerPreparedStatement.doExecutePreparedStatement", "SQLServerPreparedStatement.buildExecuteMetaData",
			"SQLServerStatement.doExecuteStatement", "SQLServerStatement.getNextResult",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		ID: "frame.database-connect",
		Frames: []string{
			"core.v3.ConnectionFactoryImpl.tryConnect", "mysql.cj.NativeSession.connect", "oracle.net.nt.", "oracle.net.ns.NSProtocol",
			"sqlserver.jdbc.SQLServerConnection.connectHelper", "sqlserver.jdbc.IOBuffer.TDSChannel.open",
		},
		Reason: failure.ReasonExternalServiceUnavailable,
	},
}

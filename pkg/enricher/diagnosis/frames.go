package diagnosis

import (
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// frameRule is for a root cause whose words say nothing, or might be said of anything: what it was doing tells.
type frameRule struct {
	// starts: the message begins with one of these, if any are given.
	starts []string
	id     string
	class  string
	frames []string
	reason failure.Reason
	hint   string
}

var frameRules = []frameRule{
	{
		id: "frame.hadoop-number", class: "NumberFormatException",
		frames: []string{
			"hadoop.conf.Configuration.getInt", "hadoop.conf.Configuration.getLong", "hadoop.conf.Configuration.getFloat",
			"hadoop.conf.Configuration.getDouble",
		},
		reason: failure.ReasonInvalidConfiguration,
		hint: "A Hadoop setting has a value, often one with a unit, that this version of the library cannot read: " +
			"bring the Hadoop jars to one version, or set it to a plain number.",
	},
	{
		id: "frame.arrow-ipc", class: "IllegalArgumentException", frames: []string{"arrow.vector.ipc.message.MessageSerializer.readMessage"},
		reason: failure.ReasonDependencyConflict,
		hint:   "Spark cannot read what the Python worker's pyarrow writes: use a pyarrow version that this Spark supports.",
	},
	{
		id: "frame.class-reader", class: "IllegalArgumentException",
		frames: []string{"asm5.ClassReader.<init>", "asm6.ClassReader.<init>", "asm7.ClassReader.<init>", "objectweb.asm.ClassReader.<init>"},
		reason: failure.ReasonDependencyConflict,
		hint:   "This Spark cannot read classes compiled for so new a Java: run it on a Java that it supports.",
	},
	// Databases answer in the server's language: what the client was doing is the same everywhere.
	{
		id: "frame.database-login",
		frames: []string{
			"core.v3.ConnectionFactoryImpl.doAuthentication", "mysql.cj.protocol.a.NativeAuthenticationProvider",
			"jdbc.driver.T4CTTIoauthenticate", "sqlserver.jdbc.SQLServerConnection.sendLogon", "jdbc.SQLServerConnection$LogonCommand",
			"mariadb.jdbc.client.impl.ConnectionHelper.authenticationHandler",
		},
		reason: failure.ReasonAccessDenied,
	},
	{
		// The server said no while the client connected; what it says stands in its own language.
		id: "frame.postgres-refused", class: "PSQLException", starts: []string{"FATAL", "ФАТАЛ", "致命"},
		frames: []string{"org.postgresql.Driver.connect"}, reason: failure.ReasonAccessDenied,
	},
	{
		id: "frame.database-connect",
		frames: []string{
			"core.v3.ConnectionFactoryImpl.tryConnect", "mysql.cj.NativeSession.connect", "oracle.net.nt.", "oracle.net.ns.NSProtocol",
			"sqlserver.jdbc.SQLServerConnection.connectHelper", "sqlserver.jdbc.IOBuffer.TDSChannel.open",
		},
		reason: failure.ReasonExternalServiceUnavailable,
	},
}

// fromFrames is the verdict of the frames on an exception that no row of the catalogue knows.
func fromFrames(x *throwable.Exception) (catalogue.Verdict, bool) {
	root := x.Root()
	for _, r := range frameRules {
		if (r.class == "" || throwable.SimpleName(root.Class) == r.class) && hasFrame(root, r.frames) &&
			(len(r.starts) == 0 || hasPrefix(root.Message, r.starts)) {
			v := catalogue.Of(r.id, r.reason)
			v.Hint = r.hint
			return v, true
		}
	}
	return catalogue.Verdict{}, false
}

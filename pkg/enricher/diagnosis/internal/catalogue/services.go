package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// serviceRules: what could not be reached, or was too busy.
var serviceRules = []Rule{
	{
		ID: "service.connect-exception",
		Classes: []string{
			"ConnectException", "UnknownHostException", "SocketTimeoutException", "NoRouteToHostException",
			"ConnectTimeoutException", "HttpHostConnectException", "ConnectionRefusedError",
			"ConnectionResetError", "ConnectionError", "NewConnectionError", "MaxRetryError", "ConnectTimeout",
			"ReadTimeout", "gaierror", "timeout", "TimeoutError", "EndpointConnectionError",
			"ConnectTimeoutError", "ReadTimeoutError", "CommunicationsException", "TTransportException",
			"SafeModeException", "StandbyException", "ServiceUnavailable", "ServiceUnavailableException",
			"TooManyRequests", "UnresolvedAddressException", "DisconnectException", "NetworkException",
			"BrokerNotAvailableException", "ServerSelectionTimeoutError", "MongoTimeoutException",
			"NoNodeAvailableException", "NoHostAvailableException", "AllNodesFailedException",
			"SQLTransientConnectionException", "SQLNonTransientConnectionException", "SQLTimeoutException",
			"InterfaceError", "RetriesExhaustedException", "MasterNotRunningException",
			"ZooKeeperConnectionException", "ConnectionLossException", "EsHadoopNoNodesLeftException",
			"JedisConnectionException", "RetryException", "NoHttpResponseException",
			"ConnectionClosedException", "ConnectionPoolTimeoutException", "ServerSelectionTimeoutException",
			"ApiCallTimeoutException", "ApiCallAttemptTimeoutException", "InternalServerError",
			"DeadlineExceeded", "GatewayTimeout", "BadGateway", "RemoteDisconnected", "ProtocolError",
			"AWSServiceIOException", "ConnectionFailure", "HostUnreachableException",
			"BootstrapConnectionException", "NoBrokersAvailable", "KafkaTimeoutError", "KafkaConnectionError",
			"ClientConnectorError", "ClientConnectorDNSError", "ServerDisconnectedError", "ServerTimeoutError",
			"ClientProxyConnectionError", "ConnectionTimeout", "TrinoConnectionError", "ConnectError", "RestClientException",
		},
		Reason: failure.ReasonExternalServiceUnavailable,
	},
	// Hive's client says no more where PySpark shows the outermost text only.
	{
		ID: "service.metastore", Texts: []string{"sessionhivemetastoreclient"}, All: []string{"unable to instantiate"},
		Reason: failure.ReasonExternalServiceUnavailable,
	},
	// What a server of Cassandra answers, and Kafka's own timeout: their names alone are everyday words.
	{
		ID: "service.read-timeout-exception",
		Classes: []string{
			"exceptions.ReadTimeoutException", "exceptions.WriteTimeoutException", "exceptions.UnavailableException",
			"servererrors.ReadTimeoutException", "servererrors.WriteTimeoutException", "servererrors.UnavailableException",
			"exceptions.OverloadedException", "servererrors.OverloadedException", "OperationTimedOutException",
			"DriverTimeoutException", "kafka.common.errors.TimeoutException",
		},
		Reason: failure.ReasonExternalServiceUnavailable,
	},
	{
		ID:      "service.timeout-exception.node-assignment",
		Classes: []string{"TimeoutException"},
		Texts: []string{
			"node assignment", "metadata", "fetch", "topic", "describetopics", "listoffsets", "committed",
		},
		Reason: failure.ReasonExternalServiceUnavailable,
	},
	{
		ID: "service.connection-refused",
		Texts: []string{
			"connection refused", "could not connect", "connect timed out", "connection timed out",
			"read timed out", "communications link failure", "no resolvable bootstrap", "unknown host",
			"connection reset", "unknownhostexception", "name or service not known",
			"temporary failure in name resolution", "nodename nor servname",
			"failed to establish a new connection", "max retries exceeded with url", "too many connections",
			"remaining connection slots", "the connection attempt failed", "network is unreachable",
			"no route to host", "name node is in safe mode", "in safe mode",
			"operation category read is not supported in state standby",
			"timeout waiting for connection from pool", "timed out waiting for a node assignment",
			"failed to update metadata", "bootstrap broker", "i/o error occurred while sending to the backend",
			"server closed the connection", "connection is closed", "tcp/ip connection to the host",
			"the network adapter could not establish", "could not obtain block",
			"could only be written to 0 of the", "service unavailable", "connection to node -1",
			"unable to execute http request", "broken pipe", "lost connection to", "unexpected end of stream",
			"unavailable: io exception", "futures timed out after", "deadline_exceeded",
			"the target server failed to respond", "failed to connect to", "unable to connect to",
			"can't connect to", "cluster is not accessible", "statuscode.unavailable", "sqlstate=08", "sqlstate 08",
			"ora-12505", "ora-12514", "ora-12516", "ora-12518", "ora-12519", "ora-12520", "ora-12541", "ora-12543",
			"ora-12154", "ora-12170", "ora-03113", "ora-03114", "ora-01033", "ora-01034", "ora-01089",
			"listener refused the connection",
			"the database system is", "terminating connection due to", "internal server error", "gateway timeout",
			"gateway time-out", "failed to resolve '",
			"failed to resolve \"", "broker transport failure", "_all_brokers_down", "login timeout expired",
			"communication link failure", "due to statement timeout", "due to conflict with recovery",
			"too many clients already", "http error 429", "http error 50", "aws error network_connection", "aws error slow_down",
			"failed to create new kafkaadminclient",
		},
		Not: []string{"python worker"}, Reason: failure.ReasonExternalServiceUnavailable,
	},
}

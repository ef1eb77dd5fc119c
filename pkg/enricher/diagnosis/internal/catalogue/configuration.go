package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

var configurationRules = []Rule{
	{
		ID: "configuration.no-main-class", Texts: []string{"cannot load main class from jar", "no main class set in jar"},
		Reason: failure.ReasonInvalidConfiguration, Hint: "The jar names no main class, or cannot be read to find it: set mainClass.",
	},
	{
		ID: "configuration.application-failed-to-start", Texts: []string{"application failed to start"},
		Reason: failure.ReasonInvalidConfiguration,
	},
	// The container's process.
	{ID: "configuration.can-t-open-file.no-such-file", Texts: []string{"can't open file"}, All: []string{"no such file"}, Reason: failure.ReasonMissingDependency,
		Hint: "The main file is not in the image at that path: check mainApplicationFile."},
	{ID: "configuration.exec-format-error", Texts: []string{
		"exec format error", "[fatal tini", "command not found", "bad interpreter", "can't open file",
		"executable file not found", "exec user process caused", "cannot execute: ",
		"cannot execute binary", "java_home is not set",
		"oci runtime", "unknown command:", "failed to find spark jars directory", "failed to execute child process",
		"fork/exec ",
	}, Reason: failure.ReasonContainerCommandError},

	// Versions that do not fit.
	{ID: "configuration.no-such-method-error", Classes: []string{
		"NoSuchMethodError", "NoSuchFieldError", "IllegalAccessError", "AbstractMethodError",
		"IncompatibleClassChangeError", "UnsupportedClassVersionError", "VerifyError", "ClassFormatError",
		"InaccessibleObjectException", "BootstrapMethodError", "InstantiationError", "LinkageError",
	}, Reason: failure.ReasonDependencyConflict},
	{ID: "configuration.invalid-class-exception", Classes: []string{"InvalidClassException"}, Reason: failure.ReasonDependencyConflict},
	{ID: "configuration.class-cast-exception.cannot-assign", Classes: []string{"ClassCastException"}, Texts: []string{
		"cannot assign instance of", "serializedlambda", "serializationproxy", "different class loader",
		"in unnamed module of loader",
	}, All: []string{"cannot assign instance of"}, Reason: failure.ReasonDependencyConflict},
	{
		ID:      "configuration.no-such-method-exception.scala",
		Classes: []string{"NoSuchMethodException"},
		Texts:   []string{"scala.", "kotlin.", "org.apache.", "com.google", "java."}, Not: []string{".main("},
		Reason: failure.ReasonDependencyConflict,
	},
	{
		ID:      "configuration.kotlin-reflection-internal-error",
		Classes: []string{"KotlinReflectionInternalError", "KotlinReflectionNotSupportedError"},
		Reason:  failure.ReasonDependencyConflict,
	},
	{
		ID: "configuration.python-in-worker-has-different-version",
		Texts: []string{
			"python in worker has different version", "python_version_mismatch",
			"requires jackson databind version", "may indicate binary incompatibility",
			"compiled using numpy 1.x cannot be run in", "unsupported class file major version",
			"has been compiled by a more recent version of the java runtime", "local class incompatible",
			"version `glibc_", "core.multiarray failed to import", "core.umath failed to import", "does not \"opens", "does not opens",
			"module was compiled against abi version", "incompatible kafka", "incompatible with the version", "unsupported/unknown",
			"was compiled with an incompatible version", "undefined symbol: ", "descriptors cannot be created directly",
		},
		Reason: failure.ReasonDependencyConflict,
	},
	{
		ID:      "configuration.import-error.cannot-import-name",
		Classes: []string{"ImportError"},
		Texts:   []string{"cannot import name", "must be installed; however, your version", "version"},
		Not:     []string{"cannot open shared object", "circular import"}, Reason: failure.ReasonDependencyConflict,
	},
	{
		ID:      "configuration.py-spark-import-error.must-be-installed",
		Classes: []string{"PySparkImportError"}, Texts: []string{"must be installed; however, your version"},
		Reason: failure.ReasonDependencyConflict,
	},
	{ID: "configuration.contextual-version-conflict", Classes: []string{"ContextualVersionConflict", "VersionConflict", "PydanticImportError"}, Reason: failure.ReasonDependencyConflict},

	{ID: "configuration.has-no-attribute-iteritems", Texts: []string{
		"has no attribute 'iteritems'", "module 'numpy' has no attribute", "does not exist in the jvm",
		"sun.misc.unsafe or java.nio.directbytebuffer",
	}, Reason: failure.ReasonDependencyConflict},

	{
		ID:    "configuration.invalid-signature-file-digest",
		Texts: []string{"invalid signature file digest", "signer information does not match"}, Reason: failure.ReasonDependencyConflict,
		Hint: "A fat jar kept the signatures of a jar it contains: leave META-INF/*.SF, *.DSA and *.RSA out of it.",
	},
	{
		ID:    "configuration.jdk-cgroup",
		Texts: []string{"jdk.internal.platform.cgroup"}, Reason: failure.ReasonDependencyConflict,
		Hint: "This Java cannot read the node's cgroups (v2): update the JDK in the image, or set -XX:-UseContainerSupport.",
	},

	// Code that is not there.
	{
		ID:      "configuration.class-not-found-exception.option",
		Classes: []string{"ClassNotFoundException"}, Starts: []string{"-", "\"-", "'-"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "An option was taken for the main class: check the quotes and blanks in the JVM options.",
	},
	{
		ID:    "configuration.no-module-named-encodings",
		Texts: []string{"no module named 'encodings'"}, Reason: failure.ReasonMissingDependency,
		Hint: "Python does not find its own library: check PYTHONHOME, and that the packed environment is whole and unpacked where it expects.",
	},
	{
		ID: "configuration.javapackage-object-is-not-callable",
		Texts: []string{
			"'javapackage' object is not callable", "was not found in the classpath",
			"unable to find loginmodule class", "because hive classes are not found",
		},
		Reason: failure.ReasonMissingDependency,
	},
	{ID: "configuration.no-such-method-exception.main", Classes: []string{"NoSuchMethodException"}, Texts: []string{".main("}, Reason: failure.ReasonMissingDependency,
		Hint: "The main class has no main method: check mainClass."},
	{
		ID:      "configuration.no-class-def-found-error.could-not",
		Classes: []string{"NoClassDefFoundError"}, Texts: []string{"could not initialize class"},
		Reason: failure.ReasonDependencyConflict,
	},
	{
		ID: "configuration.class-not-found-exception",
		Classes: []string{
			"ClassNotFoundException", "NoClassDefFoundError", "ModuleNotFoundError", "ImportError",
			"PackageNotFoundError", "DistributionNotFound", "UnsatisfiedLinkError", "PySparkImportError",
			"SparkClassNotFoundException", "TypeNotPresentException", "NoSuchModuleError",
		},
		Reason: failure.ReasonMissingDependency,
	},
	{
		ID:      "configuration.service-configuration-error.not-found",
		Classes: []string{"ServiceConfigurationError"},
		Texts:   []string{"not found", "could not be instantiated"}, Reason: failure.ReasonMissingDependency,
	},
	{
		ID: "configuration.failed-to-load-class",
		Texts: []string{
			"failed to load class", "failed to load main class", "could not find or load main class", "clase principal", "hauptklasse", "classe principale", "classe principal",
			"找不到或无法加载主类", "メイン・クラス", "기본 클래스",
			"no module named", "failed to find data source", "no filesystem for scheme", "no suitable driver",
			"cannot load main class", "error while loading shared libraries", "cannot open shared object file",
			"unable to access jarfile", "cannot find catalog plugin class",
			"could not load an implementation class", "main method not found in class",
			"may not have been compiled with",
			"error opening zip file or jar manifest missing", "there is no package called",
			"could not find function", "error: failed to load", "error while finding module specification",
			"could not find java.", "failed to get main class in jar", "can't open lib '", "no default driver specified",
			"could not find conda environment", "not a conda environment", "could not find agent library",
		},
		Reason: failure.ReasonMissingDependency,
	},
	{ID: "configuration.unsupported-file-system-exception", Classes: []string{"UnsupportedFileSystemException"}, Reason: failure.ReasonMissingDependency},

	// Options and settings.
	{
		ID:      "configuration.no-such-element-exception.spark",
		Classes: []string{"NoSuchElementException"}, Texts: []string{"spark."},
		Reason: failure.ReasonInvalidConfiguration,
		Hint:   "The program asks for a setting that is not given: add it to sparkConf.",
	},
	{
		ID:    "configuration.invalid-null-input-name",
		Texts: []string{"invalid null input: name"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "The container's user id has no name: add it to the image's /etc/passwd, or correct runAsUser.",
	},
	{
		ID: "configuration.no-pod-was-found-named",
		Texts: []string{
			"no pod was found named", "jaas configuration", "another instance of derby",
			"cannot locate default realm", "kerberos realm", "bad request (service: amazon s3",
			"java gateway process exited",
		},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.invalid-initial-heap-size",
		Texts: []string{
			"invalid initial heap size", "invalid maximum heap size", "unrecognized vm option",
			"unrecognized option", "could not create the java virtual machine", "initialization of vm",
			"conflicting collector", "initial heap size set", "invalid thread stack size",
			"improperly specified vm option", "vm option", "too small maximum heap", "outside the allowed range",
			"a fatal exception has occurred. program will exit",
		},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.spark-settings",
		Texts: []string{
			"spark.kubernetes.file.upload.path", "size must be specified as bytes",
			"time must be specified as seconds", "a master url must be set", "could not parse master url",
			"missing application resource", "spark.driver.maxresultsize",
			"is not allowed to specify max heap", "dynamic allocation of executors requires",
			"buffer overflow. available", "spark.kryoserializer.buffer.max",
			"no configuration setting found for key", "cannot modify the value of",
			"spark.sql.broadcasttimeout", "invalid spark url",
			"must be no more than 63", "cannot broadcast the table", "not a valid configuration",
			"invalid value detected for fs.", "configuration property", "missing required option",
			"missing required argument", "missing required parameter", "following arguments are required",
			"unrecognized arguments", ".py: error: ", "missing argument '", "got unexpected extra argument", "no such command",
			"missing command", "missing option", "no such option", ": error: argument", "master must either",
			"cluster deploy mode", "client deploy mode", "deploy mode must", "in spark config",
			"config conflict(key", "spark.rpc.message.maxsize", "consider increasing spark.", "please increase spark.",
			"to avoid this, increase spark.", "illegal value for config key", "received message larger than max",
			"grpc message exceeds maximum size",
		},
		Not: []string{"access denied", "forbidden"}, Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.should-be-int-but-was.spark",
		Texts: []string{
			"should be int, but was", "should be long, but was", "should be double, but was",
			"should be boolean, but was", "should be one of", "must be at least", "must be less than",
			"must be positive", "should be positive", "must be >",
			"must not be", "requires setting",
		},
		All: []string{"spark."}, Not: []string{"org.apache.spark."}, Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.illegal-argument-exception.spark-executor",
		Classes: []string{
			"IllegalArgumentException", "SparkIllegalArgumentException", "SparkException",
			"NumberFormatException", "ConfigException",
		},
		Texts: []string{
			"spark.executor.", "spark.driver.", "spark.kubernetes.", "spark.dynamicallocation.",
			"system memory", "executor memory",
		},
		Not: []string{"lost task", "access denied", "forbidden"}, Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID:      "configuration.bind-exception",
		Classes: []string{"BindException"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "The driver cannot bind that address or port: check spark.driver.bindAddress, spark.driver.host and the ports.",
	},
	{
		ID:     "configuration.cannot-assign-requested-address",
		Texts:  []string{"cannot assign requested address", "address already in use", "could not bind on"},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.config-exception",
		Classes: []string{
			"ConfigException", "ConfigException$Missing", "ConfigurationException",
			"InvalidConfigurationValueException", "ConfigurationPropertyNotFoundException",
			"BadConfigException", "NoSectionError", "NoOptionError", "MissingConfigException",
			"AWSRedirectException", "BarrierJobSlotsNumberCheckFailed", "BarrierJobRunWithDynamicAllocationException",
			"KeyProviderException", "UnrecognizedPropertyException", "OptionValidationException",
			"NoRegionError", "InvalidRegionError", "ProfileNotFound", "ConfigParseError", "UnknownEndpointError",
			"RecordTooLargeException",
		},
		Not: []string{"no resolvable bootstrap"}, Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.wrong-fs",
		Texts: []string{
			"wrong fs:", " to 0.0.0.0:", "0.0.0.0/0.0.0.0:", "invalid port -1", "invalid port number", "incomplete hdfs uri", "does not appear to be a valid",
			"must be addressed using", "permanentredirect", "301 moved permanently",
			"authorizationheadermalformed", "the region '", "region provider chain", "unable to load region",
			"unable to find a region", "fs.azure.account.key",
			"relative path in absolute uri", "invalid s3 uri", "bucket is in this region", "null uri host",
		},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{
		ID: "configuration.ssl-handshake-exception",
		Classes: []string{
			"SSLHandshakeException", "SSLCertVerificationError", "CertificateException",
			"CertPathBuilderException", "SunCertPathBuilderException", "ValidatorException",
		},
		Not:    []string{"terminated the handshake", "peer shut down", "closed connection during handshake", "connection reset"},
		Reason: failure.ReasonInvalidConfiguration,
		Hint:   "The certificate is not trusted: add the issuing authority to the image's trust store.",
	},
	{ID: "configuration.certificate-verify-failed", Texts: []string{
		"certificate verify failed", "pkix path", "trustanchors parameter must be non-empty", "keystore was tampered with",
		"keystore password was incorrect", "failed to load ssl keystore",
	}, Reason: failure.ReasonInvalidConfiguration},
	{
		ID:      "configuration.file-not-found-error.etc",
		Classes: []string{"FileNotFoundError", "FileNotFoundException", "NoSuchFileException"},
		Texts: []string{
			"/etc/", "/.kube/", "kubeconfig", "/opt/spark/conf", "log4j", "core-site.xml", "/var/run/secrets",
			"/var/secrets", "/mnt/secrets", "krb5.conf", ".keytab", "truststore", "keystore",
		},
		Reason: failure.ReasonInvalidConfiguration,
	},
	{ID: "configuration.permission-error.local-path", Classes: []string{"PermissionError", "FileSystemException", "AccessDeniedException"}, Texts: []string{
		"'/opt/", "'/tmp", "'/home/", "'/var/", "'/app", "/opt/spark", "'/root", "errno 13",
	}, Not: []string{"s3", "abfs", "gs://", "hdfs"}, Reason: failure.ReasonInvalidConfiguration},
	{
		ID: "configuration.mkdir-of-file",
		Texts: []string{
			"mkdir of file:", "changing permissions of", "failed to create a temp directory", "cannot create directory",
			"mkdirs failed to create file:", "(permission denied)", "read-only file system",
		},
		Not: []string{"hdfs://", "s3a://", "safe mode"}, Reason: failure.ReasonInvalidConfiguration,
	},
	// Storage names its scheme, bucket or operation first; a path alone, where no data lies, is the container's own.
	{
		ID:      "configuration.access-denied-exception.var",
		Classes: []string{"java.nio.file.AccessDeniedException", "java.nio.file.FileSystemException"},
		Starts:  []string{"./", "/var/", "/tmp", "/opt/", "/home/", "/root", "/app", "/etc/"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "The container's user may not use that local path: check the volume, its fsGroup and the image's user.",
	},
	{
		ID:    "configuration.failed-to-create-any-local-dir",
		Texts: []string{"failed to create any local dir"}, Reason: failure.ReasonInvalidConfiguration,
		Hint: "Spark cannot create its scratch directory: check that spark.local.dir is mounted, writable and not full.",
	},
}

package catalogue

// WrapperTexts and WrapperClasses are those of exceptions that say where, not what.
var (
	WrapperTexts = []string{
		"An error occurred while calling", "External scheduler cannot be instantiated", "Job aborted",
		"Writing job aborted",
		"Task failed while writing rows", "[TASK_WRITE_FAILED]", "Exception thrown in awaitResult",
		"Multiple failures in stage materialization",
		"[STREAM_FAILED]", "Query [id = ", "Failed to execute user defined function", "[FAILED_EXECUTE_UDF]",
		"Error while instantiating",
		"An exception was thrown from the Python worker", "Failed to construct kafka", "Unable to instantiate",
		"[FAILED_READ_FILE",
		"Encountered error while reading file", "Failed to create Spark",
		"[FAILED_JDBC", "Error initializing",
		"Uploading file ", "Error uploading file ", "Could not load pod from template", "Operation: [",
		"Failed to execute CommandLineRunner", "Failed to execute ApplicationRunner",
		"An error has occurred.", "An exception was raised by ", "Failed to read log", "error occurred in awaitResult", "[INTERNAL_ERROR]",
		"RetryError[<Future",
	}
	WrapperClasses = []string{
		"Py4JJavaError", "StreamingQueryException", "PythonException", "InvocationTargetException",
		"ExecutionException", "UndeclaredThrowableException",
		"UncheckedExecutionException", "CompletionException", "ExceptionInInitializerError",
		"ExceptionGroup", "BaseExceptionGroup",
	}
)

// Reflection are the wrappers that carry no text of their own.
var Reflection = []string{
	"InvocationTargetException", "UndeclaredThrowableException", "ExecutionException", "CompletionException",
	"PrivilegedActionException", "UncheckedExecutionException", "ExecutionError",
}

// Appended begin what Spark appends below its message: the SQL text, the plan, the place in the program.
var Appended = []string{
	"\n== SQL", "\n'", "\n+- ", "\n:- ", "\n== DataFrame ==", "\nDriver stacktrace:", "\n=== Streaming Query ===",
}

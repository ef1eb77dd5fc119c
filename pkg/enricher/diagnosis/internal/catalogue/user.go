package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

var userRules = []Rule{
	{
		ID:      "user.not-serializable-exception",
		Classes: []string{"NotSerializableException"}, Reason: failure.ReasonUserCodeError,
		Hint: "A closure captures an object that cannot be serialised: make it local, lazy, transient or Serializable.",
	},
	{
		ID:    "user.task-not-serializable",
		Texts: []string{"task not serializable", "could not serialize object", "notserializableexception: ", "cannot pickle", "can't pickle"}, Reason: failure.ReasonUserCodeError,
		Hint: "A closure captures an object that cannot be serialised: make it local, lazy, transient or Serializable.",
	},
	{
		ID:      "user.stack-overflow-error",
		Classes: []string{"StackOverflowError", "RecursionError"}, Reason: failure.ReasonUserCodeError,
		Hint: "The plan or a recursion grew too deep: cut long chains of transformations with checkpoint() or " +
			"localCheckpoint(), or raise -Xss.",
	},
	{
		ID: "user.extended-analysis-exception",
		Classes: []string{
			"ExtendedAnalysisException", "AnalysisException", "NoSuchNamespaceException",
			"TableAlreadyExistsException", "SQLSyntaxErrorException",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		ID: "user.cannot-resolve",
		Texts: []string{
			"cannot resolve '", "cannot resolve `", "mismatched input '", "no viable alternative at input",
			"undefined function:", "table or view not found", "syntax error at or near",
			"you have an error in your sql syntax", "ora-00904", "invalid column name", "incorrect syntax near",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		ID: "user.undefined-column",
		Classes: []string{
			"UndefinedColumn", "UndefinedFunction", "AmbiguousColumn", "DatatypeMismatch", "TrinoUserError",
			"BinderException", "CatalogException",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		ID:    "user.column.does-not-exist",
		Texts: []string{"column \"", "function "}, All: []string{" does not exist", "error: "},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		ID:    "user.external-type",
		Texts: []string{"is not a valid external type for schema of"}, Reason: failure.ReasonUserCodeError,
		Hint: "A Row holds a value of another type than its schema says: make the value or the schema fit.",
	},
	{
		ID: "user.two-contexts", Texts: []string{"only one sparkcontext"}, Reason: failure.ReasonUserCodeError,
		Hint: "The program makes a second SparkContext: use SparkSession.builder.getOrCreate() in one place.",
	},
	{
		ID: "user.notebook-cell", Classes: []string{"PapermillExecutionError", "CellExecutionError"}, Reason: failure.ReasonUserCodeError,
		Hint: "A cell of the notebook raised: the message names the cell and its exception.",
	},
	{
		ID: "user.pickled-result", Classes: []string{"PickleException"}, Texts: []string{"expected zero arguments for construction"},
		Reason: failure.ReasonUserCodeError,
		Hint:   "A Python function returns a type that Spark cannot read: return Python's own types, for example float(x) for a value of numpy.",
	},
	{
		ID: "user.pyspark-object", Classes: []string{"TypeError", "AttributeError"},
		Texts:  []string{"'column' object ", "'dataframe' object ", "'groupeddata' object ", "'pipelinedrdd' object ", "'row' object "},
		Reason: failure.ReasonUserCodeError,
		Hint:   "The program uses an object of PySpark for what it cannot do: look the method up in the documentation of this Spark version.",
	},
}

package catalogue

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

var userRules = []Rule{
	{
		Classes: []string{"NotSerializableException"}, Reason: failure.ReasonUserCodeError,
		Hint: "A closure captures an object that cannot be serialised: make it local, lazy, transient or Serializable.",
	},
	{
		Texts: []string{"task not serializable"}, Reason: failure.ReasonUserCodeError,
		Hint: "A closure captures an object that cannot be serialised: make it local, lazy, transient or Serializable.",
	},
	{
		Classes: []string{"StackOverflowError", "RecursionError"}, Reason: failure.ReasonUserCodeError,
		Hint: "The plan or a recursion grew too deep: cut long chains of transformations with checkpoint() or " +
			"localCheckpoint(), or raise -Xss.",
	},
	{
		Classes: []string{
			"ExtendedAnalysisException", "AnalysisException", "NoSuchNamespaceException",
			"TableAlreadyExistsException", "SQLSyntaxErrorException", "SQLServerException",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		Texts: []string{
			"cannot resolve '", "cannot resolve `", "mismatched input '", "no viable alternative at input",
			"undefined function:", "table or view not found", "syntax error at or near",
			"you have an error in your sql syntax", "ora-00904", "invalid column name", "incorrect syntax near",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		Classes: []string{
			"UndefinedColumn", "UndefinedFunction", "AmbiguousColumn", "DatatypeMismatch", "TrinoUserError",
			"BinderException", "CatalogException",
		},
		Reason: failure.ReasonSqlAnalysisError,
	},
	{
		Texts: []string{"column \"", "function "}, All: []string{" does not exist", "error: "},
		Reason: failure.ReasonSqlAnalysisError,
	},
}

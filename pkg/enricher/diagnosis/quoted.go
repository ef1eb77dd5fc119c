package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// Spark words some failures within the text of another, and keeps no cause beside it.
const (
	queryEnded   = " terminated with exception: "
	stageFailure = "Job aborted due to stage failure: "
	lastFailure  = "most recent failure: "
	taskEnd      = "): "
	executorLost = "ExecutorLostFailure ("
	lostReason   = "Reason:"
	lostDetails  = "The API gave the following container statuses"
)

// maxQuoted is how much of a quoted failure is read, in bytes.
const maxQuoted = 16 << 10

// quotedFailure is what a text that only wraps quotes as the failure itself, "" where it quotes none.
func quotedFailure(text string) string {
	_, inner, streamed := strings.Cut(text, queryEnded)
	if !streamed {
		inner = text
	}
	at := strings.Index(inner, stageFailure)
	if at < 0 {
		if streamed {
			return strings.TrimSpace(inner)
		}
		return ""
	}
	inner = inner[at+len(stageFailure):]
	if _, failure, ok := strings.Cut(inner, lastFailure); ok {
		inner = taskWords(failure)
	}
	return strings.TrimSpace(inner)
}

// taskWords is what a task says behind "Lost task 0.3 in stage 1.0 (TID 3) (host executor 1): ".
func taskWords(failure string) string {
	if _, said, ok := strings.Cut(failure, taskEnd); ok {
		failure = said
	}
	if strings.HasPrefix(failure, executorLost) {
		if _, why, ok := strings.Cut(failure, lostReason); ok {
			why, _, _ = strings.Cut(why, lostDetails)
			return why
		}
	}
	return failure
}

// quoted is the failure that a streaming query's text quotes, where the chain ends with it; nil for none.
func quoted(root *throwable.Exception) *throwable.Exception {
	at := strings.LastIndex(root.Message, queryEnded)
	if at < 0 {
		return nil
	}
	inner := head(root.Message[at+len(queryEnded):], maxQuoted)
	if name, _ := conditionIn(inner); name != "" {
		if at := strings.LastIndex(inner, stateMark); at > strings.Index(inner, stateMark) {
			inner = inner[:at] // the last one is the query's
		}
		return &throwable.Exception{Message: inner}
	}
	if x := throwable.ParseJava(strings.Split(inner, "\n")); x != nil {
		return x
	}
	return &throwable.Exception{Message: inner}
}

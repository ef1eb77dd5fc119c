package diagnosis

import (
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// Frames of what spark-submit does before the program begins.
var (
	fetching  = []string{"spark.util.DependencyUtils", "spark.deploy.DependencyUtils", "spark.util.MavenUtils", "deploy.SparkSubmitUtils"}
	preparing = []string{"deploy.SparkSubmit.prepareSubmitEnvironment", "spark.deploy.k8s.", "deploy.SparkSubmitArguments"}
)

// atStart corrects the verdict on an exception of spark-submit itself: a file it cannot find is no input of the
// program, and what nobody knows is no fault in code that has not begun.
func atStart(x *throwable.Exception, v catalogue.Verdict, known bool) (catalogue.Verdict, bool) {
	switch {
	case known && v.Reason == failure.ReasonDataNotFound && hasFrame(x, fetching):
		return catalogue.Of("start.fetching", failure.ReasonDependencyResolutionFailed), true
	case !known && hasFrame(x, preparing) && isOneOf(x.Root().Class, complaints):
		return catalogue.Of("start.preparing", failure.ReasonInvalidConfiguration), true
	}
	return v, known
}

func hasFrame(x *throwable.Exception, names []string) bool {
	for _, link := range x.Chain() {
		for _, f := range link.Frames {
			if containsAny(f, names) {
				return true
			}
		}
	}
	return false
}

// complaints are the classes by which spark-submit refuses what it was given; any other that nobody knows is a fault
// of its own.
var complaints = []string{
	"SparkException", "IllegalArgumentException", "SparkIllegalArgumentException", "NoSuchElementException",
	"NumberFormatException", "KubernetesClientException", "UnsupportedOperationException",
}

// beforeProgram is the verdict on an exception of a failed submission that no rule knows: there is no program yet.
func beforeProgram(x *throwable.Exception) catalogue.Verdict {
	if isOneOf(x.Root().Class, complaints) {
		return catalogue.Of("submission.refused", failure.ReasonInvalidConfiguration)
	}
	return catalogue.Of("submission.exception", failure.ReasonUnclassifiedError)
}

// fromFrames is the verdict of the frames on an exception that no row of the catalogue knows.
func fromFrames(x *throwable.Exception) (catalogue.Verdict, bool) {
	root := x.Root()
	for _, r := range catalogue.FrameRules {
		if (r.Class == "" || throwable.SimpleName(root.Class) == r.Class) && hasFrame(root, r.Frames) &&
			(len(r.Starts) == 0 || hasPrefix(root.Message, r.Starts)) {
			v := catalogue.Of(r.ID, r.Reason)
			v.Hint = r.Hint
			return v, true
		}
	}
	return catalogue.Verdict{}, false
}

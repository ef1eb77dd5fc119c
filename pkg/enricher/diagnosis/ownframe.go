package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// libraries are the packages whose frames are not the program's own.
var libraries = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "kotlin.", "kotlinx.", "org.apache.", "py4j.",
	"io.netty.", "com.fasterxml.", "com.google.",
	"com.amazonaws.", "software.amazon.", "io.fabric8.", "okhttp3.", "org.slf4j.", "io.delta.",
	"com.esotericsoftware.", "org.codehaus.",
	"org.sparkproject.", "org.postgresql.", "com.mysql.", "oracle.", "org.json4s.", "java.base/", "java.lang.",
	"akka.", "org.spark_project.", "groovy.",
}

// ownFrame is the frame of the program's own code that is nearest to the failure.
func ownFrame(x *throwable.Exception) string {
	links := x.Chain()
	for i := len(links) - 1; i >= 0; i-- {
		if frame := ownIn(links[i].Frames); frame != "" {
			return "Look at " + frame + "."
		}
	}
	return ""
}

// maxFrame is the longest frame worth showing in a hint, in bytes.
const maxFrame = 256

func ownIn(frames []string) string {
	python := ""
	for _, f := range frames {
		if len(f) > maxFrame {
			continue
		}
		if rest, ok := strings.CutPrefix(f, "at "); ok {
			if isOwn(rest) {
				return strings.TrimSpace(rest)
			}
		} else if isPythonOwn(f) {
			python = f
		}
	}
	return python
}

func isOwn(frame string) bool {
	frame = frame[strings.LastIndex(head(frame, strings.IndexByte(frame+"(", '(')), "/")+1:]
	for _, p := range libraries {
		if strings.HasPrefix(frame, p) {
			return false
		}
	}
	return strings.Contains(frame, "(") && !strings.Contains(frame, "$$Lambda") && !strings.Contains(frame, "<generated>")
}

func isPythonOwn(f string) bool {
	if !strings.HasPrefix(f, `File "`) {
		return false
	}
	for _, lib := range []string{"site-packages", "dist-packages", "/pyspark", "py4j", "/lib/python", "<frozen", "pyspark.zip"} {
		if strings.Contains(f, lib) {
			return false
		}
	}
	return true
}

package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// shapes are the ways in which a secret {} stands in a driver's text. Of the last two nothing but its key in sparkConf tells
// that it is one.
var shapes = []string{
	"could not connect to jdbc:postgresql://db.example.com:5432/sales?user=etl&password={}",
	"could not connect to jdbc:mysql://etl:{}@db.example.com/sales",
	"could not connect to jdbc:sqlserver://db:1433;databaseName=sales;user=etl;password={};encrypt=true",
	"GET https://etl:{}@example.com/api failed",
	"login with user=etl password={} failed",
	"request with Authorization: Bearer {} failed",
	"environment: HOME=/root AWS_SECRET_ACCESS_KEY={} SPARK_USER=root",
	"GET https://account.blob.core.windows.net/c/p?sv=2024-11-04&sr=c&sig={} failed",
	"the signature made with {} does not match",
	"the environment holds DB_PASSPHRASE {}",
}

// carriers bring the text before the enricher.
var carriers = map[string]func(text string) []script.Step{
	"annotation": func(text string) []script.Step {
		return []script.Step{script.Annotate("java.lang.IllegalStateException: " + text + "\n" + frames)}
	},
	"java-log": func(text string) []script.Step {
		return []script.Step{script.Log("Exception in thread \"main\" java.lang.IllegalStateException: " + text + "\n" + frames)}
	},
	"cause-in-log": func(text string) []script.Step {
		return []script.Step{script.Log("26/11/30 10:00:00 INFO Main: " + text + "\n" +
			"Exception in thread \"main\" java.lang.RuntimeException: job failed\n" + frames + "Caused by: java.io.IOException: " + text + "\n" + frames)}
	},
	"python-log": func(text string) []script.Step {
		return []script.Step{script.Log("Traceback (most recent call last):\n  File \"/opt/job.py\", line 3, in <module>\n    run()\nRuntimeError: " + text + "\n")}
	},
	"termination-message": func(text string) []script.Step {
		return []script.Step{script.Terminate(corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error",
			Message: "Exception in thread \"main\" java.lang.IllegalStateException: " + text + "\n" + frames})}
	},
}

var _ = Describe("Secrets in what 50 drivers print", Label("hostile", "secrets"), func() {
	It("come out in no status, event, annotation, metric or log line of the enricher", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		apps, secrets := map[string]e2etest.App{}, map[string]string{}
		for carrier, steps := range carriers {
			for i, shape := range shapes {
				name := fmt.Sprintf("%s-%d", carrier, i)
				secret := fmt.Sprintf("Zq9x%02dKw7vT3mLp-%s", i, carrier)
				secrets[name] = secret
				apps[name] = submitSecret(ctx, namespace, name, confOf(i, secret), steps(strings.ReplaceAll(shape, "{}", secret)))
			}
		}
		Expect(secrets).To(HaveLen(50))
		for _, app := range apps {
			diagnosed(ctx, app)
		}
		Eventually(func() (int, error) { return len(events(ctx, namespace).Items), nil }).Should(BeNumerically(">=", 50))
		written := everythingWritten(ctx, namespace)
		for name, secret := range secrets {
			for where, text := range written {
				if at := strings.Index(text, secret); at >= 0 {
					Fail(fmt.Sprintf("the secret of %s is in %s: ...%s", name, where, text[max(0, at-200):min(len(text), at+100)]))
				}
			}
		}
	})
})

// confOf is the sparkConf that tells of the secret of a shape, where the text alone does not.
func confOf(shape int, secret string) map[string]string {
	switch shape {
	case 8:
		return map[string]string{"spark.hadoop.fs.s3a.secret.key": secret}
	case 9:
		return map[string]string{"spark.kubernetes.driverEnv.DB_PASSWORD": secret}
	default:
		return nil
	}
}

func submitSecret(ctx context.Context, namespace, name string, conf map[string]string, steps []script.Step) e2etest.App {
	app := build.App(namespace, name).Annotating("true")
	for key, value := range conf {
		app.Conf(key, value)
	}
	return bed.Submit(ctx, app, script.Once(append(append([]script.Step{script.Running()}, steps...), script.Exit(1))...))
}

// everythingWritten is all that the enricher has written, by place. An annotation of the driver's own is not its text.
func everythingWritten(ctx context.Context, namespace string) map[string]string {
	GinkgoHelper()
	written := map[string]string{"the enricher's log": bed.Enricher.Log(), "the metrics": metrics(ctx)}
	apps := &v1beta2.SparkApplicationList{}
	Expect(bed.Enriched.List(ctx, apps, client.InNamespace(namespace))).To(Succeed())
	for _, app := range apps.Items {
		written["the status of "+app.Name] = asJSON(app.Status)
	}
	written["the events"] = asJSON(events(ctx, namespace).Items)
	pods := &corev1.PodList{}
	Expect(bed.Client.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
	annotated := 0
	for _, pod := range pods.Items {
		if _, ours := pod.Annotations[v1beta2.AnnotationExitExceptionSource]; ours {
			annotated++
			written["the annotation of "+pod.Name] = pod.Annotations[spark.AnnotationExitException]
		}
	}
	Expect(annotated).To(BeNumerically(">=", 40), "annotations written by the enricher")
	return written
}

func events(ctx context.Context, namespace string) *eventsv1.EventList {
	GinkgoHelper()
	list := &eventsv1.EventList{}
	Expect(bed.Client.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
	kept := &eventsv1.EventList{}
	for _, event := range list.Items {
		if event.ReportingController == "spark-status-enricher.io/enricher" {
			kept.Items = append(kept.Items, event)
		}
	}
	return kept
}

func metrics(ctx context.Context) string {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, bed.Enricher.Metrics, nil)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return string(body)
}

func asJSON(value any) string {
	GinkgoHelper()
	data, err := json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	return string(data)
}

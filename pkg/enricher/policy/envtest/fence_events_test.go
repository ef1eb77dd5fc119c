package envtest

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/enricher/webhook"
)

var _ = Describe("the fence around events", func() {
	It("lets the enricher tell of an application and of its lease", func(ctx SpecContext) {
		Expect(enricher.Create(ctx, newEvent())).To(Succeed())
		lease := leaderEvent()
		Expect(enricher.Create(ctx, lease)).To(Succeed())
		Expect(enricher.Patch(ctx, lease, client.RawPatch("application/merge-patch+json", []byte(`{"count": 2}`)))).To(Succeed())
	})

	DescribeTable("refuses the enricher every other event",
		func(ctx SpecContext, event client.Object) {
			Expect(enricher.Create(ctx, event)).To(MatchError(ContainSubstring("events in its own name")))
			event.SetResourceVersion("")
			Expect(kube.Create(ctx, event)).To(Succeed(), "somebody else")
		},
		Entry("about a pod", changedEvent(func(e *eventsv1.Event) { e.Regarding.APIVersion, e.Regarding.Kind = "v1", "Pod" })),
		Entry("about another's SparkApplication", changedEvent(func(e *eventsv1.Event) { e.Regarding.APIVersion = "example.com/v1" })),
		Entry("in another's name", changedEvent(func(e *eventsv1.Event) { e.ReportingController = "kubelet" })),
		Entry("about another lease", changedLeaderEvent(func(e *corev1.Event) { e.InvolvedObject.Name = "kube-scheduler" })),
		Entry("of the older group about a node", changedLeaderEvent(func(e *corev1.Event) {
			e.InvolvedObject.APIVersion, e.InvolvedObject.Kind = "v1", "Node"
			e.ReportingController = "spark-status-enricher.io/enricher"
		})),
	)

	It("refuses the enricher to change and delete events", func(ctx SpecContext) {
		event := newEvent()
		Expect(enricher.Create(ctx, event)).To(Succeed())
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}}`))
		Expect(enricher.Patch(ctx, event, patch)).To(MatchError(ContainSubstring("events in its own name")))
		Expect(enricher.Delete(ctx, event)).To(MatchError(ContainSubstring("events in its own name")))
	})
})

var _ = Describe("the fence around webhook configurations", func() {
	It("lets the enricher change the authority and nothing else", func(ctx SpecContext) {
		configuration := &admissionregistrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "fenced-"},
			Webhooks: []admissionregistrationv1.MutatingWebhook{{
				Name: "keep.spark-status-enricher.io", AdmissionReviewVersions: []string{"v1"},
				SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), FailurePolicy: ptr.To(admissionregistrationv1.Ignore),
				ClientConfig: admissionregistrationv1.WebhookClientConfig{
					Service: &admissionregistrationv1.ServiceReference{Namespace: namespace, Name: webhook.KeepStatusName},
				},
				ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"never": "matched"}},
			}},
		}
		Expect(enricher.Create(ctx, configuration)).To(MatchError(ContainSubstring("neither create nor delete")))
		Expect(kube.Create(ctx, configuration)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(kube.Delete(ctx, configuration)).To(Succeed()) })
		Expect(enricher.Delete(ctx, configuration)).To(MatchError(ContainSubstring("neither create nor delete")))
		for name, change := range map[string]func(*admissionregistrationv1.MutatingWebhookConfiguration){
			"where it calls": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.Webhooks[0].ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: ptr.To("https://elsewhere.example.com/")}
			},
			"which service": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.Webhooks[0].ClientConfig.Service.Namespace = "other"
			},
			"what for": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.Webhooks[0].Rules = []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
				}}
			},
			"how it fails": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.Webhooks[0].FailurePolicy = ptr.To(admissionregistrationv1.Fail)
			},
			"another webhook": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				added := c.Webhooks[0].DeepCopy()
				added.Name = "added.spark-status-enricher.io"
				c.Webhooks = append(c.Webhooks, *added)
			},
			"who owns it": func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "gone", UID: "gone"}}
			},
		} {
			changed := configuration.DeepCopy()
			change(changed)
			Expect(enricher.Update(ctx, changed)).To(MatchError(ContainSubstring("caBundle")), name)
		}
		configuration.Webhooks[0].ClientConfig.CABundle = endingAuthority(day).crt
		Expect(enricher.Update(ctx, configuration)).To(Succeed())
	})
})

func newEvent() *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "etl-", Namespace: namespace},
		EventTime:  metav1.NowMicro(), Type: corev1.EventTypeWarning, Reason: "UserExit", Action: "DiagnoseFailure",
		ReportingController: "spark-status-enricher.io/enricher", ReportingInstance: "replica",
		Regarding: corev1.ObjectReference{
			APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "SparkApplication", Namespace: namespace, Name: "etl",
		},
	}
}

func changedEvent(change func(*eventsv1.Event)) *eventsv1.Event {
	event := newEvent()
	change(event)
	return event
}

// leaderEvent is as client-go makes it.
func leaderEvent() *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "lease-", Namespace: namespace},
		Type:       corev1.EventTypeNormal, Reason: "LeaderElection", Source: corev1.EventSource{Component: "replica_uuid"},
		ReportingController: "replica_uuid",
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Namespace: namespace, Name: "spark-status-enricher",
		},
	}
}

func changedLeaderEvent(change func(*corev1.Event)) *corev1.Event {
	event := leaderEvent()
	change(event)
	return event
}

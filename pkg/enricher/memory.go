package enricher

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// unnamedLimit is how long a driver pod is held whose submission the application's status does not name: the pod
// carries its submission ID seconds before the status does.
const unnamedLimit = 10 * time.Minute

// claimantLimit bounds the pods that are held as possible drivers of one attempt.
const claimantLimit = 8

// rememberedAttempts is more than the status can hold, since attempts that were well count as well.
const rememberedAttempts = 3 * failure.MaxAttempts

// storedLimit is how long a record is remembered beside the status that holds it, should that be erased.
const storedLimit = 10 * time.Minute

// attempt is what is remembered of one submission.
type attempt struct {
	submissionID string
	// named is true once the application's status has named the submission; number is its executionAttempts.
	named  bool
	number int32
	seen   time.Time
	// podName is the driver pod's name as the operator's status had it.
	podName string
	// seenPods are the pods that claim to be its driver, as they were last seen after their end; which one is, only a
	// look at the application tells. pod is that one, in a snapshot, and gone is true if it does not exist any more.
	seenPods []seenPod
	pod      *corev1.Pod
	gone     bool
	// app is the application as it was when the operator called the attempt failed; submission is true if it failed
	// before there was a driver.
	app        *v1beta2.SparkApplication
	submission bool
	// failed and stopped tell whether the operator has called the attempt failed, or ended it because of a changed
	// specification or a suspension; ended tells that it came to its end by itself, well or badly, and unasked that its
	// pod was seen so before anybody wanted the pod deleted.
	failed, stopped, ended, unasked bool
	// released is true once our finalizer was taken off its pod, which the cache may not show yet.
	released bool
	// collecting is true while its log is being read, collection what that came to, and tries counts readings that failed.
	collecting bool
	collection *collection
	tries      int
	// settled is true when there is nothing more to find out; record is nil then if the attempt was well.
	settled bool
	record  *status.Record
	evented bool
}

// application is what is remembered of one application.
type application struct {
	uid        types.UID
	generation int64
	quietUntil time.Time
	attempts   []attempt
	// state is the one that this process saw last, first at stateSince.
	state      v1beta2.State
	stateSince time.Time
	// since is when this process saw the application first: what another one wrote just before is younger than that.
	since time.Time

	// kept is the diagnostics that the status had last, should a write of the operator take them with it: never changed,
	// since it may be the cache's. KeptFinal is true if they explained the end of their attempt; lost is true while they
	// may have gone so before this process saw them.
	kept            *failure.Diagnostics
	keptFinal, lost bool

	// written is the resource version that our last write made, at writtenAt, with a diagnosis of storedID when the
	// application was at storedGeneration.
	written          string
	writtenAt        time.Time
	storedID         string
	storedGeneration int64
	// storedAt is when that was; zero once it was found erased.
	storedAt time.Time
	erasure  erasure
	// refusals counts writes in a row that found the application other than expected.
	refusals int
	// rejection holds back writes that the API server would not store.
	rejection rejection
}

// memory holds what the API server does not: attempts that wait for a moment in which they may be written. Informer
// handlers fill it, reconciles of one application at a time read and change it.
type memory struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	apps  map[types.NamespacedName]*application
	// unnamed bounds what pods may cost that no application has named.
	unnamed unnamedPods
}

func newMemory(c clock.PassiveClock) *memory {
	return &memory{clock: c, apps: map[types.NamespacedName]*application{}, unnamed: newUnnamedPods()}
}

// observeApp notes which attempt the application is at, and a submission that failed: both may be over before a
// reconcile sees them.
func (m *memory) observeApp(app *v1beta2.SparkApplication) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.applicationFor(keyOf(app))
	if a.uid != app.UID {
		*a = application{uid: app.UID, attempts: a.unclaimed(), since: m.clock.Now(), lost: mayHaveLost(app)}
	}
	a.keep(app)
	m.observeGeneration(a, app)
	if state := app.Status.ApplicationState.State; state != a.state || a.stateSince.IsZero() {
		a.state, a.stateSince = state, m.clock.Now()
	}
	id := app.Status.SubmissionID
	if id == "" {
		return
	}
	t := a.attempt(id, m.clock.Now())
	t.named = true
	if name := app.Status.DriverInfo.PodName; name != "" {
		t.podName = name
	}
	if app.Status.ExecutionAttempts > 0 {
		t.number = app.Status.ExecutionAttempts
	}
	t.observe(app)
}

func (t *attempt) observe(app *v1beta2.SparkApplication) {
	switch app.Status.ApplicationState.State {
	case v1beta2.StateSubmissionFailed:
		t.failed, t.submission, t.app = true, true, app
	case v1beta2.StateFailing:
		t.failed, t.app = true, app
	case v1beta2.StateFailed:
		t.failed = true
	case v1beta2.StatePendingRerun:
		// A changed specification resets the counters, a retry does not.
		t.stopped = t.stopped || app.Status.ExecutionAttempts == 0
		t.ended = t.ended || app.Status.ExecutionAttempts > 0
	case v1beta2.StateInvalidating, v1beta2.StateSuspending, v1beta2.StateSuspended:
		t.stopped = true
	}
}

func (m *memory) observeGeneration(a *application, app *v1beta2.SparkApplication) {
	if app.Generation > 1 && a.generation != app.Generation {
		a.quietUntil = m.clock.Now().Add(quietAfterSpecChange)
	}
	a.generation = app.Generation
}

// observePod notes a driver pod that has ended, or is gone. One that names no application can be nobody's driver.
func (m *memory) observePod(pod *corev1.Pod, gone bool) {
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1beta2.LabelAppName]}
	if key.Name == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, a := evidence.SubmissionID(pod), m.applicationFor(key)
	t := a.attempt(id, m.clock.Now())
	if kept := t.see(seenPod{pod: pod, gone: gone}, a.uid); kept && gone && !t.named {
		m.boundUnnamed(key, id, pod)
	}
}

// seenPod is a pod as it was last seen; unasked is true if it had ended before anybody wanted it deleted.
type seenPod struct {
	pod           *corev1.Pod
	gone, unasked bool
}

// see remembers a pod of those that claim to be the driver of app, and reports whether it is kept. Where there are too
// many, the least credible one is forgotten: anybody who may create pods can give them the labels of another one's driver.
func (t *attempt) see(seen seenPod, app types.UID) bool {
	if t.settled {
		return false
	}
	seen.unasked = seen.pod.DeletionTimestamp == nil && evidence.IsOver(seen.pod)
	i := slices.IndexFunc(t.seenPods, func(s seenPod) bool { return s.pod.UID == seen.pod.UID })
	switch {
	case i >= 0:
		seen.unasked = seen.unasked || t.seenPods[i].unasked
		t.seenPods[i] = seen
	case len(t.seenPods) < claimantLimit:
		t.seenPods = append(t.seenPods, seen)
	default:
		least := slices.MinFunc(t.seenPods, func(a, b seenPod) int { return t.credibility(a.pod, app) - t.credibility(b.pod, app) })
		if t.credibility(seen.pod, app) <= t.credibility(least.pod, app) {
			return false
		}
		t.seenPods[slices.Index(t.seenPods, least)] = seen
	}
	return true
}

// credibility ranks pods that claim to be the driver: the one that the operator's status names, then those that the
// application owns, or any application while it has not been seen.
func (t *attempt) credibility(pod *corev1.Pod, app types.UID) int {
	rank := 0
	if ref := metav1.GetControllerOfNoCopy(pod); evidence.IsOwned(pod, app) || app == "" && ref != nil && ref.Kind == "SparkApplication" {
		rank = 1
	}
	if t.podName == pod.Name {
		rank += 2
	}
	return rank
}

// choosePod picks the driver pod of app among those that claim to be. Once the status has named it, no other one counts.
func (t *attempt) choosePod(app *v1beta2.SparkApplication) {
	for _, s := range t.seenPods {
		if evidence.BelongsTo(s.pod, app, t.podName) && (t.podName == "" || t.podName == s.pod.Name) {
			t.pod, t.gone, t.unasked = s.pod, s.gone, s.unasked
		}
	}
}

// settle notes what the attempt came to, nil if it was well, and lets go of the evidence.
func (t *attempt) settle(record *status.Record) {
	t.settled, t.record = true, record
	t.seenPods, t.app, t.collection = nil, nil, nil
}

func (m *memory) applicationFor(key types.NamespacedName) *application {
	a := m.apps[key]
	if a == nil {
		a = &application{since: m.clock.Now()}
		m.apps[key] = a
	}
	return a
}

// unclaimed returns the attempts that no application has named: their pods may belong to the namesake that comes.
func (a *application) unclaimed() []attempt {
	return slices.DeleteFunc(slices.Clone(a.attempts), func(t attempt) bool { return t.named })
}

// attempt finds or adds the attempt of a submission.
func (a *application) attempt(id string, now time.Time) *attempt {
	if i := slices.IndexFunc(a.attempts, func(t attempt) bool { return t.submissionID == id }); i >= 0 {
		return &a.attempts[i]
	}
	a.makeRoom()
	a.attempts = append(a.attempts, attempt{submissionID: id, seen: now})
	return &a.attempts[len(a.attempts)-1]
}

// remembered is what is known of a submission's attempt, a zero one where that is nothing.
func (a *application) remembered(id string) attempt {
	if i := slices.IndexFunc(a.attempts, func(t attempt) bool { return t.submissionID == id }); i >= 0 {
		return a.attempts[i]
	}
	return attempt{}
}

// snapshot returns a copy of what is remembered, without pods that nobody has named for too long and without attempts
// that the status has taken over.
func (m *memory) snapshot(app *v1beta2.SparkApplication) application {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.applicationFor(keyOf(app))
	now := m.clock.Now()
	a.attempts = slices.DeleteFunc(a.attempts, func(t attempt) bool {
		return !t.named && now.Sub(t.seen) > unnamedLimit ||
			t.evented && a.erasure.rounds == 0 && now.Sub(a.writtenAt) > storedLimit && inStatus(app, t.submissionID)
	})
	a.attempts = withoutOldest(a.attempts)
	copied := *a
	copied.attempts = slices.Clone(a.attempts)
	for i := range copied.attempts {
		copied.attempts[i].choosePod(app)
	}
	return copied
}

// withoutOldest drops attempts that are settled and too old for the history of the status: an application that is always
// restarted may make any number.
func withoutOldest(attempts []attempt) []attempt {
	excess := len(attempts) - rememberedAttempts
	return slices.DeleteFunc(attempts, func(t attempt) bool {
		if excess <= 0 || !t.settled {
			return false
		}
		excess--
		return true
	})
}

// inStatus is true if the status holds the diagnosis of an attempt, as the current or as an earlier one.
func inStatus(app *v1beta2.SparkApplication, id string) bool {
	d := app.Status.Diagnostics
	return d != nil && d.SubmissionID == id && d.Reason != "" || inHistory(app, id)
}

func inHistory(app *v1beta2.SparkApplication, id string) bool {
	d := app.Status.Diagnostics
	return d != nil && app.Status.SubmissionID != id &&
		slices.ContainsFunc(d.Attempts, func(t failure.Attempt) bool { return t.SubmissionID == id })
}

// update changes one attempt; it is a no-op if the application is another one by now.
func (m *memory) update(app *v1beta2.SparkApplication, submissionID string, change func(*attempt)) {
	m.change(app, func(a *application) { change(a.attempt(submissionID, m.clock.Now())) })
}

// change changes what is remembered of app; it is a no-op if the application is another one by now.
func (m *memory) change(app *v1beta2.SparkApplication, change func(*application)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.apps[keyOf(app)]; a != nil && a.uid == app.UID {
		change(a)
	}
}

// evented reports whether the event of an attempt is out.
func (m *memory) evented(app *v1beta2.SparkApplication, submissionID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.apps[keyOf(app)]
	return a != nil && a.remembered(submissionID).evented
}

// forget drops an application that is gone.
func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.apps, key)
}

// stale is true if app, from the cache, is older than our own last write.
func (a *application) stale(app *v1beta2.SparkApplication) bool {
	if a.written == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(app.ResourceVersion, a.written)
	return err == nil && order < 0
}

// records returns what the attempts that the status has named came to, in their order. What a driver waited for counts
// only while it may still wait.
func (a *application) records(state v1beta2.State) []status.Record {
	var records []status.Record
	for _, t := range a.attempts {
		if t.named && t.record != nil && (t.record.Failed || state == v1beta2.StateSubmitted) {
			records = append(records, *t.record)
		}
	}
	return records
}

func keyOf(app *v1beta2.SparkApplication) types.NamespacedName {
	return types.NamespacedName{Namespace: app.Namespace, Name: app.Name}
}

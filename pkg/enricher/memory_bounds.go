package enricher

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

// unnamedAttempts bounds the attempts that are remembered of one application though its status has named none of them:
// there is one at a time, unless somebody makes pods that claim to be its drivers.
const unnamedAttempts = 8

// Limits of the pods of unnamed attempts that are remembered after they are gone, over all applications: whoever may
// create pods can make any number of them.
const (
	maxUnnamedPods  = 1024
	maxUnnamedBytes = 16 << 20
)

// unnamedPod is a pod that was gone when no status had named its submission.
type unnamedPod struct {
	app          types.NamespacedName
	submissionID string
	uid          types.UID
	size         int
}

// unnamedPods are those of each namespace, oldest first. Some may be forgotten or named by now.
type unnamedPods struct {
	byNamespace map[string][]unnamedPod
	bytes       map[string]int
	count, size int
}

func newUnnamedPods() unnamedPods {
	return unnamedPods{byNamespace: map[string][]unnamedPod{}, bytes: map[string]int{}}
}

// add notes a pod, and returns those that have to go for it.
func (u *unnamedPods) add(p unnamedPod) []unnamedPod {
	namespace := p.app.Namespace
	u.byNamespace[namespace] = append(u.byNamespace[namespace], p)
	u.bytes[namespace] += p.size
	u.count, u.size = u.count+1, u.size+p.size
	var excess []unnamedPod
	for u.count > maxUnnamedPods || u.size > maxUnnamedBytes {
		excess = append(excess, u.oldest(u.largest()))
	}
	return excess
}

// largest is the namespace that takes most, so that none goes short for what another one does.
func (u *unnamedPods) largest() string {
	var largest string
	for namespace, bytes := range u.bytes {
		if largest == "" || bytes > u.bytes[largest] {
			largest = namespace
		}
	}
	return largest
}

// oldest takes the oldest pod of a namespace out.
func (u *unnamedPods) oldest(namespace string) unnamedPod {
	p := u.byNamespace[namespace][0]
	u.byNamespace[namespace] = slices.Delete(u.byNamespace[namespace], 0, 1)
	u.bytes[namespace] -= p.size
	u.count, u.size = u.count-1, u.size-p.size
	if len(u.byNamespace[namespace]) == 0 {
		delete(u.byNamespace, namespace)
		delete(u.bytes, namespace)
	}
	return p
}

// boundUnnamed notes a pod that is gone and that no status has named, and forgets those that are too many.
func (m *memory) boundUnnamed(key types.NamespacedName, submissionID string, pod *corev1.Pod) {
	for _, p := range m.unnamed.add(unnamedPod{app: key, submissionID: submissionID, uid: pod.UID, size: pod.Size()}) {
		m.forgetPod(p)
	}
}

// forgetPod drops a pod, unless its submission was named meanwhile, with the attempt and the application of which
// nothing else is known.
func (m *memory) forgetPod(p unnamedPod) {
	a := m.apps[p.app]
	if a == nil {
		return
	}
	i := slices.IndexFunc(a.attempts, func(t attempt) bool { return t.submissionID == p.submissionID && !t.named })
	if i < 0 {
		return
	}
	t := &a.attempts[i]
	t.seenPods = slices.DeleteFunc(t.seenPods, func(s seenPod) bool { return s.pod.UID == p.uid })
	if len(t.seenPods) == 0 {
		a.attempts = slices.Delete(a.attempts, i, i+1)
	}
	if a.uid == "" && len(a.attempts) == 0 {
		delete(m.apps, p.app)
	}
}

// makeRoom drops an attempt that no status has named, if there are too many for another one: the oldest, and rather one
// whose pods no application owns.
func (a *application) makeRoom() {
	var unnamed []int
	for i := range a.attempts {
		if !a.attempts[i].named {
			unnamed = append(unnamed, i)
		}
	}
	if len(unnamed) < unnamedAttempts {
		return
	}
	i := max(slices.IndexFunc(unnamed, func(i int) bool { return !a.attempts[i].hasOwnedPod(a.uid) }), 0)
	a.attempts = slices.Delete(a.attempts, unnamed[i], unnamed[i]+1)
}

// hasOwnedPod is true if one of the attempt's pods is owned by the application.
func (t *attempt) hasOwnedPod(application types.UID) bool {
	return slices.ContainsFunc(t.seenPods, func(s seenPod) bool {
		return evidence.IsOwned(s.pod, application)
	})
}

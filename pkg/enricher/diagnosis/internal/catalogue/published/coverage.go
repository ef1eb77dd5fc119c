package published

import "github.com/spark-status-enricher/enricher/pkg/apis/failure"

// Row sums one list up.
type Row struct {
	List, Software, Artefact, Version string
	// Rows is how many there are, Decided how many of them name a reason, and Deferred how many leave it to the cause
	// beneath or the frames on purpose.
	Rows, Decided, Deferred int
	Reasons                 map[failure.Reason]int
}

// Coverage sums every list up, in the order of their names.
func Coverage() []Row {
	all := lists().all
	coverage := make([]Row, 0, len(all))
	for _, l := range all {
		r := Row{
			List: l.name, Software: l.software, Artefact: l.artefact, Version: l.version,
			Rows: len(l.rows), Reasons: map[failure.Reason]int{},
		}
		for _, row := range l.rows {
			if row.decision.Defer {
				r.Deferred++
				continue
			}
			r.Decided++
			r.Reasons[row.decision.Reason]++
		}
		coverage = append(coverage, r)
	}
	return coverage
}

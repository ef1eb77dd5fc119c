package spark_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// result is a cell's outcome and what is wrong with it.
type result struct {
	cell    cell
	outcome *outcome
	wrong   []string
	err     error
	done    chan struct{}
}

// runAll runs the cells, so many at a time, in order.
func runAll(ctx context.Context, b *bed, results []*result, parallel int) *sync.WaitGroup {
	queue := make(chan *result, len(results))
	for _, r := range results {
		queue <- r
	}
	close(queue)
	workers := &sync.WaitGroup{}
	for range parallel {
		workers.Go(func() {
			for r := range queue {
				r.run(ctx, b)
			}
		})
	}
	return workers
}

func (r *result) run(ctx context.Context, b *bed) {
	defer close(r.done)
	if r.outcome, r.err = b.run(ctx, r.cell); r.err == nil {
		r.wrong = mismatches(r.cell, r.outcome)
	}
	if err := keep(setting("OUTPUTS"), r); err != nil {
		r.wrong = append(r.wrong, err.Error())
	}
}

var _ = Describe("Programs on real Spark", Ordered, ContinueOnFailure, Label("spark"), func() {
	planned, err := cells("expectations.yaml", setting("CELLS"))
	if err != nil {
		panic(err)
	}
	results := make([]*result, len(planned))
	for i, c := range planned {
		results[i] = &result{cell: c, done: make(chan struct{})}
	}
	begin := time.Now()

	BeforeAll(func(ctx SpecContext) {
		parallel, err := strconv.Atoi(setting("PARALLEL"))
		if err != nil {
			parallel = 1
		}
		all, cancel := context.WithCancel(context.WithoutCancel(ctx))
		b := start(all, append(versions(planned), submitter), parallel)
		begin = time.Now()
		workers := runAll(all, b, results, parallel)
		DeferCleanup(func() {
			cancel()
			workers.Wait()
			Expect(report(os.Stdout, results, time.Since(begin))).To(Succeed())
		})
	})

	for _, r := range results {
		It(r.cell.String(), func(ctx SpecContext) {
			Eventually(ctx, r.done).WithTimeout(time.Duration(len(results)) * cellTimeout).Should(BeClosed())
			Expect(r.err).NotTo(HaveOccurred())
			Expect(r.wrong).To(BeEmpty())
		})
	}

	for _, name := range owned(planned) {
		It("writes for "+name+" what Spark 4 itself writes", func() {
			sparks, ours := authors(results, name)
			if len(sparks) == 0 || ours == nil {
				Skip("needs a run that Spark annotated and one that the enricher did")
			}
			for _, spark := range sparks {
				want, got := links(annotation(spark.outcome.pod)), links(annotation(ours.outcome.pod))
				Expect(cmp.Diff(want, got)).To(BeEmpty(), fmt.Sprintf("%s against %s", ours.cell, spark.cell))
			}
		})
	}
})

// owned are the programs that die of an exception of their own.
func owned(cells []cell) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range cells {
		if c.program.Own && !seen[c.program.Name] {
			names, seen[c.program.Name] = append(names, c.program.Name), true
		}
	}
	return names
}

// authors finds the runs of the program that Spark annotated, and one that the enricher did.
func authors(results []*result, program string) (sparks []*result, ours *result) {
	for _, r := range results {
		if r.cell.program.Name != program || r.outcome == nil || r.outcome.app == nil {
			continue
		}
		switch r.outcome.author() {
		case bySpark:
			sparks = append(sparks, r)
		case byUs:
			ours = r
		}
	}
	return sparks, ours
}

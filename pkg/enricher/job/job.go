// Package job is the view of an application that a diagnosis rests on, whichever operator runs it. Each operator has an
// adapter in a folder below.
package job

// Job is what a diagnosis needs to know of an application.
type Job struct {
	State State
	// OperatorText is what the operator says about the failure.
	OperatorText string
	// Language is the program's: Java, Scala, Python or R; "" where it is not known.
	Language string
	// MainClass of the program, "" where there is none or it is not known.
	MainClass string
	// Conf is the application's sparkConf.
	Conf map[string]string
	// SpecKnown is false where only a status is at hand: then no default may be claimed to be in force.
	SpecKnown        bool
	Driver, Executor Sizing
	// DriverContainers are the containers that the driver's template names, in its order.
	DriverContainers []string
	// FailedExecutors is how many executors the operator saw fail.
	FailedExecutors int32
	// Literals are name and value of all that the specification spells out (configuration, environment variables,
	// arguments): secrets among them are looked for in every text. Unnamed values have the name "".
	Literals []Literal
}

// Literal is a value that a specification spells out.
type Literal struct{ Name, Value string }

// Sizing is the memory that the specification gives the driver or an executor, as it is written there.
type Sizing struct{ Memory, MemoryOverhead, MemoryLimit string }

// State is the part of an application's state that a diagnosis depends on.
type State string

// The states.
const (
	// Unknown: nothing is known; a log decides.
	Unknown State = ""
	// Active: the operator has not seen it fail.
	Active State = "Active"
	// Failing: the attempt failed, and the operator has not decided yet.
	Failing State = "Failing"
	// Failed: the operator gave the attempt or the submission up.
	Failed State = "Failed"
)

package main

import (
	"math/rand/v2"
	"time"

	"github.com/spark-status-enricher/enricher/test/testbed/faults"
)

// blow is one thing that is done to the processes.
type blow string

const (
	// killLeader and killStandby end a replica with SIGKILL; it is started again a little later.
	killLeader  blow = "kill the leader"
	killStandby blow = "kill the standby"
	// freezeLeader stops the leader's process for longer than its lease and lets it go on: two believe that they lead.
	freezeLeader blow = "freeze the leader"
	// resignLeader ends the leader with SIGTERM, so that the other takes over at once.
	resignLeader blow = "end the leader"
	// cutConnections closes all connections between the enricher and the API server.
	cutConnections blow = "cut all connections"
	// restartServer stops the API server for some seconds; restartOperator ends the operator and starts it again.
	restartServer   blow = "restart the API server"
	restartOperator blow = "restart the operator"
)

// strike is a blow at its time.
type strike struct {
	at   time.Duration
	what blow
}

const (
	pauseBetween  = 9 * time.Second
	serverEvery   = 75 * time.Second
	operatorEvery = 100 * time.Second
)

// planStorm strikes at the enricher about every nine seconds, and now and then at the API server and the operator. The
// same seed gives the same storm.
func planStorm(seed uint64, over time.Duration) []strike {
	random := rand.New(rand.NewPCG(seed, 2))
	aimed := []blow{killLeader, killLeader, killStandby, freezeLeader, resignLeader, cutConnections, cutConnections}
	var storm []strike
	server, operator := serverEvery/2, operatorEvery/2
	for at := pauseBetween; at < over; at += pauseBetween/2 + time.Duration(random.Int64N(int64(pauseBetween))) {
		switch {
		case at > server:
			storm = append(storm, strike{at, restartServer})
			server += serverEvery
		case at > operator:
			storm = append(storm, strike{at, restartOperator})
			operator += operatorEvery
		default:
			storm = append(storm, strike{at, aimed[random.IntN(len(aimed))]})
		}
	}
	return storm
}

// weather is what goes wrong between the enricher and the API server throughout.
func weather() []faults.Rule {
	return []faults.Rule{
		{Kind: faults.Conflict, When: faults.StatusWrites, Chance: 0.10},
		{Kind: faults.Throttle, When: faults.Writes, Chance: 0.05},
		{Kind: faults.InternalError, When: faults.Writes, Chance: 0.04},
		{Kind: faults.Unavailable, When: faults.Writes, Chance: 0.04},
		{Kind: faults.AnswerLost, When: faults.Writes, Chance: 0.06},
		{Kind: faults.Slow, When: faults.Writes, Chance: 0.05},
		{Kind: faults.InternalError, When: faults.Logs, Chance: 0.10},
		{Kind: faults.AnswerCut, When: faults.Logs, Chance: 0.10},
		{Kind: faults.Hang, When: faults.Logs, Chance: 0.03},
		{Kind: faults.WatchDropped, When: faults.Watches, Chance: 0.20},
		{Kind: faults.WatchStale, When: faults.Watches, Chance: 0.25},
		{Kind: faults.Unavailable, When: faults.Reads, Chance: 0.02},
		{Kind: faults.AnswerCut, When: faults.Reads, Chance: 0.02},
		{Kind: faults.Slow, When: faults.Reads, Chance: 0.03},
	}
}

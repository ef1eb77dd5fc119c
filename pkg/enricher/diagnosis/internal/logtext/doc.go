// Package logtext turns the raw tail of a driver's log into lines that a person would read: without colours, carriage
// returns, prefixes of log shippers and structured logging, and with the level and logger of each record.
package logtext

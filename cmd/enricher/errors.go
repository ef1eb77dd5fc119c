package main

import "errors"

// badInput marks an error that invalid input of the user caused.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

func isBadInput(err error) bool {
	var bad badInput
	return errors.As(err, &bad)
}

package main

import "errors"

// badInput marks an error whose cause is what the user passed in.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

func isBadInput(err error) bool {
	var bad badInput
	return errors.As(err, &bad)
}

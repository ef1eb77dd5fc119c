package throwable

// kept holds the first findings of a text, and the last ones in a ring.
type kept struct {
	first []Found
	last  []Found
	next  int // the oldest of last, once that is full
}

// add returns the finding that f takes the place of, empty where there is room for both.
func (k *kept) add(f Found) (dropped Found) {
	switch {
	case len(k.first) < keepFirst:
		k.first = append(k.first, f)
	case len(k.last) < keepLast:
		k.last = append(k.last, f)
	default:
		dropped, k.last[k.next] = k.last[k.next], f
		k.next = (k.next + 1) % keepLast
	}
	return dropped
}

func (k *kept) list() []Found {
	all := append([]Found(nil), k.first...)
	all = append(all, k.last[k.next:]...)
	return append(all, k.last[:k.next]...)
}

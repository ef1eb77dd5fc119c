package published

import (
	"sync"
)

// anchorIndex finds all anchors of all forms in one pass: by their first two bytes, then by the whole.
type anchorIndex struct {
	// group by the first two bytes; 0 is none.
	group  [1 << 16]uint16
	groups [][]*anchor
	number int
}

type anchor struct {
	text string
	// shape must hold where it is given.
	shape *shape
	id    int
}

// shape is what must stand around an anchor that is too common.
type shape struct {
	name  string
	holds func(message string, at int) bool
}

// anchors is built once; each form learns the number of its anchor.
var anchors = sync.OnceValue(func() *anchorIndex {
	a := &anchorIndex{groups: [][]*anchor{nil}}
	known := map[string]*anchor{}
	for i := range forms {
		f := &forms[i]
		if f.anchor == "" {
			continue
		}
		key := f.anchor
		if f.shape != nil {
			key += f.shape.name
		}
		if known[key] == nil {
			known[key] = &anchor{text: f.anchor, shape: f.shape, id: a.number}
			a.number++
			a.add(known[key])
		}
		f.id = known[key].id
	}
	return a
})

func (a *anchorIndex) add(x *anchor) {
	if len(x.text) > 1 {
		a.put(pair(x.text[0], x.text[1]), x)
		return
	}
	for second := range 256 {
		a.put(pair(x.text[0], byte(second)), x)
	}
}

func (a *anchorIndex) put(p uint16, x *anchor) {
	if a.group[p] == 0 {
		a.group[p] = uint16(len(a.groups))
		a.groups = append(a.groups, nil)
	}
	g := a.group[p]
	a.groups[g] = append(a.groups[g], x)
}

func pair(first, second byte) uint16 { return uint16(first)<<8 | uint16(second) }

// places returns where each anchor stands, the first few of them, by the number of the anchor.
func (a *anchorIndex) places(message string) [][]int {
	found := make([][]int, a.number)
	if message == "" {
		return found
	}
	first := lower[message[0]]
	for at := range len(message) - 1 {
		second := lower[message[at+1]]
		if g := a.group[pair(first, second)]; g != 0 {
			a.match(message, at, a.groups[g], found)
		}
		first = second
	}
	return found
}

func (a *anchorIndex) match(message string, at int, candidates []*anchor, found [][]int) {
	for _, x := range candidates {
		if len(found[x.id]) < most && hasPrefix(message[at:], x.text) && (x.shape == nil || x.shape.holds(message, at)) {
			found[x.id] = append(found[x.id], at)
		}
	}
}

// hasPrefix disregards the case of s; the prefix is in lower case.
func hasPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower[s[i]] != prefix[i] {
			return false
		}
	}
	return true
}

// lower is the lower case of each byte of ASCII.
var lower = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			table[c] += 'a' - 'A'
		}
	}
	return table
}()

package throwable

import "strings"

// javaParser turns the lines of one Java trace into a chain.
type javaParser struct {
	top, current *Exception
	inMessage    bool
	message      []string
	// suppressedAt is the indentation of the suppressed exception being skipped, -1 where none is.
	suppressedAt int
}

// ParseJava parses a trace whose first line is its heading; a headless one begins with frames or "Caused by". It
// returns nil where the lines hold no exception.
func ParseJava(lines []string) *Exception {
	p := &javaParser{suppressedAt: -1}
	for i, line := range lines {
		if i == 0 {
			p.first(line)
		} else {
			p.next(line)
		}
	}
	p.closeMessage()
	if p.top == nil {
		return nil
	}
	top := dropEmptyHead(p.top)
	tellRemote(top)
	return top
}

// dropEmptyHead removes the nameless head of a trace whose beginning is missing.
func dropEmptyHead(e *Exception) *Exception {
	for e.Class == "" && e.Message == "" && e.Cause != nil {
		e = e.Cause
	}
	return e
}

func (p *javaParser) first(line string) {
	switch javaKind(line) {
	case otherLine:
		_, class, message, ok := javaHeading(line)
		if !ok {
			class, message, ok = embedded(line)
		}
		if !ok {
			class, message, ok = heading(line)
		}
		if !ok {
			message = line
		}
		p.open(class, message)
	default:
		p.top = &Exception{}
		p.current = p.top
		p.next(line)
	}
}

// open starts a link; the first becomes the top, later ones the cause of the last.
func (p *javaParser) open(class, message string) {
	p.closeMessage()
	link := newException(class)
	if p.top == nil {
		p.top = link
	} else {
		p.current.Cause = link
	}
	p.current = link
	p.inMessage, p.message = true, []string{message}
}

func (p *javaParser) closeMessage() {
	if p.inMessage {
		p.current.Message = strings.TrimRight(strings.Join(p.message, "\n"), "\n \t")
	}
	p.inMessage, p.message = false, nil
}

func (p *javaParser) next(line string) {
	text := unindented(line)
	kind := javaKind(line)
	if p.suppressedAt >= 0 {
		if kind != causeLine || indent(line) > 0 && indent(line) >= p.suppressedAt {
			return
		}
		p.suppressedAt = -1
	}
	switch kind {
	case frameLine:
		p.closeMessage()
		p.current.Frames = append(p.current.Frames, text)
	case elisionLine, circularLine:
		p.closeMessage()
	case suppressedLine:
		p.closeMessage()
		p.suppressedAt = indent(line)
	case causeLine:
		p.cause(strings.TrimPrefix(text, causedBy))
	case wrapLine:
		p.wrap(strings.TrimPrefix(text, wrappedBy))
	case driverLine:
		p.driver()
	default:
		p.continueMessage(line)
	}
}

func (p *javaParser) continueMessage(line string) {
	if p.inMessage {
		p.message = append(p.message, line)
		return
	}
	if n := len(p.current.Frames); n > 0 && isOpenFrame(p.current.Frames[n-1]) {
		p.current.Frames[n-1] += strings.TrimSpace(line)
	}
}

func (p *javaParser) cause(s string) {
	if strings.HasPrefix(s, circular) {
		p.closeMessage()
		return
	}
	class, message, ok := heading(strings.TrimRight(s, " \t"))
	if !ok {
		message = s
	}
	p.open(class, message)
}

func (p *javaParser) wrap(s string) {
	p.closeMessage()
	top := p.top
	class, message, ok := heading(s)
	if !ok {
		message = s
	}
	p.top = newException(class)
	p.top.Cause = top
	p.current = p.top
	p.inMessage, p.message = true, []string{message}
}

// driver ends the executor's trace that the message of a failed stage tells of: what was read since then is remote, what
// follows is the driver's own stack.
func (p *javaParser) driver() {
	p.closeMessage()
	stage := p.stageFailure()
	remote := remoteIn(stage.Message)
	if text := taskFailure(stage.Message); remote == nil && text != "" && !strings.HasPrefix(text, "ExecutorLostFailure") {
		remote = &Exception{Message: text}
	}
	if remote == nil {
		stage.Frames, stage.Cause = nil, nil
		p.current = stage
		return
	}
	remote.Frames = stage.Frames
	if remote.Cause == nil {
		remote.Cause = stage.Cause
	}
	stage.Frames, stage.Cause, stage.Remote = nil, nil, remote
	p.current = stage
}

// stageFailure is the link that tells of a failed stage, the outermost where none does.
func (p *javaParser) stageFailure() *Exception {
	link := p.top
	for n := 0; link != nil && n < maxDepth; n++ {
		if taskFailure(link.Message) != "" {
			return link
		}
		link = link.Cause
	}
	return p.top
}

// tellRemote looks for the exception of another process in the last link, where the chain ends with it.
func tellRemote(top *Exception) {
	last := top
	for n := 0; last.Cause != nil && n < maxDepth; n++ {
		last = last.Cause
	}
	if last.Remote == nil {
		last.Remote = remoteIn(last.Message)
	}
}

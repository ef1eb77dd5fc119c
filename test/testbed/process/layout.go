package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const (
	readOnly    = "ro"
	readWrite   = "rw"
	privateCopy = "copy"
)

// layout collects the files of a pod's folder and where its container finds them.
type layout struct {
	folder string
	mounts []string
	errs   []error
}

// mount shows a file or folder of the machine at a path of the container.
func (l *layout) mount(source, target, mode string) {
	l.mounts = append(l.mounts, strings.Join([]string{source, target, mode}, "\t"))
}

// file makes a file in the pod's folder and shows it at a path of the container.
func (l *layout) file(name string, content []byte, target, mode string) {
	path := filepath.Join(l.folder, name)
	l.put(path, content)
	l.mount(path, target, mode)
}

// directory makes an empty folder that the container may write to.
func (l *layout) directory(name, target string) {
	path := filepath.Join(l.folder, name)
	l.errs = append(l.errs, os.MkdirAll(path, 0o777))
	l.mount(path, target, readWrite)
}

// files makes a folder of files that the container may read.
func (l *layout) files(name string, content map[string][]byte, target string) {
	path := filepath.Join(l.folder, name)
	l.errs = append(l.errs, os.MkdirAll(path, 0o755))
	for key, value := range content {
		l.put(filepath.Join(path, key), value)
	}
	l.mount(path, target, readOnly)
}

func (l *layout) put(path string, content []byte) {
	l.errs = append(l.errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644))
}

// write leaves what sandbox.sh reads, and gives the first things that went wrong.
func (l *layout) write(hostname string) error {
	l.put(filepath.Join(l.folder, "hostname"), []byte(hostname+"\n"))
	l.put(filepath.Join(l.folder, "workdir"), []byte("/opt/spark/work-dir\n"))
	l.put(filepath.Join(l.folder, "mounts"), []byte(strings.Join(l.mounts, "\n")+"\n"))
	return errors.Join(l.errs...)
}

package diagnosis

import (
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// settingReaders are the frames that make a number of a setting.
var settingReaders = []string{
	"hadoop.conf.Configuration.getInt", "hadoop.conf.Configuration.getLong", "hadoop.conf.Configuration.getFloat",
	"hadoop.conf.Configuration.getDouble",
}

// unreadableSetting is the verdict on a number that cannot be parsed, where the frames tell that a setting was read: the
// words alone do not tell it from a bad record.
func unreadableSetting(x *throwable.Exception) (catalogue.Verdict, bool) {
	root := x.Root()
	if throwable.SimpleName(root.Class) != "NumberFormatException" || !hasFrame(root, settingReaders) {
		return catalogue.Verdict{}, false
	}
	v := catalogue.Of(v1beta2.ReasonInvalidConfiguration)
	v.Hint = "A Hadoop setting has a value, often one with a unit, that this version of the library cannot read: " +
		"bring the Hadoop jars to one version, or set it to a plain number."
	return v, true
}

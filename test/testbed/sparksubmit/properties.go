package sparksubmit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const propertiesFile = "spark.properties"

// configMap holds the properties that the driver's spark-submit reads.
func (s *Submission) configMap(id identity, prefix string) *corev1.ConfigMap {
	name := "spark-drv-" + id.unique + "-conf-map"
	properties := maps.Clone(s.Conf)
	kind := "java"
	if s.python() {
		kind = "python"
	}
	maps.Copy(properties, map[string]string{
		"spark.master":                            s.Master,
		"spark.app.name":                          s.Name,
		"spark.app.id":                            id.application,
		"spark.submit.deployMode":                 s.DeployMode,
		"spark.kubernetes.submitInDriver":         "true",
		"spark.kubernetes.resource.type":          kind,
		"spark.kubernetes.executor.podNamePrefix": prefix,
		"spark.driver.host":                       prefix + serviceSuffix + "." + s.namespace() + ".svc",
		"spark.driver.port":                       fmt.Sprint(driverPort),
		"spark.driver.blockManager.port":          fmt.Sprint(blockPort),
	})
	configMap := &corev1.ConfigMap{
		Immutable: new(true),
		Data:      map[string]string{propertiesFile: format(name, properties), "spark.kubernetes.namespace": s.namespace()},
	}
	configMap.APIVersion, configMap.Kind = "v1", "ConfigMap"
	configMap.Name, configMap.Namespace = name, s.namespace()
	return configMap
}

// escape writes keys and values as java.util.Properties does.
var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, ":", `\:`, "=", `\=`, "#", `\#`, "!", `\!`)

func format(name string, properties map[string]string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "#Java properties built from Kubernetes config map with name: %s\n", name)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		value := escape.Replace(properties[key])
		if strings.HasPrefix(value, " ") {
			value = `\` + value
		}
		fmt.Fprintf(&out, "%s=%s\n", strings.ReplaceAll(escape.Replace(key), " ", `\ `), value)
	}
	return out.String()
}

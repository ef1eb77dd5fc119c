package sparksubmit

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// SparkVersion is the version that the stand-in behaves as.
const SparkVersion = "4.1.0"

const (
	driverContainer = "spark-kubernetes-driver"
	confVolume      = "spark-conf-volume-driver"
	confDirectory   = "/opt/spark/conf"
	localDirectory  = "/var/data/spark-local"
	serviceSuffix   = "-driver-svc"
	driverPort      = 7078
	blockPort       = 7079
	uiPort          = 4040
)

// Driver is what a submission creates in the cluster.
type Driver struct {
	Pod       *corev1.Pod
	ConfigMap *corev1.ConfigMap
	Service   *corev1.Service
}

// identity holds the names that Spark draws at random.
type identity struct {
	// application is spark.app.id, unique the random part of the names of service and configuration.
	application, unique string
}

// build makes the driver's objects. The pod template's file is read.
func (s *Submission) build(id identity) (*Driver, error) {
	pod, err := s.template()
	if err != nil {
		return nil, err
	}
	prefix := resourcePrefix(s.Name, id.unique)
	configMap := s.configMap(id, prefix)
	if err := s.complete(pod, id, configMap.Name); err != nil {
		return nil, err
	}
	return &Driver{Pod: pod, ConfigMap: configMap, Service: s.service(prefix, pod.Labels)}, nil
}

func (s *Submission) template() (*corev1.Pod, error) {
	file := s.conf("spark.kubernetes.driver.podTemplateFile", "")
	if file == "" {
		return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: driverContainer}}}}, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading pod template: %w", err)
	}
	pod := &corev1.Pod{}
	if err := yaml.Unmarshal(data, pod); err != nil {
		return nil, fmt.Errorf("could not load pod from template file %s: %w", file, err)
	}
	return pod, nil
}

// driverIndex finds the template's driver container: the one named by the configuration, else the first.
func (s *Submission) driverIndex(containers []corev1.Container) int {
	name := s.conf("spark.kubernetes.driver.podTemplateContainerName", "")
	named := func(c corev1.Container) bool { return c.Name == name }
	return max(0, slices.IndexFunc(containers, named))
}

// complete lays what Spark sets over the template.
func (s *Submission) complete(pod *corev1.Pod, id identity, configMap string) error {
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.Name = s.conf("spark.kubernetes.driver.pod.name", resourcePrefix(s.Name, id.unique)+"-driver")
	pod.Namespace = s.namespace()
	pod.Labels = merged(pod.Labels, s.withPrefix("spark.kubernetes.driver.label."), map[string]string{
		"spark-version": SparkVersion, "spark-app-selector": id.application, "spark-app-name": labelValue(s.Name), "spark-role": "driver",
	})
	pod.Annotations = merged(pod.Annotations, s.withPrefix("spark.kubernetes.driver.annotation."))
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	pod.Spec.ServiceAccountName = s.conf("spark.kubernetes.authenticate.driver.serviceAccountName", pod.Spec.ServiceAccountName)
	pod.Spec.NodeSelector = merged(pod.Spec.NodeSelector, s.withPrefix("spark.kubernetes.node.selector."),
		s.withPrefix("spark.kubernetes.driver.node.selector."))
	for secret := range strings.SplitSeq(s.conf("spark.kubernetes.container.image.pullSecrets", ""), ",") {
		if secret != "" {
			pod.Spec.ImagePullSecrets = append(pod.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: secret})
		}
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes,
		corev1.Volume{Name: "spark-local-dir-1", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		corev1.Volume{Name: confVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap},
			Items:                []corev1.KeyToPath{{Key: propertiesFile, Path: propertiesFile, Mode: new(int32(420))}},
		}}})
	return s.completeContainer(&pod.Spec.Containers[s.driverIndex(pod.Spec.Containers)], id)
}

func (s *Submission) completeContainer(c *corev1.Container, id identity) error {
	resources, err := s.driverResources()
	if err != nil {
		return err
	}
	c.Name = cmp.Or(c.Name, driverContainer)
	c.Image = s.conf("spark.kubernetes.driver.container.image", s.conf("spark.kubernetes.container.image", c.Image))
	c.ImagePullPolicy = corev1.PullPolicy(s.conf("spark.kubernetes.container.image.pullPolicy", string(corev1.PullIfNotPresent)))
	c.Resources = resources
	c.Ports = append(c.Ports,
		corev1.ContainerPort{Name: "driver-rpc-port", ContainerPort: driverPort, Protocol: corev1.ProtocolTCP},
		corev1.ContainerPort{Name: "blockmanager", ContainerPort: blockPort, Protocol: corev1.ProtocolTCP},
		corev1.ContainerPort{Name: "spark-ui", ContainerPort: uiPort, Protocol: corev1.ProtocolTCP})
	c.Args = s.driverArgs()
	c.Env = append(c.Env, s.environment(id)...)
	c.VolumeMounts = append(c.VolumeMounts,
		corev1.VolumeMount{Name: "spark-local-dir-1", MountPath: localDirectory},
		corev1.VolumeMount{Name: confVolume, MountPath: confDirectory})
	return nil
}

func (s *Submission) environment(id identity) []corev1.EnvVar {
	env := []corev1.EnvVar{
		{Name: "SPARK_USER", Value: "root"},
		{Name: "SPARK_APPLICATION_ID", Value: id.application},
		{Name: "SPARK_DRIVER_BIND_ADDRESS", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"},
		}},
		{Name: "SPARK_LOCAL_DIRS", Value: localDirectory},
		{Name: "SPARK_CONF_DIR", Value: confDirectory},
	}
	own := s.withPrefix("spark.kubernetes.driverEnv.")
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, corev1.EnvVar{Name: name, Value: own[name]})
	}
	secrets := s.withPrefix("spark.kubernetes.driver.secretKeyRef.")
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		secret, key, _ := strings.Cut(secrets[name], ":")
		env = append(env, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: key,
		}}})
	}
	return env
}

func (s *Submission) driverArgs() []string {
	class := s.MainClass
	if s.python() {
		class = "org.apache.spark.deploy.PythonRunner"
	}
	args := []string{"driver", "--properties-file", confDirectory + "/" + propertiesFile, "--class", class, s.Resource}
	return append(args, s.Args...)
}

func (s *Submission) service(prefix string, selector map[string]string) *corev1.Service {
	port := func(name string, number int32) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromInt32(number), Protocol: corev1.ProtocolTCP}
	}
	service := &corev1.Service{Spec: corev1.ServiceSpec{
		ClusterIP: corev1.ClusterIPNone,
		Selector:  selector,
		Ports:     []corev1.ServicePort{port("driver-rpc-port", driverPort), port("blockmanager", blockPort), port("spark-ui", uiPort)},
	}}
	service.APIVersion, service.Kind = "v1", "Service"
	service.Name, service.Namespace = prefix+serviceSuffix, s.namespace()
	return service
}

func (s *Submission) namespace() string {
	return s.conf("spark.kubernetes.namespace", "default")
}

var (
	notInNames  = regexp.MustCompile(`[^a-z0-9-]+`)
	notInLabels = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// resourcePrefix is the application's name as it may stand in names, and a random part. Where a service could not be
// called so, Spark leaves the application's name out.
func resourcePrefix(name, unique string) string {
	clean := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if prefix := clean + "-" + unique; len(prefix+serviceSuffix) <= validation.DNS1035LabelMaxLength {
		return prefix
	}
	return "spark-" + unique
}

func labelValue(name string) string {
	clean := notInLabels.ReplaceAllString(name, "-")
	return strings.Trim(clean[:min(len(clean), 63)], "-._")
}

func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

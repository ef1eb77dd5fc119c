package sparksubmit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Spark's defaults for the driver's memory, in MiB.
const (
	defaultMemoryMiB      = 1024
	minOverheadMiB        = 384
	overheadFactor        = 0.1
	overheadFactorPySpark = 0.4
)

var sizePattern = regexp.MustCompile(`^([0-9]+)([kmgtp]?b?)$`)

// mebibytes reads a size as Spark does for spark.driver.memory: a bare number means MiB.
func mebibytes(size string) (int64, error) {
	match := sizePattern.FindStringSubmatch(strings.ToLower(strings.TrimSpace(size)))
	if match == nil {
		return 0, fmt.Errorf("failed to parse byte string: %s", size)
	}
	number, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("failed to parse byte string: %w", err)
	}
	switch strings.TrimSuffix(match[2], "b") {
	case "k":
		return number / 1024, nil
	case "g":
		return number * 1024, nil
	case "t":
		return number * 1024 * 1024, nil
	case "p":
		return number * 1024 * 1024 * 1024, nil
	default:
		return number, nil
	}
}

// driverResources gives the container's requests and limits: heap and overhead are both request and limit.
func (s *Submission) driverResources() (corev1.ResourceRequirements, error) {
	memory, err := s.driverMemory()
	if err != nil {
		return corev1.ResourceRequirements{}, err
	}
	cores, err := resource.ParseQuantity(s.conf("spark.kubernetes.driver.request.cores", s.conf("spark.driver.cores", "1")))
	if err != nil {
		return corev1.ResourceRequirements{}, fmt.Errorf("driver cores: %w", err)
	}
	requirements := corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: memory},
	}
	if limit := s.conf("spark.kubernetes.driver.limit.cores", ""); limit != "" {
		if requirements.Limits[corev1.ResourceCPU], err = resource.ParseQuantity(limit); err != nil {
			return corev1.ResourceRequirements{}, fmt.Errorf("driver core limit: %w", err)
		}
	}
	return requirements, nil
}

func (s *Submission) driverMemory() (resource.Quantity, error) {
	heap, err := mebibytes(s.conf("spark.driver.memory", fmt.Sprint(defaultMemoryMiB)))
	if err != nil {
		return resource.Quantity{}, err
	}
	overhead, err := s.driverOverhead(heap)
	if err != nil {
		return resource.Quantity{}, err
	}
	return resource.ParseQuantity(fmt.Sprintf("%dMi", heap+overhead))
}

func (s *Submission) driverOverhead(heap int64) (int64, error) {
	if overhead, ok := s.Conf["spark.driver.memoryOverhead"]; ok {
		return mebibytes(overhead)
	}
	factor := overheadFactor
	if s.python() {
		factor = overheadFactorPySpark
	}
	text := s.conf("spark.driver.memoryOverheadFactor", s.conf("spark.kubernetes.memoryOverheadFactor", ""))
	if text != "" {
		var err error
		if factor, err = strconv.ParseFloat(text, 64); err != nil {
			return 0, fmt.Errorf("memory overhead factor: %w", err)
		}
	}
	return max(int64(math.Floor(float64(heap)*factor)), minOverheadMiB), nil
}

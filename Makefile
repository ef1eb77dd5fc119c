SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := $(CURDIR)/bin
# The tests' control plane: built here unless the caller has one.
ASSETS := $(or $(KUBEBUILDER_ASSETS),$(BIN))
KUBECTL := $(or $(shell command -v kubectl),$(BIN)/kubectl)
IMAGE ?= ghcr.io/spark-status-enricher/enricher:latest
SETUP_ENVTEST_KUBERNETES ?= 1.36.x

export GOLANGCI_LINT_CACHE := $(CURDIR)/.cache/golangci-lint

# Suites against a real API server lie in folders named envtest, those against the whole cluster below test/e2e, that on
# real Spark in test/spark.
UNIT_PACKAGES = $$(go list ./... | grep -v -e /envtest$$ -e /test/e2e -e /test/spark$$)
ENVTEST_PACKAGES = $$(go list ./... | grep /envtest$$)

##@ Everyday

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the enricher into bin/
	CGO_ENABLED=0 go build -trimpath -o $(BIN)/enricher ./cmd/enricher

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## Format the code
	$(BIN)/golangci-lint fmt

.PHONY: lint
lint: $(BIN)/golangci-lint ## Lint the code
	$(BIN)/golangci-lint run ./...

.PHONY: demo
demo: controlplane build ## Show the enricher on a real control plane; ONCE=1 ends by itself
	go run ./test/demo

##@ Generated files

.PHONY: generate
generate: $(BIN)/controller-gen ## Generate deepcopy functions, the CRD extension, the keep-status policy and pages of the documentation
	$(BIN)/controller-gen object paths=./pkg/apis/...
	$(BIN)/controller-gen crd paths=./pkg/apis/sparkoperator/v1beta2 output:crd:stdout | go run ./hack/generate config
	go test ./pkg/apis/config/v1alpha1 ./pkg/enricher ./pkg/enricher/diagnosis/internal/catalogue -run TestGeneratedPage -update

.PHONY: manifests
manifests: $(KUBECTL) ## Print the manifests of a default installation
	@$(KUBECTL) kustomize config/default

##@ Tests

.PHONY: test
test: test-unit test-envtest test-e2e ## Run all tests

.PHONY: test-unit
test-unit: ## Run the tests that need nothing but Go
	go test $(UNIT_PACKAGES)

.PHONY: test-envtest
test-envtest: controlplane ## Run the tests that need an API server
	KUBEBUILDER_ASSETS=$(ASSETS) go test -p 1 -count 1 -timeout 15m $(ENVTEST_PACKAGES)

.PHONY: test-e2e
test-e2e: controlplane build ## Run the tests that need the API server, the operator and a node
	# The longest suite first: the others run beside it.
	KUBEBUILDER_ASSETS=$(ASSETS) go test -p 2 -count 1 -timeout 20m ./test/e2e/loss ./test/e2e/... -ginkgo.flake-attempts=2

.PHONY: test-corpus
test-corpus: controlplane build ## Play the cases of the corpus through the whole cluster
	KUBEBUILDER_ASSETS=$(ASSETS) go test -count 1 -timeout 30m ./test/e2e/diagnosis -ginkgo.label-filter=corpus

.PHONY: test-webhook
test-webhook: controlplane build ## Run those about the policies again, with the webhook on an API server without policies
	E2E_WEBHOOK=1 KUBEBUILDER_ASSETS=$(ASSETS) go test -p 1 -count 1 -timeout 20m ./test/e2e/stopped ./test/e2e/diagnosis ./test/e2e/harm

.PHONY: test-spark
test-spark: controlplane build spark ## Run programs that fail on real Spark; CELLS=name,... PARALLEL=n OUTPUTS=folder
	SPARK_TEST_CELLS=$(CELLS) SPARK_TEST_PARALLEL=$(PARALLEL) SPARK_TEST_OUTPUTS=$(abspath $(OUTPUTS)) \
		KUBEBUILDER_ASSETS=$(ASSETS) go test -v -count 1 -timeout 3h ./test/spark

.PHONY: test-spark-dozen
test-spark-dozen: ## Run a dozen of them where Java and the Spark packages can be had
	@if hack/spark/fetch.sh; then $(MAKE) test-spark CELLS=dozen; else echo "Real Spark is NOT tested here: the line above says why"; fi

.PHONY: chaos
chaos: controlplane ## Let hundreds of applications fail while everything else does; ATTEMPTS, SEED, MINUTES
	KUBEBUILDER_ASSETS=$(ASSETS) go run ./test/chaos

.PHONY: chaos-short
chaos-short: ## The same with 30 applications, in some minutes
	@$(MAKE) chaos ATTEMPTS=30 MINUTES=1

.PHONY: bench
bench: ## Run the benchmarks
	go test -run '^$$' -bench . -benchmem ./pkg/...

##@ Verification

.PHONY: verify
verify: verify-fmt lint verify-generated verify-modules verify-manifests ## Check format, lint, generated files, modules, manifests and scripts

.PHONY: verify-fmt
verify-fmt: $(BIN)/golangci-lint
	$(BIN)/golangci-lint fmt --diff

.PHONY: verify-generated
verify-generated: $(BIN)/controller-gen
	hack/verify-generated.sh

.PHONY: verify-modules
verify-modules:
	hack/verify-modules.sh

.PHONY: verify-manifests
verify-manifests: $(KUBECTL)
	KUBECTL=$(KUBECTL) hack/verify-manifests.sh

##@ What the tests run against

.PHONY: controlplane
controlplane: ## Build kube-apiserver, etcd, kubectl and the spark-operator into bin/, once
	@hack/controlplane/build.sh $(BIN)

.PHONY: spark
spark: ## Fetch Spark 4.3, 4.1 and 3.5 into .cache/spark and build the programs that fail on them, once
	@hack/spark/fetch.sh
	@hack/spark/jobs.sh

.PHONY: setup-envtest
setup-envtest: ## Download a control plane instead (needs the internet); prints the export to use it
	go run sigs.k8s.io/controller-runtime/tools/setup-envtest@release-0.25 use $(SETUP_ENVTEST_KUBERNETES) -p env

##@ Delivery

.PHONY: image
image: ## Build the container image IMAGE
	docker build -t $(IMAGE) .

$(BIN)/kubectl:
	@hack/controlplane/build.sh $(BIN)

# The tools are built from the versions that their go.mod names.
$(BIN)/controller-gen: hack/tools/go.mod
	@echo "Building controller-gen ..."
	@cd hack/tools && go build -trimpath -o $@ sigs.k8s.io/controller-tools/cmd/controller-gen

$(BIN)/golangci-lint: hack/tools/lint/go.mod
	@echo "Building golangci-lint (some minutes, once) ..."
	@cd hack/tools/lint && go build -trimpath -ldflags "-s -w" -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

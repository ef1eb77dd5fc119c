FROM --platform=$BUILDPLATFORM docker.io/library/golang:1.26 AS build
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY config config
COPY pkg pkg
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w" -o /enricher ./cmd/enricher

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /enricher /enricher
USER 65532:65532
ENTRYPOINT ["/enricher"]

// Package commerceemulator runs commerce-emulator in a container of its own, shaped as the modules of Testcontainers are.
package commerceemulator

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	defaultImage = "ghcr.io/commerce-emulator/commerce-emulator:0.1.0"
	port         = "4010/tcp"
)

// Container is an emulator that has loaded its scenario.
type Container struct {
	testcontainers.Container
	url string
}

// WithScenario sets the scenario to start with: one of the image's by name, or a file.
func WithScenario(scenario string) testcontainers.CustomizeRequestOption {
	return func(request *testcontainers.GenericContainerRequest) error {
		switch filepath.Ext(scenario) {
		case ".yaml", ".yml", ".json":
			target := "/scenarios/" + filepath.Base(scenario)
			file := testcontainers.ContainerFile{HostFilePath: scenario, ContainerFilePath: target, FileMode: 0o644}
			request.Files = append(request.Files, file)
			scenario = target
		}
		request.Env["SCENARIO"] = scenario
		return nil
	}
}

// Run starts the image, or the default one if it is empty, and returns once the scenario is loaded.
func Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	if image == "" {
		image = defaultImage
	}
	request := testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image:        image,
			Env:          map[string]string{},
			ExposedPorts: []string{port},
			WaitingFor:   wait.ForHTTP("/_control/health").WithPort(port),
		},
		Started: true,
	}
	for _, option := range options {
		if err := option.Customize(&request); err != nil {
			return nil, err
		}
	}
	container, err := testcontainers.GenericContainer(ctx, request)
	if err != nil {
		return nil, err
	}
	url, err := container.PortEndpoint(ctx, port, "http")
	return &Container{Container: container, url: url}, err
}

// URL is the emulator's address.
func (container *Container) URL() string { return container.url }

// BaseURL is the base address of the API, for clients.
func (container *Container) BaseURL() string { return container.url + "/next" }

// ControlURL is the address of the control API.
func (container *Container) ControlURL() string { return container.url + "/_control" }

// Reset goes back to the scenario's initial state.
func (container *Container) Reset() error {
	response, err := http.Post(container.ControlURL()+"/reset", "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the reset failed with status %s", response.Status)
	}
	return nil
}

"""commerce-emulator in a container of its own, shaped as the modules of Testcontainers are."""

import os
import time
from pathlib import Path
from typing import Any, Self

import requests
from testcontainers.core.container import DockerContainer

IMAGE = os.environ.get("COMMERCE_IMAGE", "ghcr.io/commerce-emulator/commerce-emulator:0.1.0")
PORT = 4010
START_TIMEOUT = 30.0


class CommerceEmulatorContainer(DockerContainer):
    def __init__(self, image: str = IMAGE, **kwargs: Any) -> None:
        super().__init__(image, **kwargs)
        self.with_exposed_ports(PORT)

    def with_scenario(self, scenario: str) -> Self:
        """The scenario to start with: one of the image's by name, or a file."""
        file = Path(scenario)
        if file.suffix not in (".yaml", ".yml", ".json"):
            return self.with_env("SCENARIO", scenario)
        target = f"/scenarios/{file.name}"
        return self.with_volume_mapping(str(file.resolve()), target).with_env("SCENARIO", target)

    def get_url(self) -> str:
        """The emulator's address."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    def get_base_url(self) -> str:
        """The base address of the API, for clients."""
        return f"{self.get_url()}/next"

    def get_control_url(self) -> str:
        """The address of the control API."""
        return f"{self.get_url()}/_control"

    def start(self) -> Self:
        """Returns once the scenario is loaded."""
        super().start()
        end = time.monotonic() + START_TIMEOUT
        while True:
            try:
                if requests.get(f"{self.get_control_url()}/health", timeout=2).ok:
                    return self
            except requests.ConnectionError:
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"{self.image} is not ready after {START_TIMEOUT} s")
            time.sleep(0.1)

    def reset(self) -> None:
        """Goes back to the scenario's initial state."""
        requests.post(f"{self.get_control_url()}/reset", timeout=10).raise_for_status()

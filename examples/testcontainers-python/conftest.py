"""commerce-emulator in a container of its own, for as long as the tests run."""

import os
import time
from collections.abc import Iterator

import pytest
import requests
from testcontainers.core.container import DockerContainer

IMAGE = os.environ.get("COMMERCE_IMAGE", "ghcr.io/commerce-emulator/commerce-emulator:0.1.0")
PORT = 4010
START_TIMEOUT = 30.0


@pytest.fixture(scope="session")
def commerce_url() -> Iterator[str]:
    """The origin of a running emulator."""
    with DockerContainer(IMAGE).with_exposed_ports(PORT).with_env("SCENARIO", "default") as container:
        url = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(PORT)}"
        wait_until_ready(url)
        yield url


def wait_until_ready(url: str) -> None:
    """Returns once the scenario is loaded."""
    end = time.monotonic() + START_TIMEOUT
    while True:
        try:
            if requests.get(f"{url}/_control/health", timeout=2).ok:
                return
        except requests.ConnectionError:
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"{IMAGE} is not ready after {START_TIMEOUT} s")
        time.sleep(0.1)


@pytest.fixture
def commerce(commerce_url: str) -> str:
    """The origin of the emulator, in the scenario's first state."""
    requests.post(f"{commerce_url}/_control/reset", timeout=10).raise_for_status()
    return commerce_url

"""Fixtures for tests against commerce-emulator: a sandbox for each xdist worker, reset before each test."""

import os

import pytest
import requests

COMMERCE_URL = os.environ.get("COMMERCE_URL", "http://localhost:4010")


class Commerce:
    """A sandbox of the emulator: where your code calls the API, and what tests do beside it."""

    api_key = "sk_test_merchant"

    def __init__(self, name: str) -> None:
        self.base_url = f"{COMMERCE_URL}/sandbox/{name}/next"
        self._control_url = f"{COMMERCE_URL}/sandbox/{name}/_control"

    def control(self, method: str, path: str, body: object = None):
        """Calls the control API and returns its JSON; a refusal fails the test with the emulator's message."""
        response = requests.request(method, f"{self._control_url}{path}", json=body, timeout=10)
        assert response.ok, response.text
        return response.json() if response.content else None

    def reset(self) -> None:
        """Back to the scenario's initial state."""
        self.control("POST", "/reset")

    def ticket(self, reference: str = "T-1", location: str = "loc_bistro") -> str:
        """Opens a Ticket, which the API itself cannot, and returns its id."""
        records = self.control("POST", "/records", {"tickets": [{"location": location, "reference": reference}]})
        return records["tickets"][0]["id"]

    def script(self, **entry) -> None:
        """Adds a script entry: how the next calls of an operation are answered, delayed or lost."""
        self.control("POST", "/script", entry)

    def requests(self, on: str) -> list:
        """The calls of an operation since the reset, newest first."""
        return self.control("GET", f"/requests?on={requests.utils.quote(on)}")["data"]

    def findings(self) -> list:
        """Mistakes that the code under test made since the reset."""
        return self.control("GET", "/findings")["data"]


@pytest.fixture(scope="session")
def commerce_sandbox() -> Commerce:
    # xdist names its workers gw0, gw1, …; without xdist there is one
    return Commerce(os.environ.get("PYTEST_XDIST_WORKER", "main"))


@pytest.fixture
def commerce(commerce_sandbox: Commerce) -> Commerce:
    """The worker's sandbox, in the scenario's initial state."""
    commerce_sandbox.reset()
    return commerce_sandbox

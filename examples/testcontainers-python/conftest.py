from collections.abc import Iterator

import pytest
from commerce_emulator import CommerceEmulatorContainer


@pytest.fixture(scope="session")
def commerce_container() -> Iterator[CommerceEmulatorContainer]:
    with CommerceEmulatorContainer().with_scenario("default") as container:
        yield container


@pytest.fixture
def commerce(commerce_container: CommerceEmulatorContainer) -> CommerceEmulatorContainer:
    """The emulator, in the scenario's initial state."""
    commerce_container.reset()
    return commerce_container

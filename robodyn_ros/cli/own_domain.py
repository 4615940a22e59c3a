# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain for one run only: no real arm on this machine shall obey a demonstration."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from robodyn_ros.errors import RobodynError

# From the top, because people choose small numbers; above 101 the ports of DDS are not safe.
_DOMAINS = range(101, 0, -1)


@contextmanager
def own_domain() -> Iterator[int]:
    """
    Put this process and its children into a ROS domain that nobody on this machine uses.

    Yields the number; afterwards the environment is as before. Raises RobodynError when all
    domains are taken.
    """
    names = {"ROS_DOMAIN_ID": "", "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    before = {name: os.environ.get(name) for name in names}
    for domain in _DOMAINS:
        # Held by its name while it is open: two runs that start at once find different ones.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
            if _bound(claim, f"\0robodyn_ros domain {domain}") and not _in_use(domain):
                os.environ.update(names | {"ROS_DOMAIN_ID": str(domain)})
                try:
                    yield domain
                finally:
                    for name, value in before.items():
                        del os.environ[name]
                        if value is not None:
                            os.environ[name] = value
                return
    raise RobodynError("every ROS domain from 1 to 101 is in use on this machine")


def _in_use(domain: int) -> bool:
    """Whether the first participant of a domain has its port (RTPS 2.5, section 9.6.2.3)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        return not _bound(probe, ("", 7410 + 250 * domain))


def _bound(endpoint: socket.socket, address: str | tuple[str, int]) -> bool:
    try:
        endpoint.bind(address)
    except OSError:
        return False
    return True

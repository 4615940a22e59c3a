# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A node for tests: it listens and talks, and waits for conditions instead of sleeping."""

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.publisher import Publisher

from robodyn_ros.nodes.runner import make_executor


class Probe:
    """A node with an executor; other nodes of the same context can be spun along."""

    def __init__(self, context: Any, name: str = "probe", namespace: str = ""):
        self.context = context
        self.node: Node = rclpy.create_node(name, context=context, namespace=namespace)
        self.executor = make_executor(context)
        self.executor.add_node(self.node)
        self.nodes: list[Any] = []

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown()
        for node in (*self.nodes, self.node):
            node.destroy_node()

    def spin_along(self, node: Any) -> Any:
        """Spin a node under test too; it is destroyed with the probe."""
        self.executor.add_node(node)
        self.nodes.append(node)
        return node

    def listen(self, kind: type, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list that grows with every message of a topic."""
        received: list[Any] = []
        self.node.create_subscription(kind, topic, received.append, qos)
        return received

    def publisher(self, kind: type, topic: str, qos: Any = 10) -> Publisher:
        """Return a publisher that is connected to at least one subscription."""
        publisher = self.node.create_publisher(kind, topic, qos)
        self.wait(lambda: publisher.get_subscription_count() > 0, f"a subscriber on {topic}")
        return publisher

    def repeat(self, period: float, work: Callable[[], None]) -> Any:
        """Call ``work`` periodically while waiting; returns the timer."""
        return self.node.create_timer(period, work)

    def wait(self, condition: Callable[[], Any], what: str, timeout: float = 20.0) -> None:
        """Spin until the condition holds; fail when it does not in time."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"waited {timeout} s in vain for {what}"
            self.executor.spin_once(timeout_sec=0.02)

    def insist(
        self,
        action: Callable[[], None],
        condition: Callable[[], Any],
        what: str,
        timeout: float = 20.0,
        every: float = 1.0,
    ) -> None:
        """Do something again and again until it shows effect: a first message may go astray."""
        last = time.monotonic() - every

        def acted() -> Any:
            nonlocal last
            if time.monotonic() - last >= every:
                last = time.monotonic()
                action()
            return condition()

        self.wait(acted, what, timeout)

    def call(self, kind: type, service: str, request: Any, timeout: float = 20.0) -> Any:
        """
        Call a service and return its first answer.

        Asks again after 5 s: the first answer is lost where the server has not yet discovered the
        client it answers, and no client can know that.
        """
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, f"service {service}", timeout)
        futures: list[Any] = []

        def answered() -> bool:
            return any(future.done() for future in futures)

        self.insist(
            lambda: futures.append(client.call_async(request)),
            answered,
            f"answer of {service}",
            timeout,
            every=5.0,
        )
        self.node.destroy_client(client)
        return next(future.result() for future in futures if future.done())

    def execute(self, kind: type, action: str, goal: Any, timeout: float = 20.0) -> Any:
        """
        Have an action executed and return its status and result.

        Asks again after 5 s, as ``call`` does.
        """
        client = ActionClient(self.node, kind, action)
        self.wait(client.server_is_ready, f"action {action}", timeout)

        def first(ask: Callable[[], Any], what: str) -> Any:
            futures: list[Any] = []

            def answered() -> bool:
                return any(future.done() for future in futures)

            self.insist(lambda: futures.append(ask()), answered, what, timeout, every=5.0)
            return next(future.result() for future in futures if future.done())

        handle = first(lambda: client.send_goal_async(goal), f"acceptance by {action}")
        assert handle.accepted
        end = first(handle.get_result_async, f"result of {action}")
        client.destroy()
        return end.status, end.result

    def now_ns(self) -> int:
        """Time of the probe's clock."""
        return self.node.get_clock().now().nanoseconds

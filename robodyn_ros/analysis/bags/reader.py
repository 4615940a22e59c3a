# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a recording, decoded by the definition that the recording itself holds."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robodyn_ros.analysis.bags.files import ZSTD, readable_files
from robodyn_ros.errors import BagError

JOINT_STATE = "sensor_msgs/msg/JointState"
STRING = "std_msgs/msg/String"

Decode = Callable[[bytes], Any]


@dataclass
class Bag:
    """An open recording. topics: name -> type; counts: name -> messages; notes: what is odd."""

    topics: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _readers: list[Any] = field(default_factory=list)
    _decoders: dict[tuple[str, str], Decode] = field(default_factory=dict)

    def of_type(self, message_type: str) -> list[str]:
        """Topics of one type."""
        return sorted(name for name, kind in self.topics.items() if kind == message_type)

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, Any]]:
        """
        Yield (topic, receive time in ns, message) file by file; other topics are not decoded.

        Raises BagError when a message does not fit its definition.
        """
        for reader in self._readers:
            wanted = [each for each in reader.connections if each.topic in topics]
            if not wanted:
                continue
            for connection, received_ns, raw in reader.messages(wanted):
                data = _unpack(raw) if raw[:4] == ZSTD else raw
                try:
                    message = self._decoder(connection)(data)
                except Exception as error:  # whatever a decoder makes of foreign bytes
                    raise BagError(
                        f"a message of {connection.topic} does not fit the definition of "
                        f"{connection.msgtype}: {error}"
                    ) from error
                yield connection.topic, received_ns, message

    def _decoder(self, connection: Any) -> Decode:
        key = (connection.msgtype, connection.msgdef.data)
        decoder = self._decoders.get(key)
        if decoder is None:
            decoder = self._decoders[key] = _make_decoder(connection)
        return decoder


@contextmanager
def open_bag(path: Path) -> Iterator[Bag]:
    """
    Open a folder or file of ROS 2 messages; message types need not be installed.

    Raises BagError when it cannot be read, or when the rosbags library is missing.
    """
    try:
        from rosbags.rosbag2 import Reader, ReaderError
    except ImportError as error:
        raise BagError("reading bags needs the rosbags library: pip install rosbags") from error
    with readable_files(path) as (files, notes), ExitStack() as opened:
        bag = Bag(notes=notes)
        for file in files:
            reader = Reader(file)
            try:
                opened.enter_context(reader)
            except ReaderError as error:
                raise BagError(
                    f"'{file.name}' is damaged ({str(error).rstrip('.')}); "
                    "cure: ros2 bag reindex, or sqlite3's .recover"
                ) from error
            except Exception as error:
                raise BagError(f"'{file.name}' cannot be read: {error}") from error
            bag._readers.append(reader)
            for connection in reader.connections:
                known = bag.topics.setdefault(connection.topic, connection.msgtype)
                if known != connection.msgtype:
                    bag.notes.append(
                        f"{connection.topic} has two types, {known} and {connection.msgtype}"
                    )
                count = bag.counts.get(connection.topic, 0)
                bag.counts[connection.topic] = count + connection.msgcount
        # the parts of a split recording, of which number 10 does not come after number 1
        bag._readers.sort(key=lambda reader: int(reader.start_time))
        yield bag


def _unpack(raw: bytes) -> bytes:
    from backports import zstd

    plain: bytes = zstd.decompress(raw)
    return plain


def _make_decoder(connection: Any) -> Decode:
    """Use the definition stored beside the messages, else that of ROS 2 Jazzy."""
    from rosbags.interfaces import MessageDefinitionFormat as Format
    from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

    store, kind = get_typestore(Stores.ROS2_JAZZY), connection.msgtype
    definition = connection.msgdef
    if definition.format != Format.NONE and definition.data:
        store = get_typestore(Stores.EMPTY)
        if definition.format == Format.MSG:
            store.register(get_types_from_msg(definition.data, kind))
        else:
            store.register(get_types_from_idl(definition.data))

    def decode(data: bytes) -> Any:
        return store.deserialize_cdr(data, kind)

    return decode

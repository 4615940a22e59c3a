# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Find what can be read at a path: whole bags, bare files, compressed files, files cut short.

A storage is recognised by its first bytes, not by its name or by metadata.yaml. What has to be
unpacked or mended goes to a temporary folder; the recording itself is never written to.
"""

import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from robodyn_ros.errors import BagError

MCAP = b"\x89MCAP0\r\n"
SQLITE = b"SQLite format 3\0"
ZSTD = b"\x28\xb5\x2f\xfd"

_RECORD = struct.Struct("<BQ")  # opcode and length of the content
_FOOTER = b"\x02" + struct.pack("<QQQI", 20, 0, 0, 0)  # without a summary
_DATA_END = 0x0F
# opcode, length; times, uncompressed size, checksum; length of the name of the compression
_CHUNK = struct.Struct("<BQQQQII")


@contextmanager
def readable_files(path: Path) -> Iterator[tuple[list[Path], list[str]]]:
    """
    Yield the storage files of a bag and notes on what was mended.

    path: folder of a bag or one file of it. Raises BagError naming file, fault and cure.
    """
    if not path.exists():
        raise BagError(f"'{path}' does not exist")
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    with TemporaryDirectory(prefix="robodyn_bag_") as folder:
        notes: list[str] = []
        found = [_prepared(file, Path(folder), notes) for file in files if file.is_file()]
        storages = [file for file in found if file is not None]
        if not storages:
            empty = [file.name for file in files if file.is_file() and not file.stat().st_size]
            reason = f"empty file {', '.join(empty)}" if empty else "no mcap or sqlite3 file in it"
            raise BagError(f"'{path}' is not a bag that can be read: {reason}")
        yield storages, notes


def _prepared(file: Path, folder: Path, notes: list[str]) -> Path | None:
    """Make a file readable under a name that tells its kind; None when it is no storage."""
    with file.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(ZSTD):
        return _prepared(_unpacked(file, folder), folder, notes)
    if head.startswith(MCAP):
        return _named(_whole_mcap(file, folder, notes), ".mcap", folder)
    if head.startswith(SQLITE):
        return _named(file, ".db3", folder)
    return None


def _named(file: Path, suffix: str, folder: Path) -> Path:
    if file.suffix == suffix:
        return file
    link = folder / f"{file.name}{suffix}"
    link.symlink_to(file.resolve())
    return link


def _unpacked(file: Path, folder: Path) -> Path:
    """Decompress a file that was compressed as a whole."""
    from backports import zstd  # comes with rosbags

    target = folder / file.stem
    try:
        with zstd.open(file, "rb") as packed, target.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    except (zstd.ZstdError, EOFError) as error:
        raise BagError(f"'{file}' cannot be decompressed, it is damaged: {error}") from error
    return target


def _whole_mcap(file: Path, folder: Path, notes: list[str]) -> Path:
    """Return the file, or a copy of its whole records when its end is missing."""
    with file.open("rb") as stream:
        stream.seek(-len(MCAP), 2)
        if stream.read() == MCAP and file.stat().st_size > 2 * len(MCAP):
            return file
    target = folder / file.name
    size = file.stat().st_size
    with file.open("rb") as stream, target.open("wb") as copy:
        end = _end_of_whole_records(stream, len(MCAP), size)
        _copy(stream, 0, end, copy)
        inside = _begin_of_plain_chunk(stream, end)
        if inside is not None:
            begin, end = inside, _end_of_whole_records(stream, inside, size)
            _copy(stream, begin, end, copy)
        copy.write(_FOOTER + MCAP)
    notes.append(f"{file.name} is truncated: its last {size - end} bytes are left out")
    return target


def _end_of_whole_records(stream: BinaryIO, end: int, size: int) -> int:
    """Follow the records of an mcap file from ``end`` on while they are complete."""
    while end + _RECORD.size <= size:
        stream.seek(end)
        opcode, length = _RECORD.unpack(stream.read(_RECORD.size))
        if opcode == _DATA_END or end + _RECORD.size + length > size:
            break
        end += _RECORD.size + length
    return end


def _begin_of_plain_chunk(stream: BinaryIO, start: int) -> int | None:
    """Find the records inside the unfinished chunk at ``start``, if it is not compressed."""
    stream.seek(start)
    head = stream.read(_CHUNK.size)
    if len(head) < _CHUNK.size:
        return None
    opcode, *_, compression = _CHUNK.unpack(head)
    return start + _CHUNK.size + 8 if opcode == 0x06 and compression == 0 else None


def _copy(stream: BinaryIO, begin: int, end: int, target: BinaryIO) -> None:
    stream.seek(begin)
    for start in range(begin, end, 1 << 20):
        target.write(stream.read(min(1 << 20, end - start)))

# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of recording gives the same numbers; what cannot be read is one clear sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import T0, Samples, description, part, swing, two_link, write_bag

from robodyn_ros.analysis.bags.joints import JointRecording, collect_joints
from robodyn_ros.analysis.bags.reader import JOINT_STATE, STRING, open_bag
from robodyn_ros.errors import BagError

pytest.importorskip("rosbags", reason="recordings are written and read by the rosbags library")


@pytest.fixture(scope="module")
def samples() -> Samples:
    return swing(two_link(), 120)


def read(path: Path, prefix: str = "") -> tuple[JointRecording, list[str]]:
    with open_bag(path) as bag:
        found = collect_joints(
            bag.messages(bag.of_type(JOINT_STATE)), two_link().joint_names, prefix
        )
        return found, bag.notes


def assert_same(recording: JointRecording, samples: Samples, count: int | None = None) -> None:
    for got, sent in (
        (recording.q, samples.q),
        (recording.qd, samples.qd),
        (recording.effort, samples.effort),
        (recording.time.stamp_ns, samples.header_ns),
    ):
        np.testing.assert_array_equal(got, sent[:count])


@pytest.mark.parametrize(
    ("storage", "compression"),
    [
        ("mcap", "none"),
        ("mcap", "storage"),
        ("sqlite3", "none"),
        ("sqlite3", "message"),
        ("sqlite3", "file"),
    ],
)
@pytest.mark.parametrize("described", [True, False])
def test_all_storages_give_the_same(
    tmp_path: Path, samples: Samples, storage: str, compression: str, described: bool
) -> None:
    bag = write_bag(tmp_path / "bag", samples, storage=storage, compression=compression)
    if not described:
        (bag / "metadata.yaml").unlink()
    recording, notes = read(bag)
    assert_same(recording, samples)
    assert recording.messages == 120 and not notes and not recording.notes


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bare_file_of_any_name_is_a_recording(
    tmp_path: Path, samples: Samples, storage: str
) -> None:
    bag = write_bag(tmp_path / "bag", samples, storage=storage)
    file = next(path for path in bag.iterdir() if path.suffix in (".mcap", ".db3"))
    assert_same(read(file)[0], samples)
    odd = file.rename(tmp_path / "recorded.data")
    assert_same(read(odd)[0], samples)


def test_split_recordings_are_read_together(tmp_path: Path, samples: Samples) -> None:
    late = write_bag(tmp_path / "late", part(samples, slice(70, 120)))
    early = write_bag(tmp_path / "early", part(samples, slice(0, 70)))
    both = tmp_path / "both"
    both.mkdir()
    next(late.glob("*.mcap")).rename(both / "bag_0.mcap")
    next(early.glob("*.mcap")).rename(both / "bag_1.mcap")
    assert_same(read(both)[0], samples)


@pytest.mark.parametrize("compression", ["none", "storage"])
def test_a_truncated_file_gives_what_is_whole(
    tmp_path: Path, samples: Samples, compression: str
) -> None:
    bag = write_bag(tmp_path / "bag", samples, compression=compression)
    (bag / "metadata.yaml").unlink()
    file = next(bag.glob("*.mcap"))
    whole = file.read_bytes()
    counts = []
    for share in (0.999, 0.95, 0.7, 0.4, 0.05, 0.001):
        file.write_bytes(whole[: int(share * len(whole))])
        try:
            recording, notes = read(bag)
        except BagError as error:
            counts.append(0)
            assert any(said in str(error) for said in ("no joint state", "damaged"))
        else:
            counts.append(recording.messages)
            assert_same(recording, samples, recording.messages)
            assert "truncated" in notes[0]
    assert counts[0] == 120 and counts == sorted(counts, reverse=True)
    if compression == "none":
        assert 0 < counts[3] < counts[2] < 120


@pytest.mark.parametrize("content", [b"", b"no bag at all", b"\x28\xb5\x2f\xfd rubbish"])
def test_what_is_no_recording_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bag.mcap").write_bytes(content)
    with pytest.raises(BagError, match=r"empty file bag\.mcap|no mcap or sqlite3|damaged"):
        read(tmp_path)


def test_a_damaged_database_names_the_cure(tmp_path: Path, samples: Samples) -> None:
    bag = write_bag(tmp_path / "bag", samples, storage="sqlite3")
    file = next(bag.glob("*.db3"))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(BagError, match="damaged.*recover"):
        read(bag)


def test_the_recording_is_left_as_it_was(tmp_path: Path, samples: Samples) -> None:
    bag = write_bag(tmp_path / "bag", samples, storage="sqlite3", compression="file")
    before = {path.name: path.stat().st_mtime_ns for path in bag.iterdir()}
    for path in (bag, *bag.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert_same(read(bag)[0], samples)
    assert {path.name: path.stat().st_mtime_ns for path in bag.iterdir()} == before


def test_foreign_types_are_passed_over(tmp_path: Path, samples: Samples) -> None:
    def foreign(writer: Any, _: Any) -> None:
        topic = writer.add_connection(
            "/acme/effort", "acme_msgs/msg/Effort", msgdef="float64 x", rihs01="RIHS01_0"
        )
        writer.write(topic, T0, b"\x00\x01\x00\x00" + bytes(8))

    bag = write_bag(tmp_path / "bag", samples, others=foreign)
    assert_same(read(bag)[0], samples)


def test_the_description_is_found(tmp_path: Path, samples: Samples) -> None:
    bag = write_bag(tmp_path / "bag", samples, urdf=description())
    with open_bag(bag) as opened:
        assert opened.of_type(STRING) == ["/robot_description"]
        texts = [message.data for _, _, message in opened.messages(["/robot_description"])]
    assert texts == [description()]


def test_joints_may_come_in_any_order_and_with_strangers(tmp_path: Path, samples: Samples) -> None:
    turned = part(samples, slice(60, 120), [1, 0])
    stranger = np.zeros((60, 1))
    more = Samples(
        (*turned.names, "gripper"),
        *(np.hstack([v, stranger]) for v in (turned.q, turned.qd, turned.effort)),
        turned.header_ns,
    )
    bag = write_bag(tmp_path / "bag", [part(samples, slice(0, 60)), more])
    recording, _ = read(bag)
    assert_same(recording, samples)
    assert recording.notes == ("2 different lists of joint names",)


def test_partial_messages_are_put_together(tmp_path: Path, samples: Samples) -> None:
    late = part(samples, slice(0, 120), [1])
    late.header_ns = late.header_ns + 3_000_000
    late.receive_ns = late.header_ns
    bag = write_bag(tmp_path / "bag", [part(samples, slice(0, 120), [0]), late])
    recording, _ = read(bag)
    assert any("separate messages" in note for note in recording.notes)
    seconds = (recording.time.stamp_ns - T0) * 1e-9
    for joint, shift in ((0, 0.0), (1, -0.003)):
        rate = 2.0 + 0.7 * joint
        expected = 0.6 * np.sin(rate * (seconds + shift) + joint)
        np.testing.assert_allclose(recording.q[:, joint], expected, atol=2e-4)


def test_names_with_a_prefix_are_pointed_out(tmp_path: Path, samples: Samples) -> None:
    named = Samples(
        tuple(f"left/{name}" for name in samples.names),
        samples.q, samples.qd, samples.effort, samples.header_ns,
    )  # fmt: skip
    bag = write_bag(tmp_path / "bag", named)
    with pytest.raises(BagError, match="is --prefix left/ meant"):
        read(bag)
    assert_same(read(bag, "left/")[0], samples)


def test_a_missing_joint_is_not_invented(tmp_path: Path, samples: Samples) -> None:
    bag = write_bag(tmp_path / "bag", part(samples, slice(0, 50), [0]))
    with pytest.raises(BagError, match=f"no position of {samples.names[1]}"):
        read(bag)

from __future__ import annotations

import threading

import numpy as np
import pytest

from bideta import load_encoder
from bideta.encoders.runners.threads import as_many, by_threads, cores, equal_pieces


def test_results_are_in_order_and_pieces_are_worked_on_at_once():
    both = threading.Barrier(2, timeout=10)  # broken unless two threads meet

    def work(piece: int) -> int:
        both.wait()
        return piece * piece

    assert by_threads(work, range(6), 2) == [0, 1, 4, 9, 16, 25]


def test_one_thread_and_one_piece_need_no_others():
    here = threading.get_ident()
    assert by_threads(lambda _: threading.get_ident(), range(3), 1) == [here] * 3
    assert by_threads(lambda _: threading.get_ident(), range(1), 8) == [here]


def test_what_a_piece_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        by_threads(lambda piece: 1 // piece, [1, 0, 1], 2)


@pytest.mark.parametrize(
    ("count", "most", "sizes"), [(0, 4, []), (3, 4, [3]), (9, 4, [3, 3, 3]), (17, 16, [8, 9])]
)
def test_pieces_are_equal_so_that_none_has_a_single_frame(count, most, sizes):
    pieces = equal_pieces(range(count), most)
    assert [len(piece) for piece in pieces] == sizes
    assert [item for piece in pieces for item in piece] == [*range(count)]


def test_threads_are_the_cores_or_what_was_asked_for():
    assert as_many(None) == cores() >= 1
    assert as_many(3) == 3
    with pytest.raises(ValueError, match="threads is 0, expected at least 1"):
        as_many(0)


@pytest.mark.parametrize("name", ["twin-tvl", "efficientnet-lite0"])
def test_readouts_are_to_the_bit_the_same_with_any_number_of_threads(name):
    pictures = np.random.default_rng(0).integers(0, 256, (37, 48, 64, 3), dtype=np.uint8)
    alone = load_encoder(name, threads=1).encode(pictures)
    for found in (
        load_encoder(name, threads=3).encode(pictures),
        load_encoder(name, threads=2).encode(pictures, batch_size=16),
    ):
        for a, b in zip(alone, found, strict=True):
            np.testing.assert_array_equal(a, b)

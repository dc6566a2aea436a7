"""Work that is done ahead of whoever uses it: by threads, in order, in bounded memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from bideta.encoders.runners.threads import cores

Item = TypeVar("Item")
Result = TypeVar("Result")

# Decoding a JPEG takes an eighth of what encoding it takes on a CPU: more threads would only hold more memory.
WORKERS = 4
AHEAD_BYTES = 2**26  # of results that nobody has taken yet; each thread may add one more


def ahead(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    most: int,
    size: Callable[[Result], int] = lambda _: 0,
    workers: int | None = None,
) -> Generator[Result, None, None]:
    """``work`` of every item, in order, done by threads while the caller works on the results before.

    Nothing is begun while ``most`` results, or ``AHEAD_BYTES`` of them by their ``size``, wait to be taken. What
    ``work`` raises is raised here when it is that item's turn. The threads end with the iterator: close it
    (``closing``) where it may be left early.
    """
    if most < 1:
        raise ValueError(f"{most} results at a time, expected at least 1")
    if len(items) == 1:  # there is nothing to be ahead of
        yield work(items[0])
        return
    change = threading.Condition()
    done: dict[int, tuple[Any, BaseException | None, int]] = {}  # item → result, error, bytes
    begun = taken = held = 0  # items begun and taken, bytes that wait
    stopped = False

    def may_go_on() -> bool:
        room = begun - taken < most and held < AHEAD_BYTES
        return stopped or begun == len(items) or begun == taken or room

    def is_next_done() -> bool:
        return taken in done

    def run() -> None:
        nonlocal begun, held
        while True:
            with change:
                change.wait_for(may_go_on)
                if stopped or begun == len(items):
                    return
                number, begun = begun, begun + 1
            outcome: tuple[Any, BaseException | None, int]
            try:
                result = work(items[number])
                outcome = result, None, size(result)
                del result  # whoever takes it is the only one to hold it
            except BaseException as error:  # noqa: BLE001 (whoever takes the result gets it)
                outcome = None, error, 0
            with change:
                done[number] = outcome
                held += outcome[2]
                del outcome
                change.notify_all()

    count = min(workers or min(WORKERS, cores()), len(items))
    threads = [threading.Thread(target=run, name=f"ahead-{i}", daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    try:
        while taken < len(items):
            with change:
                change.wait_for(is_next_done)
                result, error, bytes_ = done.pop(taken)
                taken, held = taken + 1, held - bytes_
                change.notify_all()
            if error is not None:
                raise error
            yield result
            del result
    finally:
        with change:
            stopped = True
            change.notify_all()
        for thread in threads:
            thread.join()

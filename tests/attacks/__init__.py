"""Fuzzers: seeded, bounded, measured. ``make attack`` runs the long ones and writes docs/evidence/attacks.md.

One file is one kind of attack: a module ``attacks/<kind>.py`` with ``attack(rng, tries) -> Tally``. The runner and the
tests find it by its name. ``worker`` judges one case after the other in a process of its own, with memory and time
measured there; a kind that needs another set-up (a server) fills a ``Tally`` by itself.
"""

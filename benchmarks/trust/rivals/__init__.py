"""The best known ways to keep our promises, beside ours: novelty, what to label, label sets, calibration.

``beds`` are the sets, ``novelty``, ``labelling``, ``label_sets`` and ``calibration`` hold the rivals of each promise,
``measure`` runs them on one draw, ``page`` writes docs/evidence/trust-rivals.md. The libraries are the
dependency group ``trust``.
"""

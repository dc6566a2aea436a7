"""How the method is measured: ``bideta bench``, from what was asked for to one record per cell.

- what is asked: ``experiment`` (the words), ``experiments`` (one file each), ``sweep``, ``plan`` (request → cells);
- what is drawn: ``draw`` (rows), ``episode`` (contacts as readouts), ``supply`` (hands them out);
- what is computed: ``compute`` (cell → record), ``metrics``, ``estimate`` (how long);
- where it is kept: ``readout_cache``, ``shards``, ``records``, ``run_folder``, ``stamp``;
- who runs it: ``execute`` on an ``engine``, which is ``local`` (``processes``) or ``ray``; a ``deferred_encoder`` reads
  the ``needed_splits`` first.
"""

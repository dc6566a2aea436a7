"""Real recordings: which sets a folder holds, what is support and what is query, one record per cell.

``sets`` reads the folder, ``splits`` says from where labelled contacts and queries come, ``batches`` how queries come
together, ``methods`` who answers, ``cells`` what is asked, ``readings`` gives readouts, ``ask`` does one cell and
``run`` all of them.
"""

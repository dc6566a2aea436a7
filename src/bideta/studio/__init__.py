"""Studio: a server that adapts a sensor in the browser, and the same server as an API for robots.

``app.create_app`` builds it, ``cli/studio.py`` starts it, ``client.Client`` talks to it. It needs the extra
``serve``; only ``client`` works without.

    guard      who may ask, how much, how fast             (before anything is parsed)
    api, stream   routes and the websocket                 (no computing on the event loop)
    compute    a bounded pool                              (slots × BLAS threads = cores)
    contacts   image bytes → a contact with two readouts
    session, sessions, store   contacts in memory and on disk   (restored after kill -9)
    analysis   adapt, answer, compare, map, suggest
    export     artifact, CSV, pictures, the command line
    static/    the page
"""

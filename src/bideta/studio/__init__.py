"""Studio: a server that adapts a sensor in the browser, and the same server as an API for robots.

``app.create_app`` builds it, ``cli/studio.py`` starts it, ``client.Client`` talks to it. It needs the extra
``serve``; only ``client`` and its ``client_http`` work without.

    guard, admission, limits   who may ask, how much, how fast      (before anything is parsed)
    serving_api, page_api, conversation   routes and the websocket  (no computing on the event loop)
    request_body, schemas, texts   what clients send, checked
    compute    a bounded pool                                       (slots × BLAS threads = cores)
    pictures   image bytes → a checked, decoded picture
    session, sessions, session_contacts, store   contacts in memory and on disk   (restored after kill -9)
    analysis   adapt, answer, compare, suggest
    page_data, feature_map   the same as plain data for the page
    export     artifact, CSV, pictures, the command line
    static/    the page
"""

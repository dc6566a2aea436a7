"""Live: camera in, labels out, one contact at a time.

``sources`` (camera, video, folder, simulated) → ``capture`` (a thread and a slot that holds only the newest frame)
→ ``contact`` (is anything touching?) → encoder → ``OnlineBideta`` → ``sinks`` (JSON lines, websocket, rosbag2, MCAP,
ROS 2 topic, rerun). ``loop`` ties them together and measures: frames are dropped, never queued.
"""

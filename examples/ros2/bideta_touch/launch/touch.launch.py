"""``ros2 launch bideta_touch touch.launch.py sensor:=/path/hex.bideta image:=/digit/image_raw``"""

from __future__ import annotations

from typing import Any


def generate_launch_description() -> Any:
    from ament_index_python.packages import get_package_share_directory
    from launch import LaunchDescription
    from launch.actions import DeclareLaunchArgument
    from launch.substitutions import LaunchConfiguration
    from launch_ros.actions import Node

    settings = f"{get_package_share_directory('bideta_touch')}/config/touch.yaml"
    chosen = {name: LaunchConfiguration(name) for name in ("sensor", "image", "message")}
    return LaunchDescription(
        [
            DeclareLaunchArgument("sensor", description="file written by bideta adapt"),
            DeclareLaunchArgument("image", default_value="image_raw"),
            DeclareLaunchArgument("message", default_value="classification"),
            Node(
                package="bideta_touch",
                executable="touch",
                namespace="bideta",
                parameters=[settings, chosen],
                output="screen",
            ),
        ]
    )

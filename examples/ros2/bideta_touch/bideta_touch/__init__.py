"""A ROS 2 package around an adapted sensor."""

from setuptools import setup

NAME = "bideta_touch"

setup(
    name=NAME,
    version="0.2.0",
    packages=[NAME],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", ["launch/touch.launch.py"]),
        (f"share/{NAME}/config", ["config/touch.yaml"]),
    ],
    install_requires=["setuptools", "bideta"],
    entry_points={"console_scripts": [f"touch = {NAME}.node:main"]},
)

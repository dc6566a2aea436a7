"""Gel health: a stream without labels is watched for wear."""

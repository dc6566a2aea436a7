"""Gel health: a stream without labels is watched for wear; docs/how-to/worn-gel.md."""

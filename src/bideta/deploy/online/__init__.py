"""One contact at a time: a bounded window that is answered jointly, and labels that come while it runs."""

from bideta.deploy.online.online_bideta import Answer, OnlineBideta

__all__ = ["Answer", "OnlineBideta"]

"""Tests in a browser; a package, so that its browser is closed after the last of them."""

"""How far an answer can be trusted: everything is measured on the support, hidden from itself in turn."""

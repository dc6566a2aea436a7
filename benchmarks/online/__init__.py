"""How long does one contact take?"""

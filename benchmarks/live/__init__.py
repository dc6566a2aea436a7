"""Does the live loop keep up with a camera?"""

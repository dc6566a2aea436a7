"""Does the server stand many clients, some of them hostile?"""

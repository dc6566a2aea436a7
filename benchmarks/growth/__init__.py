"""How do time and memory grow with the queries and with the labelled contacts?"""

"""Are the promises kept, and is there a better way to keep them?"""

"""What the datasets on disk share: their frames, the layout of their folders, and a check of both."""

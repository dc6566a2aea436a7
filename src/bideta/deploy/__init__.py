"""What the paper leaves out and a robot needs: class priors that fit the batch, single contacts, doubt, few labels.

docs/deploy.md has a section for each, with measured figures.
"""

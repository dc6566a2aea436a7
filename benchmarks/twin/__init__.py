"""Do the paper's effects show on the simulated twin?"""

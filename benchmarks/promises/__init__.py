"""Do promised risks and class priors hold where contacts come otherwise than the support did?"""

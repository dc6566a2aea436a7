"""How fast is the method beside the same method put together from scikit-learn and scipy?"""

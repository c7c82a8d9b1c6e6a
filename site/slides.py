def build(*a): pass

def write(docs, answers):
    pass

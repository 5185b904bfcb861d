def take_all(*a): return ''

/// What is cached, and for how long: keys, bytes, costs and time.

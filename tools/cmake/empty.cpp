// A shared library needs one source of its own; all the rest comes from the folders.

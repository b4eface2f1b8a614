// A layer that so far has only headers still needs one translation unit.

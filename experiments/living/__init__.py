"""Published findings of living tissue, checked on the models of models/living."""

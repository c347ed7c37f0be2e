"""Text to marks: units, slots, mark sets, rendering, windows, predictors, training, evaluation.

Nothing here imports Paddle at package import; the modules that compute with it
import it inside the functions that need it.
"""

"""People's work and the loop: formats, agreement, what to label next, rounds, the use cases."""

// Recompute

"""Numbers, units, "done" claims and citations of an answer against the observations of its turn. Pure, standard library only."""

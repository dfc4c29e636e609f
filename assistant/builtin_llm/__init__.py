"""The embedded default: a deterministic, bilingual planner that speaks the same steps over the same tools as a model would."""

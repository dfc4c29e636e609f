"""What operators say and what they are shown, in English and Chinese: pure functions that tools and planner share."""

"""How long replies take: a histogram of fixed buckets, cheap to add to."""

from bisect import bisect_left

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


class Latency:
    """Counts of replies by time; `counts[i]` took at most `BOUNDS_MS[i]`, the last one longer than all bounds."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_MS) + 1)
        self.total = 0
        self.longest_s = 0.0
        self.mean_s = 0.0
        """Exponential mean: about the last ten replies."""

    def add(self, seconds: float) -> None:
        """Note one reply."""
        self.counts[bisect_left(BOUNDS_MS, 1000 * seconds)] += 1
        self.mean_s = seconds if self.total == 0 else self.mean_s + (seconds - self.mean_s) / 10
        self.total += 1
        self.longest_s = max(self.longest_s, seconds)

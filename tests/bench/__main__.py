"""All benches one after the other, each in a process of its own: `python -m tests.bench [--full] [NAME...]`.

Standard output carries one JSON line for each and nothing else; the exit status is 1 if any was not right.
"""

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """How many benches were not right."""
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all if none is named")
    given = parser.parse_args()
    unknown = set(given.names) - set(names)
    if unknown:
        parser.error(f"no bench {', '.join(sorted(unknown))}")
    failed = []
    for name in given.names or names:
        sys.stderr.write(f"{name} ...\n")
        command = [sys.executable, "-m", f"tests.bench.bench_{name}", *(["--full"] if given.full else [])]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    if failed:
        sys.stderr.write(f"not right: {', '.join(failed)}\n")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main() > 0)

"""Fails if a pinned dependency has a known vulnerability; says why if nobody could be asked (no network, a mirror without the answers)."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ACCEPTED: dict[str, str] = {}
"""Advisory -> why it does not concern Busmate; empty is best."""


def main() -> int:
    """0 if nothing is known or nobody could be asked, 1 for a vulnerability."""
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--disable-pip", "--format", "json"]
    command += [part for advisory in ACCEPTED for part in ("--ignore-vuln", advisory)]
    ran = subprocess.run([*command, "-r", str(ROOT / "requirements.lock")], capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    try:
        dependencies = json.loads(ran.stdout)["dependencies"]
    except (ValueError, KeyError):
        lines = ran.stderr.strip().splitlines()
        return _say(f"dependencies not audited: {lines[-1] if lines else 'pip-audit said nothing'}", 0)
    unknown = [one["name"] for one in dependencies if "skip_reason" in one]
    if len(unknown) * 2 > len(dependencies):
        return _say(f"dependencies not audited: the service knows {len(dependencies) - len(unknown)} of {len(dependencies)}", 0)
    for one in dependencies:
        for vulnerability in one.get("vulns", []):
            fixed = ", ".join(vulnerability["fix_versions"]) or "none yet"
            _say(f"{one['name']} {one['version']}: {vulnerability['id']}, mended in {fixed}", 1)
    return _say(
        f"{len(dependencies)} dependencies audited, {len(unknown)} unknown to the service",
        int(any(one.get("vulns") for one in dependencies)),
    )


def _say(line: str, status: int) -> int:
    sys.stdout.write(line + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

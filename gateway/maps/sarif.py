"""Findings as SARIF 2.1.0, for code hosts and editors that show them at their lines."""

from collections.abc import Sequence

from gateway.errors import Finding
from gateway.maps.codes import CODES


def to_sarif(findings: Sequence[Finding], version: str) -> dict[str, object]:
    """One SARIF run with a rule for each code found."""
    used = sorted({finding.code for finding in findings})
    driver = {
        "name": "busmate check",
        "version": version,
        "rules": [{"id": code, "shortDescription": {"text": CODES[code][1]}} for code in used],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}],
    }


def _result(finding: Finding) -> dict[str, object]:
    text = ": ".join(part for part in (finding.path, finding.message, finding.fix) if part)
    region = {"region": {"startLine": finding.line}} if finding.line else {}
    return {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": finding.file}, **region}}],
    }

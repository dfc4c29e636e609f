"""The audit over HTTP: the trail, its copies, and who may see them (THREATS F)."""

import csv
import io
import json
from pathlib import Path

from tests.running_plant import RunningPlant, running_plant

API = "/api/v1"
NASTY = '=cmd|x\n\x1b[31m<img src=x onerror="alert(1)"> "}, {"'


async def _one_write(plant: RunningPlant) -> None:
    """A write whose reason is what nobody should type."""
    client = await plant.signed_in("operator")
    body = {"writes": [{"tag": "vfd1.speed_sp", "value": 47}], "reason": NASTY}
    card = (await client.post(f"{API}/proposals", json=body)).json()
    done = await client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
    assert done.json()["outcome"] == "verified"


async def test_trail_is_filtered_paged_and_copied_T80(tmp_path: Path) -> None:
    async with running_plant(tmp_path) as plant:
        await _one_write(plant)
        operator, viewer, admin = [await plant.signed_in(user) for user in ("operator", "viewer", "admin")]

        found = (await operator.get(f"{API}/audit/records", params={"about": "vfd1", "kind": "writes"})).json()
        assert [record["kind"] for record in found["records"]] == ["outcome", "sending", "proposed"]
        assert (found["records"][0]["body"]["outcome"], found["older"]) == ("verified", None)
        page = (await admin.get(f"{API}/audit/records", params={"limit": 1})).json()
        assert page["older"] == page["records"][0]["seq"]
        following = (await admin.get(f"{API}/audit/records", params={"limit": 1, "before": page["older"]})).json()
        assert following["records"][0]["seq"] == page["older"] - 1

        assert {record["kind"] for record in (await viewer.get(f"{API}/audit/records")).json()["records"]} == {"outcome"}
        assert (await viewer.get(f"{API}/audit/export")).json()["code"] == "ROLE"
        for client in (viewer, operator):
            seen = (await client.get(f"{API}/audit/records", params={"kind": "accounts"})).json()
            assert seen["records"] == []
        assert (await admin.get(f"{API}/audit/records", params={"kind": "sign_in"})).json()["records"] != []

        copied = await operator.get(f"{API}/audit/export")
        assert copied.headers["content-type"] == "text/csv; charset=utf-8"
        assert copied.headers["content-disposition"].startswith('attachment; filename="audit-')
        rows = list(csv.DictReader(io.StringIO(copied.text.removeprefix("\ufeff"), newline="")))
        outcome = next(row for row in rows if row["kind"] == "outcome")
        assert outcome["reason"].startswith("'=cmd|x")
        assert not any(cell.startswith(("=", "+", "@", "\t")) for row in rows for cell in row.values())
        assert "sign_in" not in {row["kind"] for row in rows}

        document = json.loads((await admin.get(f"{API}/audit/export", params={"format": "json"})).text)
        assert [record["seq"] for record in document["records"]] == list(range(1, len(document["records"]) + 1))
        assert document["head"]["seq"] > len(document["records"])
        whole = (await operator.get(f"{API}/audit/records", params={"kind": "outcome"})).text
        assert "\x1b" not in whole
        assert whole.count("\n") == 0, "one JSON document on one line, whatever stands in a reason"
        assert (await plant.gateway.audit.verify()).ok
        assert (await operator.get(f"{API}/audit/records", params={"start": "2026-01-01T00:00:00"})).json()["code"] == "INVALID"

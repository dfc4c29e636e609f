"""The `assistant:` block."""

from decimal import Decimal
from pathlib import Path

import pytest

from assistant.llm.client import ServerOptions
from assistant.settings import AssistantSettings, read_settings
from gateway.errors import ConfigError


def test_empty_block_is_the_built_in_planner(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path / "plant.yaml") == AssistantSettings()


def test_whole_block(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("abc123\n")
    block = {
        "llm": {
            "api_base": "http://127.0.0.1:8080/v1/",
            "model": "auto",
            "context_window": 8192,
            "api_key_file": "key",
            "timeout_s": Decimal("30.5"),
        },
        "embeddings": {"api_base": "https://gpu.plant:8081/v1", "model": "bge-m3"},
        "manuals": ["./manuals", "/srv/manuals"],
    }
    found = read_settings(block, tmp_path / "plant.yaml")
    assert found.llm == ServerOptions(api_base="http://127.0.0.1:8080/v1", api_key="abc123", context_tokens=8192, first_token_s=30.5)
    assert found.embeddings == ServerOptions(api_base="https://gpu.plant:8081/v1", model="bge-m3")
    assert found.manuals == ((tmp_path / "manuals").resolve(), Path("/srv/manuals"))


@pytest.mark.parametrize(
    ("block", "path", "words"),
    [
        pytest.param(
            {"llm": {"api_base": "http://h/v1", "api_key": "sk-secret"}}, "assistant.llm.api_key", "must not stand", id="key_in_clear"
        ),
        pytest.param({"llm": {"api_base": "http://me:pw@h/v1"}}, "assistant.llm.api_base", "no user, password", id="password_in_address"),
        pytest.param({"llm": {"api_base": "file:///etc/passwd"}}, "assistant.llm.api_base", "http://HOST", id="file"),
        pytest.param({"llm": {"api_base": "http://169.254.169.254/v1"}}, "assistant.llm.api_base", "link-local", id="metadata_service"),
        pytest.param({"llm": {"api_base": "http://[fe80::1]/v1"}}, "assistant.llm.api_base", "link-local", id="link_local_v6"),
        pytest.param({"llm": {"api_base": "http://h/v1?key=1"}}, "assistant.llm.api_base", "no user, password, query", id="query"),
        pytest.param({"llm": {"api_base": "http:///v1"}}, "assistant.llm.api_base", "http://HOST", id="no_host"),
        pytest.param({"llm": {}}, "assistant.llm.api_base", "required", id="no_address"),
        pytest.param({"llm": {"api_base": "http://h/v1", "context_window": "8192"}}, "assistant.llm.context_window", "integer", id="text"),
        pytest.param(
            {"llm": {"api_base": "http://h/v1", "api_key_file": "none"}}, "assistant.llm.api_key_file", "cannot be read", id="no_key_file"
        ),
        pytest.param(
            {"llm": {"api_base": "http://h/v1", "api_key_file": "bad"}}, "assistant.llm.api_key_file", "one key", id="bad_key_file"
        ),
        pytest.param({"manual": []}, "assistant.manual", "not permitted", id="unknown"),
    ],
)
def test_wrong_block_is_refused_with_its_place(tmp_path: Path, block: dict[str, object], path: str, words: str) -> None:
    (tmp_path / "bad").write_text("two words")
    with pytest.raises(ConfigError) as error:
        read_settings(block, tmp_path / "plant.yaml")
    [finding] = error.value.findings
    assert (finding.path, finding.file) == (path, str(tmp_path / "plant.yaml"))
    assert words in finding.message
    assert "sk-secret" not in str(error.value)


def test_key_in_clear_says_the_fix(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="api_key_file"):
        read_settings({"embeddings": {"api_base": "http://h/v1", "api_key": "x"}}, tmp_path / "plant.yaml")


def test_all_findings_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read_settings({"llm": {"api_base": "ftp://h"}, "manuals": [1], "x": 1}, tmp_path / "plant.yaml")
    assert len(error.value.findings) == 3

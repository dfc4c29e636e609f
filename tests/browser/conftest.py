"""The demo in a process of its own, and a browser on it. Skips without Chromium, but never where CI says it must run."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PASSWORD = "a-demo-password-for-tests"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class Demo:
    """Where the demo is served."""

    address: str


def chromium() -> str:
    """The path of Chromium; skips the test without one."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("BUSMATE_CI"):
            pytest.fail("Chromium is missing where it must not be")
        pytest.skip("no Chromium on this machine")
    return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The simulated plant, gateway, assistant and page on a free port."""
    chromium()
    command = [
        str(Path(sys.executable).parent / "busmate"),
        "demo",
        "--port",
        "0",
        "--no-browser",
        "--data",
        str(tmp_path_factory.mktemp("data")),
    ]
    log = tmp_path_factory.mktemp("log") / "demo.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, "BUSMATE_DEMO_PASSWORD": PASSWORD}
        )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r"(http://\S+)", line):
                    yield Demo(address=found.group(1))
                    break
            else:
                pytest.fail(f"the demo did not start: {log.read_text()[-2000:]}")
        finally:
            process.send_signal(signal.SIGINT)
            status = process.wait(20)
            if process.stdout is not None:
                process.stdout.close()
        assert status == 0, log.read_text()[-2000:]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One headless Chromium."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, demo: Demo) -> Iterator[Page]:
    """A page of 1280 pixels, English, signed in as operator; fails on any error of the page's own scripts."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", timezone_id="Asia/Shanghai")
    context.set_default_timeout(20_000)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if "Content Security Policy" in message.text else None)
    sign_in(opened, demo, "operator")
    yield opened
    context.close()
    assert errors == []


def sign_in(page: Page, demo: Demo, user: str) -> None:
    """Open the page and sign in."""
    page.goto(demo.address)
    page.fill("input[name=user]", user)
    page.fill("input[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_selector("table.values")

"""The first account, accounts, tokens, the audit and the password once more, in a real browser on a gateway of its own."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import chromium
from tests.browser.test_page import picture

pytestmark = pytest.mark.browser

PASSWORD = "correct horse"
CONFIG = """\
site: {name: {en: New works, zh: 新厂}, timezone: UTC}
data_dir: ./data
links: [{id: lan1, transport: tcp, host: 127.0.0.1, port: 1}]
devices: [{id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: Tank, zh: 水箱}}]
web: {port: 0}
"""


@dataclass(frozen=True)
class NewPlant:
    """A gateway on which nobody has an account, with the address that its console names."""

    address: str
    first: str
    database: Path

    def make_long_ago(self) -> None:
        """All passwords were given long ago."""
        connection = sqlite3.connect(self.database)
        with connection:
            connection.execute("update sessions set proved_mono = -1e9")
        connection.close()


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewPlant]:
    """`python -m gateway` on an empty data folder."""
    chromium()
    folder = tmp_path_factory.mktemp("new")
    (folder / "plant.yaml").write_text(CONFIG, encoding="utf-8")
    command = [sys.executable, "-m", "gateway", str(folder / "plant.yaml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(3)]
            found = re.search(r"open (http://\S+#first=\S+)", lines[1])
            assert found, lines
            yield NewPlant(address=lines[0].strip(), first=found.group(1), database=folder / "data" / "busmate.db")
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def page(browser: Browser, plant: NewPlant) -> Iterator[Page]:
    """The first admin, who has just made the account with the console's code."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(20_000)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if "Content Security Policy" in message.text else None)
    opened.goto(plant.first)
    expect(opened.locator("input[name=code]")).not_to_have_value("")
    picture(opened, "first-admin")
    opened.fill("input[name=user]", "anna")
    opened.fill("input[name=password]", PASSWORD)
    opened.click("button[type=submit]")
    opened.wait_for_selector("table.values")
    assert "#" not in opened.url, "the code does not stay in the address"
    yield opened
    context.close()
    assert errors == []


def test_second_browser_is_asked_to_sign_in_not_for_a_code_T45(page: Page, plant: NewPlant, browser: Browser) -> None:
    context = browser.new_context()
    other = context.new_page()
    other.goto(plant.first)
    expect(other.locator("input[name=user]")).to_be_visible()
    expect(other.locator("input[name=code]")).to_have_count(0)
    context.close()


def test_admin_adds_an_account_and_a_token_that_is_shown_once(page: Page, plant: NewPlant) -> None:
    page.click(".accounts-open")
    page.fill("input[name=new-user]", "olga")
    page.fill("input[name=new-user-password]", PASSWORD)
    page.select_option("select[name=new-user-role]", "operator")
    page.locator("form.audit-filter").first.locator("button").click()
    expect(page.locator("tr[data-user=olga]")).to_be_visible()
    page.fill("input[name=new-token]", "ci")
    page.locator("form.audit-filter").nth(1).locator("button").click()
    shown = page.locator(".token-made code")
    expect(shown).to_contain_text("bmt_")
    secret = shown.inner_text()
    picture(page, "accounts")
    devices = httpx.get(f"{plant.address}api/v1/devices", headers={"authorization": f"Bearer {secret}"})
    assert devices.json()[0]["id"] == "lt1"
    page.locator("tr[data-token=ci] button").click()
    expect(page.locator("tr[data-token=ci]")).to_contain_text("ended by anna")
    assert httpx.get(f"{plant.address}api/v1/devices", headers={"authorization": f"Bearer {secret}"}).status_code == 401
    page.locator("dialog.accounts button.quiet").click()
    page.click(".accounts-open")
    expect(page.locator("tr[data-token=ci]")).to_be_visible()
    assert secret not in page.content()
    page.locator("dialog.accounts button.quiet").click()


def test_change_of_a_role_asks_for_the_password_again_and_goes_on_T43(page: Page, plant: NewPlant) -> None:
    plant.make_long_ago()
    page.click(".accounts-open")
    page.locator("tr[data-user=olga] select").select_option("engineer")
    dialog = page.locator("dialog.password")
    dialog.locator("input[name=password]").fill("wrong")
    dialog.locator("button[type=submit]").click()
    expect(dialog.locator(".error")).to_contain_text("wrong")
    picture(page, "password-again")
    dialog.locator("input[name=password]").fill(PASSWORD)
    dialog.locator("button[type=submit]").click()
    expect(dialog).to_have_count(0)
    expect(page.locator("tr[data-user=olga] select")).to_have_value("engineer")
    page.locator("dialog.accounts button.quiet").click()


def test_audit_is_filtered_in_both_languages_and_copied(page: Page) -> None:
    page.click(".audit-open")
    rows = page.locator("dialog.audit tr[data-kind]")
    expect(rows.first).to_be_visible()
    page.select_option("dialog.audit select[name=kind]", "accounts")
    page.fill("dialog.audit input[name=about]", "olga")
    page.click("dialog.audit form button")
    expect(page.locator("dialog.audit tr[data-kind=user_role]")).to_have_count(1)
    expect(page.locator("dialog.audit tr[data-kind=token_made]")).to_have_count(0)
    page.locator("dialog.audit tr[data-kind=user_role] button").click()
    expect(page.locator(".audit-whole:visible pre")).to_contain_text('"role": "engineer"')
    picture(page, "audit")
    with page.expect_download() as download:
        page.locator("dialog.audit a.button").first.click()
    copied = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert "user_role" in copied
    assert "token_made" not in copied
    page.fill("dialog.audit input[name=about]", "nobody.at.all")
    page.click("dialog.audit form button")
    expect(page.locator(".audit-note")).to_contain_text("No such record")
    page.locator("dialog.audit header button").click()
    page.get_by_role("button", name="中文").click()
    page.click(".audit-open")
    expect(page.locator("dialog.audit h2")).to_have_text("审计记录")
    expect(page.locator("dialog.audit tr[data-kind=user_role]")).to_contain_text("更改角色")
    picture(page, "audit-chinese")
    page.locator("dialog.audit header button").click()
    page.get_by_role("button", name="English").click()


def test_nothing_in_the_audit_is_markup_T46(page: Page, plant: NewPlant) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    httpx.post(f"{plant.address}api/v1/login", json={"user": nasty, "password": "wrong"})
    page.click(".audit-open")
    expect(page.locator("dialog.audit tr[data-kind=sign_in_failed]").first).to_contain_text(nasty)
    assert page.locator("dialog.audit img").count() == 0
    page.locator("dialog.audit header button").click()


def test_page_goes_to_sign_in_when_its_session_ends_elsewhere_T43(page: Page, plant: NewPlant) -> None:
    page.click(".audit-open")
    connection = sqlite3.connect(plant.database)
    with connection:
        connection.execute("delete from sessions")
    connection.close()
    expect(page.locator("form.login input[name=user]")).to_be_visible()
    expect(page.locator("dialog")).to_have_count(0)

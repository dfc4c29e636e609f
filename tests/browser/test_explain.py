"""The dialog "explain this value", opened from a row of the values, in both languages."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_click_on_a_value_explains_it(page: Page) -> None:
    page.click("tr[data-tag='vfd1.speed_fb'] .name button")
    dialog = page.locator("dialog.explain")
    expect(dialog).to_contain_text("demo_vx200.yaml")
    expect(dialog).to_contain_text("01 03 21 02 00 01")
    expect(dialog.locator("[data-step='scale']")).to_contain_text("x 0.01")
    expect(dialog.locator(".explain-orders tr[data-used='true']")).to_contain_text("ABCD")
    dialog.locator(".explain-words").fill("125C")
    dialog.get_by_role("button", name="Explain").click()
    expect(dialog.locator(".explain-value")).to_contain_text("47 Hz · good · typed in")
    dialog.locator(".explain-words").fill("xyz")
    dialog.get_by_role("button", name="Explain").click()
    expect(dialog.locator(".error")).to_contain_text("xyz")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_explanation_in_chinese(page: Page) -> None:
    page.get_by_role("button", name="中文").click()
    page.click("tr[data-tag='vfd1.speed_fb'] .name button")
    expect(page.locator("dialog.explain")).to_contain_text("请求报文")
    expect(page.locator("dialog.explain")).to_contain_text("顺序 ABCD")

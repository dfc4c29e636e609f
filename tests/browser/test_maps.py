"""Register maps on the page: edited, shown with their risks, approved by a second engineer, rolled back; in both languages."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Demo, sign_in
from tests.browser.test_page import picture

pytestmark = pytest.mark.browser


def engineer(browser: Browser, demo: Demo, user: str, language: str = "en-GB") -> Page:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale=language, timezone_id="Asia/Shanghai")
    context.set_default_timeout(20_000)
    page = context.new_page()
    sign_in(page, demo, user)
    return page


@pytest.fixture
def first(browser: Browser, demo: Demo) -> Iterator[Page]:
    """The engineer who changes."""
    page = engineer(browser, demo, "engineer")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Content Security Policy" in message.text else None)
    yield page
    page.context.close()
    assert errors == []


@pytest.fixture
def second(browser: Browser, demo: Demo) -> Iterator[Page]:
    """The engineer who approves, in Chinese."""
    page = engineer(browser, demo, "engineer2", "zh-CN")
    yield page
    page.context.close()


def opened(page: Page, map_id: str) -> Locator:
    page.click(".maps-open")
    page.click(f".map-list li[data-map={map_id}] button")
    dialog = page.locator("dialog.maps")
    expect(dialog.locator(f".map-one[data-map={map_id}]")).to_be_visible()
    return dialog


def replaced(dialog: Locator, old: str, new: str) -> None:
    area = dialog.locator(".map-area")
    text = area.input_value()
    assert old in text
    area.fill(text.replace(old, new, 1))


def test_a_wrong_key_is_found_on_its_line_and_a_click_leads_there(first: Page) -> None:
    dialog = opened(first, "demo_em300")
    replaced(dialog, "    unit: V", "    unti: V")
    finding = dialog.locator(".map-findings li[data-code=unknown_key]")
    expect(finding).to_contain_text("did you mean unit?")
    line = int(finding.get_attribute("data-line") or "0")
    expect(dialog.locator(".map-lines span.error").first).to_have_text(str(line))
    finding.locator("button").click()
    area = dialog.locator(".map-area")
    assert area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "    unti: V"
    picture(first, "map-finding")
    dialog.locator(".send").click()
    expect(dialog.locator(".map-findings li[data-code=unknown_key]")).to_be_visible()
    dialog.locator(".discard").click()
    expect(dialog.locator(".map-findings")).to_contain_text("No errors")


def test_a_harmless_change_shows_on_the_values_without_a_restart(first: Page) -> None:
    value = first.locator("tr[data-tag='lt1.level'] .value")
    expect(value).to_have_text(re.compile(r"^\d+\.\d\s*%"))
    dialog = opened(first, "demo_lt50")
    replaced(dialog, "decimals: 1", "decimals: 3")
    dialog.locator("button.difference").click()
    expect(dialog.locator(".map-changes tr[data-point=level][data-key=decimals]")).to_contain_text("3")
    expect(dialog.locator(".map-difference")).to_contain_text("None of these is a risk")
    dialog.locator(".map-reason").fill("three digits are shown on the panel")
    dialog.locator(".send").click()
    expect(dialog.locator("header .map-note")).to_have_text("In force.")
    expect(dialog.locator(".map-versions tr[data-version='2']")).to_contain_text("three digits")
    first.keyboard.press("Escape")
    expect(value).to_have_text(re.compile(r"^\d+\.\d{3}\s*%"))


def test_a_risk_waits_for_another_engineer_and_can_be_taken_back(first: Page, second: Page) -> None:
    dialog = opened(first, "demo_tc10")
    area = dialog.locator(".map-area")
    limit = re.search(r"write: \{[^}]*max: (\d+)", area.input_value())
    assert limit
    replaced(dialog, limit[0], limit[0].replace(f"max: {limit[1]}", f"max: {int(limit[1]) + 5}"))
    dialog.locator("button.difference").click()
    expect(dialog.locator(".map-difference .risky").first).to_contain_text("another engineer has to approve")
    expect(dialog.locator(".map-difference tr[data-key='write.max'] b")).not_to_be_empty()
    picture(first, "map-difference")
    dialog.locator(".map-reason").fill("nameplate")
    dialog.locator(".send").click()
    card = dialog.locator(".map-card")
    expect(card.locator(".approve")).to_be_disabled()
    expect(card).to_contain_text("nameplate")
    picture(first, "map-pending")

    expect(second.locator(".maps-open")).to_have_text("点表（1 项待确认）")
    second.click(".maps-open")
    theirs = second.locator(".map-card")
    expect(theirs).to_contain_text("风险")
    picture(second, "map-approve-zh")
    theirs.locator(".approve").click()
    expect(second.locator("dialog.maps header .map-note")).to_have_text("已生效。")
    expect(second.locator(".map-card")).to_have_count(0)

    expect(dialog.locator(".map-card")).to_have_count(0)
    first.keyboard.press("Escape")
    dialog = opened(first, "demo_tc10")
    newest = dialog.locator(".map-versions tr[data-version='2']")
    expect(newest).to_contain_text("engineer, engineer2")
    dialog.locator(".map-versions tr[data-version='1'] .back").click()
    expect(dialog.locator("header .map-note")).to_have_text("In force.")
    expect(dialog.locator(".map-versions tr[data-version='3']")).to_contain_text("back to version 1")
    picture(first, "map-versions")


def test_a_rejected_change_is_gone_for_both(first: Page, second: Page) -> None:
    dialog = opened(first, "demo_doseplc")
    replaced(dialog, "unit: bar", "unit: kPa")
    dialog.locator(".send").click()
    expect(dialog.locator(".map-card")).to_be_visible()
    second.click(".maps-open")
    second.locator(".map-card .reject").click()
    expect(second.locator("dialog.maps header .map-note")).to_have_text("已拒绝。")
    expect(dialog.locator(".map-card")).to_have_count(0)


def test_what_is_not_sent_outlives_the_dialog(first: Page) -> None:
    dialog = opened(first, "demo_vx200")
    replaced(dialog, "regmap: 1", "# typed again\nregmap: 1")
    expect(first.locator(".map-list li[data-map=demo_vx200]")).to_contain_text("not sent")
    first.keyboard.press("Escape")
    dialog = opened(first, "demo_vx200")
    expect(dialog.locator(".map-area")).to_have_value(re.compile("^# typed again"))
    dialog.locator("button.difference").click()
    expect(dialog.locator(".map-difference")).to_contain_text("Nothing changes but comments")


def test_operators_have_no_maps(page: Page) -> None:
    expect(page.locator(".bar .who")).to_contain_text("operator")
    expect(page.locator(".maps-open")).to_have_count(0)

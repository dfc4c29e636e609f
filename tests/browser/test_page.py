"""The operators' page in a real browser: asking, seeing, confirming."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from gateway.clock import SystemClock
from tests.browser.conftest import Demo, sign_in

pytestmark = pytest.mark.browser


def ask(page: Page, text: str) -> None:
    page.fill(".ask textarea", text)
    page.click(".ask .send")


def picture(page: Page, name: str) -> None:
    """Keep a screenshot where BUSMATE_SCREENSHOTS says, to be looked at."""
    folder = os.environ.get("BUSMATE_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png")


def test_live_values_stand_beside_the_chat_with_quality_and_age(page: Page) -> None:
    row = page.locator("tr[data-tag='plc1.discharge_pressure']")
    expect(row.locator(".value")).to_contain_text("bar")
    expect(row.locator(".state")).to_contain_text("ago")
    picture(page, "values")


def test_a_question_is_answered_with_a_chip_and_folded_steps(page: Page) -> None:
    ask(page, "What is the discharge pressure?")
    expect(page.locator(".answer")).to_contain_text("bar")
    expect(page.locator(".chip.good")).to_contain_text("bar")
    expect(page.locator("details.steps summary")).to_contain_text("Steps")
    page.click("details.steps summary")
    expect(page.locator(".steps-list")).to_contain_text("read_points")
    picture(page, "answer")


def test_chinese_question_is_answered_in_chinese(page: Page) -> None:
    page.get_by_role("button", name="中文").click()
    ask(page, "1号泵现在多少赫兹？")
    expect(page.locator(".answer")).to_contain_text("Hz")
    expect(page.locator(".answer")).to_contain_text("泵")
    picture(page, "chinese")


def test_times_are_the_plants_wherever_the_browser_stands(page: Page) -> None:
    plant = SystemClock().utc().astimezone(ZoneInfo("Asia/Shanghai")).replace(tzinfo=None)
    shown = datetime.strptime(page.locator(".clock").inner_text(), "%d/%m/%Y, %H:%M:%S")  # noqa: DTZ007 - the page's clock names no zone
    assert abs(shown - plant) < timedelta(seconds=5)
    typed = page.evaluate("import('/static/clock.js').then(({ instantOf }) => instantOf('2026-03-10T14:46'))")
    assert typed == "2026-03-10T06:46:00.000Z"


def test_manual_question_cites_a_page_that_opens(page: Page) -> None:
    ask(page, "P-102 shows F07, what should I do?")
    source = page.locator(".source").first
    expect(source).to_contain_text("vx200-en")
    source.click()
    image = page.locator("dialog img")
    expect(image).to_be_visible()
    expect(image).to_have_js_property("complete", True)
    assert int(image.evaluate("picture => picture.naturalWidth")) > 300
    picture(page, "citation")


def test_a_write_waits_for_a_person_and_shows_the_read_back(page: Page) -> None:
    ask(page, "Set pump 1 to 47 Hz")
    card = page.locator(".turn .card")
    expect(card).to_contain_text("45")
    expect(card).to_contain_text("47")
    picture(page, "card")
    card.locator("button.confirm").click()
    expect(card.locator("[data-outcome=verified]")).to_contain_text("47")
    picture(page, "verified")


def test_viewer_sees_values_but_no_confirm_button(page: Page, demo: Demo) -> None:
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, demo, "viewer")
    ask(page, "Stop pump 1.")
    expect(page.locator(".answer")).to_contain_text("viewer")
    expect(page.locator(".turn .card")).to_have_count(0)


def test_wrong_password_is_told_without_details(page: Page, demo: Demo) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.fill("input[name=user]", "operator")
    page.fill("input[name=password]", "wrong")
    page.click("button[type=submit]")
    expect(page.locator(".login .error")).not_to_be_empty()


def test_text_of_a_person_stays_text(page: Page) -> None:
    ask(page, "<img src=x onerror=document.title='owned'> what is the tank level?")
    expect(page.locator(".answer")).not_to_be_empty()
    expect(page.locator(".question")).to_contain_text("<img src=x")
    assert page.title() != "owned"


def test_the_page_fits_a_tablet(page: Page) -> None:
    page.set_viewport_size({"width": 820, "height": 1180})
    expect(page.locator(".ask textarea")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, "tablet")

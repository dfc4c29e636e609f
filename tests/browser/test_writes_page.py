"""Procedures, undo, rejection and lockouts in a real browser."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Demo, sign_in

pytestmark = pytest.mark.browser

RAMP_MS = 40_000
"""The drive needs 13 s to stop and 6 s to reach its lower limit."""


def picture(page: Page, name: str) -> None:
    """Keep a screenshot where BUSMATE_SCREENSHOTS says, to be looked at."""
    folder = os.environ.get("BUSMATE_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png")


def ask(page: Page, text: str) -> None:
    page.fill(".ask textarea", text)
    page.click(".ask .send")


def card_of(page: Page, name: str) -> Locator:
    """The card that a click on the procedure puts up."""
    page.click(f"[data-procedure='{name}']")
    return same_card(page, page.locator(".proposals .card", has=page.locator("button.confirm")).first)


def same_card(page: Page, card: Locator) -> Locator:
    """The card of this proposal, whatever becomes of it."""
    return page.locator(f".proposals .card[data-proposal='{card.get_attribute('data-proposal')}']")


def step(card: Locator, number: int) -> Locator:
    return card.locator(f"[data-step='{number}']")


def test_procedures_stop_and_start_a_pump_step_by_step(page: Page) -> None:
    card = card_of(page, "vfd1.stop")
    expect(card.locator("h3")).to_contain_text("Stop pump")
    expect(step(card, 0)).to_contain_text("run → stop")
    expect(step(card, 1)).to_contain_text("wait until speed feedback (vfd1.speed_fb) == 0 Hz, at most 90 s")
    picture(page, "procedure-card")
    card.locator("button.confirm").click()
    expect(step(card, 0).locator("[data-outcome=verified]")).to_contain_text("stop", timeout=RAMP_MS)
    picture(page, "procedure-running")
    expect(step(card, 1).locator("[data-outcome=met]")).to_contain_text("0 Hz", timeout=RAMP_MS)
    expect(card.locator("button.undo")).to_have_count(0)

    page.get_by_role("button", name="中文").click()
    card = card_of(page, "vfd1.start")
    expect(step(card, 2)).to_contain_text("等待 运行频率（vfd1.speed_fb）>= 20 Hz，最多 30 秒")
    repeat = card.locator("input.repeat")
    expect(repeat).to_have_attribute("placeholder", "输入“以40赫兹启动水泵”以确认")
    card.locator("button.confirm").click()
    expect(card.locator(".error")).to_contain_text("以40赫兹启动水泵")
    repeat.fill("以40赫兹启动水泵")
    card.locator("button.confirm").click()
    expect(step(card, 2).locator("[data-outcome=met]")).to_contain_text("已达到", timeout=RAMP_MS)
    picture(page, "procedure-done")


def test_running_procedure_is_stopped(page: Page) -> None:
    card = card_of(page, "vfd1.stop")
    card.locator("button.confirm").click()
    expect(step(card, 0).locator("[data-outcome=verified]")).to_be_visible(timeout=RAMP_MS)
    card.locator("button.stop").click()
    expect(step(card, 1).locator("[data-outcome=not_met]")).to_contain_text("stopped by operator", timeout=RAMP_MS)
    expect(card.locator("button.stop")).to_have_count(0)


def test_executed_write_is_undone_by_a_new_card(page: Page) -> None:
    ask(page, "Set the hypochlorite heater setpoint to 37 °C")
    first = page.locator(".turn .card")
    first.locator("button.confirm").click()
    expect(first.locator("[data-outcome=verified]")).to_contain_text("37")
    first.locator("button.undo").click()
    undo = same_card(page, page.locator(".proposals .card", has=page.locator("button.confirm")))
    expect(undo).to_contain_text("undo of")
    expect(undo.locator(".new")).to_contain_text("35")
    picture(page, "undo")
    undo.locator("button.confirm").click()
    expect(undo.locator("[data-outcome=verified]")).to_contain_text("35")
    first.locator("button.undo").click()
    expect(first.locator(".error")).to_contain_text("old value already")


def test_card_that_was_overtaken_is_asked_for_anew_T26(page: Page, browser: Browser, demo: Demo) -> None:
    ask(page, "Set the hypochlorite heater setpoint to 36 °C")
    mine = page.locator(".turn .card")
    expect(mine.locator("button.confirm")).to_be_visible(timeout=RAMP_MS)
    other = browser.new_context(locale="en-GB")
    engineer = other.new_page()
    sign_in(engineer, demo, "engineer")
    ask(engineer, "Set the hypochlorite heater setpoint to 34 °C")
    theirs = engineer.locator(".turn .card")
    theirs.locator("button.confirm").click(timeout=RAMP_MS)
    expect(theirs.locator("[data-outcome=verified]")).to_be_visible(timeout=RAMP_MS)
    other.close()
    mine.locator("button.confirm").click()
    expect(mine.locator("[data-outcome=changed_before]")).to_contain_text("is 34 degC, not 35 degC as shown", timeout=RAMP_MS)
    mine.locator("button.again").click()
    anew = page.locator(".proposals .card", has=page.locator("button.confirm"))
    expect(anew.locator(".move")).to_contain_text("34.0 °C → 36.0 °C")
    anew.locator("button.confirm").click()
    expect(page.locator(".proposals [data-outcome=verified]").first).to_contain_text("36.0 °C", timeout=RAMP_MS)


def test_rejection_takes_a_reason_and_shows_it(page: Page) -> None:
    card = card_of(page, "vfd2.stop")
    card.locator("button.reject").click()
    why = card.locator("input.why")
    why.press_sequentially("<b>mechanic</b> is at the pump", delay=100)
    expect(why).to_have_value("<b>mechanic</b> is at the pump")
    picture(page, "reject")
    card.locator("button.reject-now").click()
    expect(card.locator(".outcome")).to_contain_text("Rejected by operator: <b>mechanic</b> is at the pump")
    page.reload()
    expect(card.locator(".outcome")).to_contain_text("mechanic")


def test_lockout_is_set_with_a_reason_and_told_on_every_page(page: Page, browser: Browser, demo: Demo) -> None:
    other = browser.new_context(locale="zh-CN")
    engineer = other.new_page()
    sign_in(engineer, demo, "engineer")
    engineer.click("button.lockouts-open")
    engineer.fill("input[name=lock-scope]", "vfd1")
    engineer.fill("input[name=lock-reason]", "coupling is off")
    engineer.locator(".lockouts .audit-filter button").click()
    expect(engineer.locator(".lockouts [data-scope=vfd1]")).to_contain_text("coupling is off")
    picture(engineer, "lockouts")
    expect(engineer.locator(".banner")).to_have_text("vfd1 的写入已锁定：coupling is off（engineer）")
    expect(page.locator(".banner")).to_have_text("Writing is locked for vfd1: coupling is off (engineer)")
    page.click("[data-procedure='vfd1.stop']")
    expect(page.locator(".panel > .error")).to_contain_text("locked out: coupling is off")
    expect(page.locator("button.lockouts-open")).to_have_count(0)
    picture(page, "locked")
    engineer.fill("[data-scope=vfd1] input", "coupling is on")
    engineer.click("[data-scope=vfd1] button")
    expect(engineer.locator(".lockouts tbody")).to_contain_text("当前没有锁定")
    expect(page.locator(".banner")).to_be_hidden()
    other.close()

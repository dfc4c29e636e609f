"""`busmate`: only the module of the command that was asked for is imported."""

import sys
from collections.abc import Callable
from importlib import import_module

COMMANDS: dict[str, tuple[str, str]] = {
    "address": ("gateway.cli.values:address", "What a manual's register number means, in three notations."),
    "decode": ("gateway.cli.values:decode", "Words to a value."),
    "encode": ("gateway.cli.values:encode", "A value to words."),
    "plan": ("gateway.cli.plan:plan", "The read blocks of a map or configuration, with bus time."),
    "read": ("gateway.cli.read:read", "Fresh values from the wire."),
    "write": ("gateway.cli.write:write", "Propose, confirm, write, read back, audit."),
    "audit": ("gateway.cli.audit:audit", "Verify the audit's chain, or export it."),
    "user": ("gateway.cli.user:user", "Accounts and roles."),
    "token": ("gateway.cli.token:token", "Tokens of programs: make, list, revoke."),
    "explain": ("gateway.cli.explain:explain", "One value: map line, addresses, frames, words, every decode step."),
    "diagnose": ("gateway.cli.diagnose:diagnose", "States, counters, latency, learnt facts, last frames, advice."),
    "scan": ("gateway.cli.scan:scan", "Who answers on a link, and what can be read; read-only, paced."),
    "convert": ("gateway.cli.convert:convert", "Register maps from and to other formats."),
    "check": ("gateway.cli.check:check", "Every error and warning of maps and configurations."),
}
"""Command -> (module:function, one line of help); those of assistant and simulators come by entry point."""


def main() -> None:
    """Run one command."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help", "help"):
        sys.stdout.write(_overview())
        return
    command = _find(name)
    if command is None:
        sys.stderr.write(f"busmate has no command {name!r}; `busmate --help` lists them\n")
        raise SystemExit(2)
    import typer

    from gateway.cli.output import fail

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, context_settings={"ignore_unknown_options": name == "encode", "help_option_names": ["-h", "--help"]})(command)
    sys.argv[0:2] = [f"busmate {name}"]
    try:
        status = app(prog_name=sys.argv[0], standalone_mode=False)
    except typer.TyperException as exc:
        fail("USAGE", " ".join(exc.format_message().split()), fix=f"see `busmate {name} --help`", as_json="--json" in sys.argv, status=2)
    except typer.Abort as exc:
        raise SystemExit(1) from exc
    if isinstance(status, int):
        raise SystemExit(status)


def _find(name: str) -> Callable[..., None] | None:
    target = COMMANDS.get(name, ("", ""))[0]
    if target:
        module, _, function = target.partition(":")
        found: Callable[..., None] = vars(import_module(module))[function]
        return found
    from importlib.metadata import entry_points

    for entry in entry_points(group="busmate.commands", name=name):
        loaded: Callable[..., None] = entry.load()
        return loaded
    return None


def _overview() -> str:
    from importlib.metadata import entry_points

    lines = {name: text for name, (_, text) in COMMANDS.items()}
    for entry in entry_points(group="busmate.commands"):
        lines[entry.name] = (entry.load().__doc__ or "").split("\n")[0]
    width = max(map(len, lines))
    return "usage: busmate COMMAND [--json] ...\n\n" + "".join(f"  {name:{width}}  {text}\n" for name, text in sorted(lines.items()))

"""Errors of the assistant.

```
AssistantError
  ToolInputError          the model can mend it: the text goes back to it
  ToolFailedError         final: model and operator are told
  ModelUnavailableError   chat falls back to the built-in planner; polling goes on
```
"""


class AssistantError(Exception):
    """Root of all errors the assistant raises on purpose."""


class ToolInputError(AssistantError):
    """The arguments are wrong in a way the model can mend; `code` is a refusal code where the gateway gave one."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ToolFailedError(AssistantError):
    """The tool could not do it, and asking again will not help; `code` is a refusal code where the gateway gave one."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ModelUnavailableError(AssistantError):
    """The language model does not answer or answers nonsense."""

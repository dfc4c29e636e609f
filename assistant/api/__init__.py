"""HTTP of the assistant: chat and manuals."""

"""The manuals of the demo plant: their text, and the typesetting that makes PDF files of it (`python -m simulators.manuals`)."""

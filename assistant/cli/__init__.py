"""Commands of the assistant, one a file; heavy libraries load only when a command needs them."""

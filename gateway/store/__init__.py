"""What is kept: samples, the audit, proposals, accounts, sessions, the alarm journal."""

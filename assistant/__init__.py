"""The assistant: questions, tools, agent, manuals, chat; needs the gateway."""

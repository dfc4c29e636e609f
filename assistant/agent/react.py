"""The LlamaIndex edge: our steps as a ReActAgent with a formatter of its own, our tools as FunctionTools."""

import json
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.agent.react.formatter import ReActChatFormatter
from llama_index.core.agent.react.types import ActionReasoningStep, BaseReasoningStep, ObservationReasoningStep
from llama_index.core.agent.workflow import AgentOutput, AgentWorkflow, ReActAgent, ToolCallResult
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import BaseMemory
from llama_index.core.tools import AsyncBaseTool, BaseTool, FunctionTool, ToolMetadata
from llama_index.core.workflow import Context
from pydantic import Field
from pydantic.warnings import PydanticDeprecationWarning

from assistant.agent.run import Limits, Run
from assistant.agent.toolbox import Toolbox
from assistant.errors import ModelUnavailableError, ToolInputError
from assistant.llm.model import Model
from assistant.session import TurnMemory
from assistant.steps.jsontext import Json
from assistant.tools.base import ToolSpec

OLD_OBSERVATION = 300
"""Characters that are left of an older observation when the prompt gets too long for the model."""
_ANSWER_TOKENS = 600


class CallStep(ActionReasoningStep):
    """A call of this turn, shown to the model as it is to write one."""

    as_json: bool = False

    def get_content(self) -> str:
        """The step in the model's form, arguments as JSON."""
        args = json.dumps(self.action_input, ensure_ascii=False)
        if self.as_json:
            return json.dumps({"thought": self.thought, "action": self.action, "args": self.action_input}, ensure_ascii=False)
        return f"Thought: {self.thought or 'I need this.'}\nAction: {self.action}\nAction Input: {args}"


class StepFormatter(ReActChatFormatter):
    """The fixed system text, then earlier questions and answers, then the question, then this turn's steps and observations."""

    system_text: str
    context_tokens: int = 8192

    def format(
        self, tools: Sequence[BaseTool], chat_history: list[ChatMessage], current_reasoning: list[BaseReasoningStep] | None = None
    ) -> list[ChatMessage]:
        """The messages of the next step. `tools` are not used: the system text names them already, byte for byte the same each time."""
        del tools
        steps = [_message(step) for step in current_reasoning or []]
        messages = [ChatMessage(role=MessageRole.SYSTEM, content=self.system_text), *chat_history, *steps]
        first = len(messages) - len(steps)
        for at in range(first, len(messages) - 2):
            if sum(_tokens(message.content or "") for message in messages) <= self.context_tokens - _ANSWER_TOKENS:
                break
            content = messages[at].content or ""
            if messages[at].role == MessageRole.USER and len(content) > OLD_OBSERVATION:
                messages[at] = ChatMessage(role=MessageRole.USER, content=f"{content[:OLD_OBSERVATION]} ... (shortened)")
        return messages


class StepAgent(ReActAgent):
    """A ReActAgent whose steps are taken by a Run: strict, checked, with no answer before its time."""

    run_state: Any = Field(exclude=True)

    async def take_step(
        self,
        ctx: AgentContext,
        llm_input: list[ChatMessage],
        tools: Sequence[AsyncBaseTool],
        memory: BaseMemory,  # noqa: ARG002 of the interface
    ) -> AgentOutput:
        """Ask for the next call; no call ends the workflow."""
        run: Run = self.run_state
        reasoning: list[BaseReasoningStep] = await ctx.store.get(self.reasoning_key, default=[])
        try:
            call = await run.next_call(self.formatter.format(tools, llm_input, reasoning))
        except ModelUnavailableError as exc:
            run.failure = exc
            call = None
        output = AgentOutput(response=ChatMessage(role=MessageRole.ASSISTANT, content=""), current_agent_name=self.name)
        if call is not None:
            step = CallStep(thought=call.thought, action=call.tool, action_input=call.args, as_json=run.writes_json)
            await ctx.store.set(self.reasoning_key, [*reasoning, step])
            output.tool_calls = [ToolSelection(tool_id=str(len(reasoning)), tool_name=call.tool, tool_kwargs={_ARGS: call.args})]
        return output

    async def handle_tool_call_results(self, ctx: Context, results: list[ToolCallResult], memory: BaseMemory) -> None:  # noqa: ARG002 of the interface
        """Put the observation behind its call."""
        reasoning: list[BaseReasoningStep] = await ctx.store.get(self.reasoning_key, default=[])
        observed = [ObservationReasoningStep(observation=str(result.tool_output.content)) for result in results]
        await ctx.store.set(self.reasoning_key, [*reasoning, *observed])

    async def finalize(self, ctx: Context, output: AgentOutput, memory: BaseMemory) -> AgentOutput:  # noqa: ARG002 of the interface
        """Nothing goes into the memory: the turn's final answer is put there when it is checked."""
        return output


_ARGS = "arguments"
"""All arguments travel under one name, so that none of them can collide with a parameter of the machinery."""


async def drive(run: Run, model: Model, system_text: str, memory: TurnMemory, question: str, limits: Limits) -> None:
    """Take steps until the run has ended or failed; a fresh workflow and context each time. Cancelling this ends them too."""
    formatter = StepFormatter(system_text=system_text, context_tokens=model.context_tokens)
    tools: list[BaseTool | Callable[..., Any]] = [_tool(spec, run.toolbox) for spec in run.toolbox.specs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PydanticDeprecationWarning)  # LlamaIndex looks at every attribute of its agents, old ones too
        agent = StepAgent(name="busmate", description="answers operators", tools=tools, llm=model.llm, formatter=formatter, run_state=run)
        workflow = AgentWorkflow(agents=[agent])
    handler = workflow.run(user_msg=question, memory=memory, max_iterations=limits.steps + 2)
    try:
        async for _ in handler.stream_events():  # awaiting the handler itself would leave a running tool behind when this is cancelled
            pass
        await handler
    finally:
        if not handler.is_done():
            await handler.cancel_run()


def _tool(spec: ToolSpec, toolbox: Toolbox) -> FunctionTool:
    async def call(arguments: dict[str, Json]) -> str:
        observation = await toolbox.call(spec.name, arguments)
        if observation.is_refused:
            raise ToolInputError(observation.text)
        return observation.text

    return FunctionTool(
        async_fn=call,
        metadata=ToolMetadata(name=spec.name, description=spec.description, fn_schema=spec.args, return_direct=spec.ends_turn),
    )


def _message(step: BaseReasoningStep) -> ChatMessage:
    role = MessageRole.USER if isinstance(step, ObservationReasoningStep) else MessageRole.ASSISTANT
    return ChatMessage(role=role, content=step.get_content())


def _tokens(text: str) -> int:
    """Tokens of a text, rather too many: a third of its ASCII, each other character one."""
    ascii_count = sum(sign.isascii() for sign in text)
    return ascii_count // 3 + len(text) - ascii_count

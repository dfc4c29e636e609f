"""What needs no tool: greetings, secrets, what the assistant cannot or may not do."""

from assistant.builtin_llm.asked import Asked, Topic
from assistant.builtin_llm.moves import Answer

_SAID = {
    Topic.TALK: (
        "Hello. Ask me about values, trends, alarms, changes or the manuals of this plant"
        "; I can also propose set-points, which a person then confirms.",
        "您好。您可以问我本站的数值、趋势、报警、更改记录和手册内容；我也可以提出设定值更改的建议，由人员确认后执行。",
    ),
    Topic.HIDDEN: (
        "I can't show that: internal instructions, passwords and keys are not given out here.",
        "我不能提供这些内容：内部指令、密码和密钥不会在这里显示。",
    ),
    Topic.REFUSED: (
        "I cannot shelve, silence or suppress alarms by chat; that is not allowed here. An authorised person does it on the alarm page.",
        "我不能通过对话搁置、屏蔽或消除报警，这里不允许这样做。请由有权限的人员在报警页面上操作。",
    ),
    Topic.LATER: (
        "I cannot plan changes for later or tie them to a condition"
        ". Ask for the change when it is due, and it will be proposed for confirmation.",
        "我不能安排以后执行或按条件执行的更改。请在需要的时候再提出，我会提交建议等人员确认。",
    ),
    Topic.NOTHING: (
        "I can't help with that: I only answer questions about the devices, values, alarms and manuals of this plant.",
        "我无法回答这个问题：我只能回答与本站设备、数值、报警和手册有关的问题。",
    ),
}


def talk(asked: Asked) -> Answer:
    """The fixed words for the topic."""
    english, chinese = _SAID[asked.topic]
    return Answer(asked.pick(english, chinese))

"""How people ask, English and Chinese: the cues by which questions are told apart. No plant is known here."""

import re

SHELVE = re.compile(r"\b(?:shelve|suppress|silence|mute|inhibit)\b|屏蔽|搁置|消音|抑制")
CAUSE = re.compile(r"\bwhy\b|reason|cause|原因|为什么|为何|怎么回事")
RESET = re.compile(r"\breset|clear\b|复位|清除")
ADVICE = re.compile(
    r"\b(?:what (?:should|must|do|can)|how (?:should|do|can)|should i|can i|may i|am i allowed|is it (?:ok|safe|allowed))\b|怎么办"
    r"|应该|能不能"
    r"|可以|能.{0,6}吗|要不要|怎么处理|怎么做|允许"
)
IN_RANGE = re.compile(
    r"\boutside\b|\benough\b|in range|within|normal|too (?:high|low)|exceed|out of|ok\b|okay|allowed|acceptable|超|范围|正常|合格|标准"
    r"|太高|太低"
    r"|偏高|偏低|够"
)
SET_TO = re.compile(
    r"\bset (?:to|at)\b|\bset (?=speed|temperature|value|rate|frequency|level)|设(?:定|置)?(?:成|为|到|在|的是)?了?(?=多少|几)"
)
HIDDEN = re.compile(
    r"system prompt|api[ _-]?key|password|\btokens?\b|secret|credential|your (?:prompt|instructions|rules|config)|提示词|系统指令|密钥"
    r"|密码|口令|令牌"
    r"|内部指令|你的指令|你的规则"
)
TALK = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you.*|good (?:morning|evening|afternoon)|bye|who are you|what can you do.*|help|你好|您好"
    r"|谢谢.*|再见"
    r"|你是谁|你能(?:做|干)什么.*|帮助)\W*$"
)
LATER = re.compile(
    r"^(?:if|when|whenever|once|after|as soon as|in \d+ ?(?:min|h)\w*|tomorrow|at \d\d?:\d\d)\b.*\b(?:stop|start|set|switch|turn|reset"
    r"|raise|lower)\b|\b(?:stop|start|set|switch|turn|reset|raise|lower)\b.*\b(?:when|once|as soon as|if|in \d+ ?min\w*|tomorrow"
    r"|later)\b|(?:如果|等|当|分钟后|小时后|明天|[的到]?时(?:候)?[,，]).*(?:停|开|设|调|复位|启动)"
)
AUDIT = re.compile(
    r"\bwho\b.*\b(?:chang|set|adjust|stop|start|writ|acknowledg|touch|turn|reset|raise|lower|did)|\b(?:last|latest|recent"
    r"|previous) (?:change|write|adjustment|operation|action)"
    r"|\b(?:audit|change log|change history|operation log|logbook)\b|\bwhat (?:was|were|has been|have been|did \w+) (?:changed|adjust"
    r"|set by|written|change)|\b(?:any|list|show|all) (?:the )?(?:changes|writes|operations)"
    r"|\bwhen (?:was|were|did).*\b(?:changed|adjusted|last set|change)\b|\bwhy (?:was|were|did).*\b(?:changed|adjusted|raised|lowered"
    r"|set|change)\b|\b(?:was|were|has|have) .*\b(?:been )?changed\b"
    r"|谁.{0,12}(?:改|调|设|动|停|开|写|确认|操作)|(?:被|是)谁|(?:修改|更改|操作|调整|变更|审计)(?:过|记录|日志|历史)|改过|动过|调过"
    r"|改了什么|改动|上一?次.{0,8}(?:修改|更改|改|调整|操作|设定)"
    r"|最近.{0,8}(?:修改|更改|操作|调整)"
)
ALARM = re.compile(r"\balarms?\b|\balerts?\b|\bwarnings?\b|报警|警报|告警|\bal-?\d+")
ALARM_POINT = re.compile(
    r"alarm (?:setpoint|set point|limit|threshold|status|word|bits?|setting)|high[- ]alarm|low[- ]alarm|高报设?定?|低报设?定?|报警字"
    r"|报警设定|报警(?:上"
    r"|下)?限|报警值"
)
TREND = re.compile(
    r"\btrend|\brising\b|\bfalling\b|going (?:up|down)|\bclimb|\bdropp?(?:ing|ed)\b|\bdevelop|rate of change|how (?:fast"
    r"|quickly) (?:is|are|does|did|has).*(?:fall|ris|drop|chang|climb|empty|emptie|fill|heat|cool|drain|go|grow)|has .* (?:risen"
    r"|fallen|dropped|changed)|\bdid .*(?:rise|fall|drop|change)\b|increas(?:ing|ed)|decreas(?:ing|ed)|stable|steady|趋势|走势|变化"
    r"|在升|在降|上升"
    r"|下降了|升了|降了|涨了|稳定|平稳"
)
REACHES = re.compile(
    r"\bwhen (?:will|is|does|would)|how (?:long|soon|many (?:hours|minutes)) (?:until|till|before|will|to|does it)"
    r"|how long .*\b(?:until|reach|empty|full)\b|什么时候.{0,8}(?:会|能|到|降|升)|何时.{0,8}(?:会|能|到|降|升)|几点.{0,6}(?:会|能|到"
    r"|降|升)|多久.{0,8}(?:到|降|升"
    r"|满|空|会)|还要多久|还有多久|多长时间.{0,6}(?:到|降|升|满|空)"
)
EXCEEDED = re.compile(r"\b(?:above|over|exceed\w*|higher than|more than|beyond|past)\b|超过|高于|大于|超标|超出|超了|在.*以上")
EXTREMES = (
    ("max", re.compile(r"\bmax(?:imum|imal)?\b|\bhighest\b|\bpeak\w*\b|\blargest\b|\btop\b|最大|最高|峰值|顶峰")),
    ("min", re.compile(r"\bmin(?:imum|imal)?\b|\blowest\b|\bsmallest\b|最小|最低|谷值")),
    ("mean", re.compile(r"\baverage[ds]?\b|\bmean\b|平均")),
)
USED = re.compile(
    r"\b(?:use[d]?|consum\w*|import\w*|used up|deliver\w*|pumped|spent)\b|用了|消耗|耗了|用电|耗电|用掉|增加了|减少了|升了多少"
    r"|降了多少|变了多少|by how much did"
)
PAST = re.compile(r"\b(?:was|were|did|has been|have been|had|went)\b|出现|曾|过去|之前|当时|那时")
MANUAL = re.compile(
    r"\bconditions?\b|\bprerequisite|\bcables?\b|\blongest\b|条件|前提|满足|电缆|线缆|最长|\bmanuals\b|(?:the|a|in|user|operating"
    r"|device|its) manual\b|handbook|procedures?\b|\bsop\b|documentation|datasheet|data sheet"
    r"|\bdefault|factory|\bmean(?:s|ing)?\b|\bspec(?:s|ification|ified)?\b"
    r"|\brated\b|\brating|ambient|derat|torque|screws?\b|\bterminals?\b|wiring|\bwires?\b|\bwired?\b|replac|interval|how often"
    r"|\bhow (?:do|can|should|must|would) (?:i|we|you|one)\b|\bhow to\b|what (?:should|must|do) (?:i|we)|what to do"
    r"|instructions?\b|maintenance|\bnotes?\b|\bparameters?\b|\bp\d+-\d+|\bregisters?\b|\baddress|baud|word order|byte order|endian"
    r"|\bct ratio|accuracy|\bclass\b|self-?tun|auto-?tun|\bpid\b|blocking|blind zone|dead zone|\bmount|install"
    r"|calibrat|\bclean|recommend|\brequire|control range|allowed range|permitted|according to|troubleshoot|\bcheck(?: for| when"
    r"| if)?\b.*\b(?:f\d+|fault)|\bf\d\d\b|lifetime|life ?time|\bterminat|protection class|\bguarantee|warranty|\bspare part"
    r"|\bdisplays? (?:when|if)|\bwho (?:must|should|has to|needs to)\b|must be (?:told|informed|notified|done)|\b(?:weight|dimensions?"
    r"|explosion|ip ?\d\d)\b|what (?:happens|does .* (?:do|show|display|use|mean|require|say))"
    r"|手册|说明书|规程|规范|文件|文档|默认|缺省|出厂(?!水)|含义|什么意思|是啥意思|额定(?!.*百分)|环境温度|降额|扭矩|力矩|螺丝|螺钉"
    r"|端子|接线|更换|换一次|多久.{0,6}(?:换|清|检|保养|校)|周期|间隔|怎么(?:做|办"
    r"|处理|设置|接|校|复位|操作|清|调|用|安装|启动|停)|如何|步骤|要求|规定|保养|维护|参数|p\d+-\d+"
    r"|寄存器|地址|波特率|字序|字节序|字节顺序|变比|精度|准确度|自整定|pid|盲区|死区|安装|校准|清洗|清洁|控制范围|允许范围|标准"
    r"|检查什么|断线|应该怎么|应该做什么|注意(?:什么|事项)|(?<![a-z])f\d\d(?!\d)"
    r"|终端电阻|寿命|(?:防护|防爆|绝缘|能效)等级|尺寸|重量|通知谁|谁负责|备件|保修"
)
HEALTH = re.compile(
    r"\bonline\b|\boffline\b|communicat|\brespond|\breachable|\bconnect(?:ed|ion)\b|\bcomms?\b|\banswering\b|(?<!dc )(?<!dc-)\blink\b"
    r"|在线|离线|掉线|断线了"
    r"|通讯(?:正常|状态|中断|情况|好|有)|通信(?:正常|状态|中断|情况)|连(?:得上|接|上了)|有没有响应|通不通"
)
DEVICES = re.compile(
    r"\b(?:what|which|list|show|how many|all)\b.*\b(?:devices|equipment|instruments|units are|meters are)\b|(?:哪些|有什么|列出|几台|多少台"
    r"|所有).{0,6}设备|设备(?:清单|列表)"
)
LIMITS = re.compile(
    r"\b(?:what|which|how (?:high|low|fast|much|far)|max\w*|min\w*|highest|lowest)\b.*\b(?:(?:can|could|may) (?:i|we|you|be|it be)"
    r"|(?:i|we|you|it) (?:can|could|may)(?: be)?) (?:set"
    r"|change|adjust|write|go|raise|put)|\b(?:limits?|allowed values?|range) (?:for|of|on) .*\b(?:setpoint|set point|set-point|speed"
    r"|setting)|(?:能|可以|允许|最[大高低小]).{0,6}(?:设|调|改)(?:定|置)?(?:到|成|为|多少|范围|最)|(?:设定|调节|设置)(?:范围|上限|下限)"
)
CALC = re.compile(r"百分之|percent|%")
LIVE = re.compile(
    r"\bstill\b|\bbefore replace|\b(?:now|currently|right now|at the moment|can (?:i|we)|may (?:i|we)|left|remaining|until|due"
    r"|already)\b|现在|目前|当前|能不能"
    r"|能.{0,8}吗"
    r"|可以.{0,8}吗|超没超|正常吗|还(?:有|能|剩|差)|该.{0,4}了吗|到了吗"
)
CUES = re.compile(
    r"\b(?:how (?:far|much)|by (?:how )?(?:much|many)|degrees?|hz|bar|%) (?:is it |are they |is |are )?off\b|\bis it off\b(?= (?:by"
    r"|from))|\boff (?:its|the|from|by)\b|\brunning (?=at\b)|\b(?:according to|in) (?:the )?(?:manual|procedure|sop|handbook)\b"
    r"|\b(?:the )?(?:manuals?(?! mode)|procedures?|sop|handbook|instructions?|maintenance|notes?|control range|allowed range"
    r"|within range|in range|out of range|range|limits?|spec(?:ification)?s?"
    r"|trend|require[sd]?|allow(?:ed)?|permitted|recommend(?:ed)?|maximum|minimum|max|min|average|mean|peak|compared?|difference"
    r"|differ|ratio|percentage|percent|rated|imbalance|total|sum|combined|degrees|clean(?:ed|ing)?|replac\w*|due|exceed\w*|acceptable"
    r"|okay|safe|used?|consumed?)\b"
    r"|(?:手册|说明书|规程|要求|规定|控制范围|允许范围|范围|标准|趋势|走势|变化|最大|最高|最小|最低|平均|峰值|额定|百分之几|百分之"
    r"|超没超|超过|超标|超了|没超|合格|正常|差多少|相差|不平衡度?|(?:哪个|哪台|哪一台|谁|更"
    r"|最)(?:高|低|大|小|多|少|快|慢|热)|总共|一共|合计|出现的?|怎么办|应该怎么做|应该|原因|处理|清洗|更换|该换|到期)"
)
PLAIN_TALK = re.compile(
    r"\bwrite (?:me )?an?\b|tell me an?\b|who (?:is|was|won)|recommend|price|salary|holiday|vacation|train|flight|hotel|music|chat"
    r"|love|写一|讲个|唱|推荐|多少钱|工资|放假|火车|机票|酒店|音乐|聊天|谁是|翻译|股票|天气|新闻|笑话|电影|比赛|足球|餐|饭|诗|故事"
    r"|旅游|彩票|汇率|总统|stock|weather|news|joke|movie|football"
    r"|soccer|poem|story|recipe|lunch|dinner|lottery|president|capital of|translate|bitcoin|song|birthday|game"
)
WHENEVER = re.compile(
    r"^\W*(?:when|if|in case)\b(?!.*\b(?:now|today|this morning)\b)|^(?!.*(?:现在|今天|上午|下午|昨天)).*(?:时|的时候|如果.*)[,，]"
)
ALARM_ACT = re.compile(r"acknowledg|\back|shelv|确认|搁置|屏蔽")
OVERVIEW = re.compile(
    r"\b(?:everything|all) (?:ok|okay|fine|normal|alright|well|good)\b|\banything (?:wrong|unusual|abnormal|i should know)"
    r"|\bany problems?\b|\boverview\b|status of the (?:plant|station)"
    r"|一切正常|都正常|整体情况|总体情况|有什么(?:异常|问题)|有没有(?:异常|问题)"
)
ASKS = re.compile(r"\b(?:which|what|are|is|list|any|until)\b|哪|有没有|吗|什么|多久|几点|已")
RATED = re.compile(r"\brated\b|额定")
A_RANGE = re.compile(r"range|范围|标准|规|\benough\b|够")
CODE = re.compile(r"(?<![a-z])(?:f\d\d|p\d+-\d+)")
NOW = re.compile(r"\bnow\b|现在|目前|pump \d|\d号")

"""Words of plants in English and Chinese: which words mean the same thing, and which say nothing.

A concept is a lower-case name; a word may carry several (`加药量` is dose and rate). Words of a site's own titles and
aliases need not stand here: they match by themselves.
"""


def blanks(text: str) -> tuple[str, ...]:
    """The words between the blanks."""
    return tuple(text.split())


CONCEPTS: dict[str, tuple[str, str]] = {
    # quantities
    "speed": ("speed,speeds,rpm,frequency,freq,fast,faster,fastest,slower,slowest", "频率,转速,速度"),
    "temperature": ("temperature,temperatures,temp,temps,hot,hotter,hottest,warm,warmer,warmest,cold,colder,coldest,cooler", "温度,多热"),
    "current": ("current,currents,amperage", "电流"),
    "voltage": ("voltage,voltages", "电压"),
    "power": ("power", "功率"),
    "power_factor": ("power factor,powerfactor,pf,cos phi,cosphi", "功率因数,功率因素"),
    "energy": ("energy,electricity", "电能,用电量,用电,耗电量,耗电,电量,用了多少电"),
    "level": ("level,levels,full,fuller,fill,filled,filling,empty,emptying,draining", "液位,水位,料位,液面,多满,空"),
    "height": ("height", "高度"),
    "pressure": ("pressure,pressures", "压力,压强"),
    "flow": ("flow,flows,flowrate,throughput", "流量,出水量,水量"),
    "chlorine": ("chlorine,residual chlorine,cl2", "余氯,氯,氯含量"),
    "fault": (
        "fault,faults,faulted,faulty,error,errors,trip,tripped,wrong,problem,broken,failure,matter",
        "故障,怎么了,怎么回事,毛病,问题,跳闸,出错,异常,错误,坏了",
    ),
    "status": ("status,state,condition", "状态,工况"),
    "mode": ("mode,modes", "模式,方式"),
    "run": ("run,runs,running,operate,operating,turning,working,spinning", "运行,运转,在转,转着,开着"),
    "run_hours": (
        "run hours,running hours,operating hours,hours run,run time,runtime,hour meter,service hours,run time hours",
        "运行小时数,运行小时,运行时间,运行时数,累计运行时间,累计运行,小时数,工时,运行了多少小时",
    ),
    "acceleration": ("acceleration,accelerate,accelerating,accel,ramp,ramp-up", "加速"),
    "time": ("time", "时间"),
    "setpoint": ("setpoint,setpoints,set point,set-point,target,reference,setting,sp", "设定值,设定点,设定,给定值,给定,目标值,目标,设置值"),
    "feedback": ("feedback,actual,actually,measured,measurement,fb,pv,process value", "反馈值,反馈,实际值,实际,测量值,实测"),
    "output": ("output,outputs", "输出"),
    "signal": ("signal,echo", "信号,回波"),
    "quality": ("quality,strength", "质量,强度"),
    "dose": ("dose,doses,dosing,dosed,dosage", "加药,投药,投加,加氯,给药"),
    "rate": ("rate", "速率"),
    "harmonics": ("thd,harmonic,harmonics,distortion", "谐波畸变率,谐波,畸变率,畸变"),
    "imbalance": ("imbalance,unbalance,imbalanced,unbalanced", "不平衡度,不平衡"),
    # things
    "chemical": ("chemical,chemicals,chem,hypochlorite,reagent", "次氯酸钠,药剂,药液,药"),
    "tank": ("tank,tanks,vessel,basin,reservoir", "水池,水罐,箱,罐"),
    "raw_water": ("raw", "原水"),
    "water": ("water", "水"),
    "pump": ("pump,pumps", "水泵,泵"),
    "drive": ("drive,drives,vfd,vfds,inverter,converter", "变频器,变频驱动"),
    "motor": ("motor,motors", "电机,马达,电动机"),
    "heater": ("heater,heating,heat,thermostat", "加热器,加热,温控器,温控,温度控制器,温控仪"),
    "controller": ("controller,controllers", "控制器"),
    "meter": ("meter,meters", "电能表,电表,仪表"),
    "transmitter": ("transmitter,radar,sensor,gauge,probe", "变送器,雷达,液位计,传感器"),
    "grid": ("grid,mains,network", "电网,市电"),
    "bus": ("dc bus,dc link,dc-bus,dc-link,bus,link voltage", "直流母线,母线,直流"),
    "station": ("station", "泵站,站"),
    "outlet": ("outlet,discharge,outflow,delivery", "出水,出口,出厂水"),
    "inlet": ("inlet,suction,intake,inflow", "进水,进口,入口,吸入"),
    "phase": ("phase,phases,three-phase", "三相,各相,每相,相"),
    "l1": ("phase 1,phase a,l1-n", "a相"),
    "l2": ("phase 2,phase b,l2-n", "b相"),
    "l3": ("phase 3,phase c,l3-n", "c相"),
    "batch": ("batch,lot", "批次,批号,批"),
    "name": ("name,names,string", "名称,名字,字符串,名"),
    "tag": ("tag", "位号"),
    # states and modifiers
    "local": ("local,locally", "就地,本地"),
    "remote": ("remote,remotely", "远程,远方,远控"),
    "auto": ("auto,automatic,automatically", "自动"),
    "manual": ("manual,manually,by hand,hand", "手动,手工,人工"),
    "off": ("off", "关闭"),
    "emergency_stop": ("emergency stop,emergency-stop,e-stop,estop,e stop", "急停,紧急停止,紧急停车"),
    "reset": ("reset,resets,clear,zero", "复位,清零,清除,重置"),
    "alarm": ("alarm,alarms,alert,alerts", "报警,警报,告警"),
    "high": ("hi,upper,high limit", "上限,高限"),
    "low": ("lo,low limit", "下限,低限"),
    "total": ("total,overall", "总的,总共,总"),
    "imported": ("imported,import,consumed", "正向"),
    "duty": ("duty,lead,main", "主泵,主用,工作泵"),
    "standby": ("standby,stand-by,spare,backup", "备用"),
    "command": ("command", "命令,指令"),
    "code": ("code,codes", "代码,码"),
}
"""Concept -> (English words, Chinese words), comma separated."""

THINGS = frozenset(
    {
        "pump",
        "drive",
        "motor",
        "tank",
        "heater",
        "meter",
        "transmitter",
        "controller",
        "grid",
        "station",
        "duty",
        "standby",
        "chemical",
        "raw_water",
    }
    | {"water", "outlet", "inlet", "dose", "bus", "batch"}
)
"""Concepts that say whose value is meant rather than which."""

UNITS: dict[str, tuple[str, str, str]] = {
    "Hz": ("speed", "hz,hertz", "赫兹,赫"),
    "degC": ("temperature", "degc,degrees celsius,degrees c,degree,degrees,deg,celsius", "摄氏度,度"),
    "A": ("current", "amps,amp,ampere,amperes,a", "安培,安"),
    "V": ("voltage", "volts,volt,v", "伏特,伏"),
    "kWh": ("energy", "kwh,kilowatt hours,kilowatt-hours,kilowatt hour", "千瓦时,度电"),
    "kW": ("power", "kw,kilowatts,kilowatt", "千瓦"),
    "bar": ("pressure", "bar,bars", "巴"),
    "m3/h": (
        "flow",
        "m3/h,m3/hr,m3h,cubic metres per hour,cubic meters per hour,cubic metres an hour,cubic meters an hour",
        "立方米每小时,立方每小时,方每小时,立方米,立方",
    ),
    "mg/L": ("", "mg/l,ppm,milligrams per litre,milligrams per liter", "毫克每升,毫克"),
    "mL/min": ("rate", "ml/min,ml per minute,millilitres per minute,milliliters per minute,ml a minute,ml", "毫升每分钟,毫升每分,毫升"),
    "%": ("", "%,percent,per cent", "个百分点,百分点"),
    "m": ("height", "metres,meters,metre,meter,m", "米"),
    "h": ("run_hours", "hours,hour,h", "小时"),
    "s": ("", "seconds,second,sec,secs,s", "秒钟,秒"),
    "min": ("", "minutes,minute,mins,min", "分钟"),
}
"""Unit as maps write it -> (concept it speaks of, English forms, Chinese forms)."""

COMPOUNDS: dict[str, tuple[str, ...]] = {
    "加药量": ("dose", "rate"),
    "加药泵": ("dose", "pump"),
    "药箱": ("chemical", "tank"),
    "药罐": ("chemical", "tank"),
    "raw water": ("raw_water", "water"),
    "raw-water": ("raw_water", "water"),
    "水温": ("water", "temperature"),
    "原水": ("raw_water", "water"),
    "原水箱": ("raw_water", "water", "tank"),
    "原水池": ("raw_water", "water", "tank"),
    "水箱": ("water", "tank"),
    "状态字": ("status",),
    "报警字": ("alarm", "status"),
    "高报": ("high", "alarm"),
    "高报警": ("high", "alarm"),
    "高温": ("high", "temperature"),
    "high alarm": ("high", "alarm"),
    "high-alarm": ("high", "alarm"),
    "low alarm": ("low", "alarm"),
    "low-alarm": ("low", "alarm"),
    "低报": ("low", "alarm"),
    "水位高度": ("level", "height"),
    "l1": ("phase", "l1"),
    "一相": ("phase", "l1"),
    "二相": ("phase", "l2"),
    "第一相": ("phase", "l1"),
    "第二相": ("phase", "l2"),
    "第三相": ("phase", "l3"),
    "l2": ("phase", "l2"),
    "l3": ("phase", "l3"),
    "l1相": ("phase", "l1"),
    "l2相": ("phase", "l2"),
    "l3相": ("phase", "l3"),
    "a相": ("phase", "l1"),
    "b相": ("phase", "l2"),
    "c相": ("phase", "l3"),
    "phase 1": ("phase", "l1"),
    "phase 2": ("phase", "l2"),
    "phase 3": ("phase", "l3"),
    "备用泵": ("standby", "pump"),
    "主泵": ("duty", "pump"),
    "工作泵": ("duty", "pump"),
    "液位计": ("level", "transmitter"),
    "温度控制器": ("heater", "controller"),
    "浊度": ("=浊度",),
    "湿度": ("=湿度",),
    "浓度": ("=浓度",),
    "精度": ("=精度",),
    "硬度": ("=硬度",),
    "黏度": ("=黏度",),
}

STOP_EN = frozenset(
    blanks(
        """
a about above across active actual actually after afternoon again against ago ahead all allowed along already also although altogether
am among amongst amount an and another answer any anybody anyone anything anyway anywhere appear appears approximately are aren't
around as asap ask asked asking at average away basically be because been before behave behaves behaving being below besides between
big bigger bit bits boss both but by came can cannot carries carry carrying change changed changes changing check cheers clearly close
closer combined come comes coming compare compared comparison concerning correct could current's currently data decode decoded deliver
delivering delivers describe detail details develop developed developing develops device devices did didn't difference different
display do does doesn't doing don't done down draw drawing draws drive's each earlier early eh eight either else enough entire er
evening ever every everybody everyone everything exact exactly exceed exceeded expect expected explain fairly fall falling false far
fewer figure figures find first five flows folks for four from general generally get getting gimme give give-me gives go goes going
gone good got gotten greater guys had happen happened happening happens has have having he healthy heater's hello help helped helps
here hey hi high higher highest him his history hit hmm hold holding holds hour hours-ago how how's hows huge i i'd i'm if immediately
in indicate info information inside instead interpret into is isn isn't it it's its just keep keeps kept kind kinda kindly know large
larger last late lately later latest least left lemme less let let's level's level-off like list little live long look looking looks
lot lots low lower lowest made make many mate maximum may maybe me mean means meter's might min mind minimum mins minute minutes
moment moment's more morning most motor's much must my near near-to need needed needing needs newest next night nine no nobody nope
normal not nothing now nowhere number numbers of off off-by often ok okay okey on once one ones online only onto or other our out over
pal per per-cent percent perhaps plant's please plenty pls plz point points position possible possibly precise precisely present
presently pressed pretty probably pulling pulls pump's put quantity question quick quickly quite rate-of rather reach reached reaches
read reading readings ready really recent recently regarding related remain remaining report result results right right-now rise
rising roughly said same say says second see seem seems set seven shall she should show showing shows side similar since sir site
sitting situation six small smaller so some somebody someone something somewhere soon sort sorta stand standing stands station's stay
stayed stays still stood stored straight such sum supposed sure ta take tank's team tell ten than thank thanks that that's the their
them then there there's these they they're thing things think third this those though three through thx till to today today's together
told too toward towards translate trend trending true two type typical typically u uh umm under unit units unless until up update
updates upon upto ur urgent urgently us use used using usual usually value values versus very via vs want wanted wants was wasn't we
we're week well went were what what's whatcha whats when where whereas whether which while who whole whose why will wish with within
without wonder wondering word words work worked works would ya yep yes yesterday yet you your
"""
    )
)
"""English words that name nothing measurable."""

STOP_ZH = blanks(
    """
请问 告诉我 给我看 给我 帮我 看一下 看看 查一下 查询 查看 读一下 读取 显示 多少 几度 是不是 有没有 没有 怎么样
怎样 如何 什么时候 什么 哪些 哪个 哪台 哪里 哪 几点 几 为什么 还是 或者 以及 和 与 跟 或 现在 目前 当前 此刻
眼下 这会儿 今天 昨天 上午 下午 早上 晚上 最近 一下 一点 一些 两台 两个 双 所有 全部 分别 各 每 我们 我 你 它
他 这个 这 那个 那 的话 的 了 呢 吗 吧 啊 呀 是 在 有 把 将 被 让 给 到 从 按下 按 比 更 最大 最小 最高
最低 平均 差 相差 对比 比较 值 数值 读数 数 个 台 号 请 要 会 能 可以 应该 不 没 都 也 还 就 再 又 大概
大约 左右 大 小 多 少 超 过 达到 正常 时候 时 小时前 分钟 趋势 变化 额定 百分之 百分比 百分 占 一共 合计
加起来 之和 之间 速度下 按照 照 下来 下去 上来 下 上 里 中 为 等于 点 设备 显 示 具体 情况 讲 说 知道 想
麻烦 谢谢 您好 你好 置位 位 第 最近一次 上一次 大家 麻烦您 到底 究竟 需不需要 需要 是否 算 属于 来着 刚刚 刚才
马上 先 如果 话 怎 样 看 下子 报 师傅 高 低 多高 多低 之前 之后 接近 靠近 偏离 达到没有 使用 用 消耗 请看
帮忙
"""
)
"""Chinese words that name nothing measurable."""

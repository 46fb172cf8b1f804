"""Writes goldens/templates.json: small templates, conversations, and what jinja2 with the usual chat settings makes of them.

  python make-template-goldens.py                            the committed file; needs jinja2
  python make-template-goldens.py --folder DIR --out FILE    the same for every *.jinja of a folder, for the optional test
"""
import argparse, datetime, glob, json, os
import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = datetime.datetime(2024, 7, 26, 13, 5, 9)


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


ENVIRONMENT = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
ENVIRONMENT.filters["tojson"] = tojson
ENVIRONMENT.globals["raise_exception"] = raise_exception
ENVIRONMENT.globals["strftime_now"] = NOW.strftime


def render(template, case):
    variables = {"tools": None, "documents": None, **case.get("variables", {})}
    return ENVIRONMENT.from_string(template).render(
        messages=case["messages"], add_generation_prompt=case.get("add_generation_prompt", True),
        bos_token=case.get("bos_token", "<s>"), eos_token=case.get("eos_token", "</s>"), **variables)


def answer(template, case):
    try:
        return {"expected": render(template, case)}
    except (jinja2.exceptions.TemplateError, TypeError, ValueError, ZeroDivisionError, KeyError, AttributeError,
            IndexError) as error:
        return {"error": type(error).__name__}


SHORT = [{"role": "user", "content": "Hello there"}]
CHAT = [{"role": "system", "content": " You are terse. "}, {"role": "user", "content": "Hi, \"you\" & <b>\n"},
        {"role": "assistant", "content": "<think>hm\nok</think>\n\nYes — né 水 😀"}, {"role": "user", "content": "  bye  "}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "Weather, now.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "description": "a <city>"}, "n": {"type": "integer"}},
    "required": ["city"]}}}]
TOOL_CHAT = CHAT[:2] + [
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a1b2c3d4e", "type": "function", "function": {
        "name": "get_weather", "arguments": {"city": "Köln", "n": 2, "x": 1.5, "y": None, "z": True}}}]},
    {"role": "tool", "name": "get_weather", "tool_call_id": "a1b2c3d4e", "content": "{\"t\": 21}"}]
PARTS = [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]}]

# Values and expressions; each is put between {{ and }}.
EXPRESSIONS = """
1 + 2 * 3 - 4 // 3 + 7 % 4 + 2 ** 5
7 / 2 ~ '|' ~ -7 // 2 ~ '|' ~ -7 % 3 ~ '|' ~ 7.5 // 2 ~ '|' ~ -7.5 % 2 ~ '|' ~ 2 ** -1
1.0 ~ ' ' ~ 0.1 ~ ' ' ~ 1e16 ~ ' ' ~ 1.5e-7 ~ ' ' ~ 123456789.125 ~ ' ' ~ 1e22 ~ ' ' ~ 100000.0 ~ ' ' ~ -2.5 ~ ' ' ~ 3e15
true + 1
True ~ False ~ None ~ none
[1, 'a', "it's", 2.5, none, true, ['x', ('y',)], (), {'k': 'v', 1: 2}]
'a\\n\\t\\x41\\u00e9\\q\\\\\\'' ~ "b\\"'"
['a\\nb\\t\\\\', "q'q", 'w"w', 'é水😀\\x07\\u200b']
'a' 'b' "c"
'abc'[0] ~ 'abc'[-1] ~ 'héllo水'[1] ~ 'abc'[1:] ~ 'abcdef'[::2] ~ 'abcdef'[::-1] ~ 'abcdef'[-3:-1] ~ 'héllo水'[2:5] ~ 'abc'[5:]
[1, 2, 3, 4][1:3] ~ [1, 2, 3][::-1] ~ [1, 2, 3][-2:] ~ (1, 2, 3)[:2]
'abc'[7] is defined
[1, 2][5] is undefined
missing is defined
missing
missing ~ 'x'
missing.attribute
missing + 'a'
missing or 'fallback'
missing | default('d') ~ ('' | default('e')) ~ ('' | default('f', true)) ~ (none | default('g'))
messages[0].nothing is defined
messages[0]['nothing'] is defined
messages[0].content == messages[0]['content']
messages | length
'a' if true else 'b'
'a' if false
('a' if false) is undefined
1 if 0 else 2 if 0 else 3
not true and false or true
not (1 in [1, 2]) ~ (3 not in [1, 2]) ~ ('b' in 'abc') ~ ('k' in {'k': 1})
1 < 2 < 3 and not 1 < 2 < 2
1 == 1.0 ~ (true == 1) ~ ('1' == 1) ~ ([1] == [1.0]) ~ ({'a': 1} == {'a': 1})
'a' < 'b' ~ ('B' < 'a') ~ ([1, 2] < [1, 3])
1 < 'a'
'a' + 1
'a' * 3 ~ [0] * 2
[1] + [2, 3]
'x' ~ 1 ~ 2.0 ~ none ~ [1]
-5 | abs
(1, 2)
1, 2
{'a': {'b': [1, 2, {'c': 3}]}}.a.b[2].c
{'items': 1}['items'] ~ ({'items': 1}.items() | list)
{'b': 1, 'a': 2}.items() | list ~ ({'b': 1, 'a': 2}.keys() | list) ~ ({'b': 1, 'a': 2}.values() | list)
{'a': 1}.get('a') ~ {'a': 1}.get('b') ~ {'a': 1}.get('b', 'c')
{'b': 1, 'a': 2, 'C': 0} | dictsort
{'b': 1, 'a': 2} | dictsort(by='value')
{'b': 1, 'a': 2} | dictsort(reverse=true)
{'a': 1} | items | list
' x y '.strip() ~ '|' ~ ' x '.lstrip() ~ '|' ~ ' x '.rstrip() ~ '|' ~ 'xxaxx'.strip('x') ~ '|' ~ 'xyaxy'.rstrip('yx') ~ '|' ~ '\\n\\na\\n'.lstrip('\\n')
'a,b,,c'.split(',') ~ ' a  b '.split() ~ 'a,b,c'.split(',', 1) ~ 'a,b,c'.rsplit(',', 1) ~ ' a b  c '.split(none, 1)
'a</think>b</think>c'.split('</think>')[-1] ~ 'a</think>b'.split('</think>')[0].rstrip('\\n')
'one\\ntwo\\r\\nthree\\n'.splitlines()
'Hello'.startswith('He') ~ 'Hello'.endswith(('x', 'lo')) ~ 'Hello'.startswith('x')
'hello World-x (y) z1'.title() ~ 'hELLO wORLD'.capitalize() ~ 'Straße é'.upper() ~ 'ÀÉ'.lower()
'hello wORLD-x (yy) z1 it\\'s' | title
'hELLO' | capitalize
'abcabc'.replace('b', 'xx') ~ 'aaa'.replace('a', 'b', 2) ~ 'abc' | replace('c', '') ~ 'ab'.replace('', '-')
'abcabc'.find('c') ~ 'abcabc'.rfind('c') ~ 'abc'.find('x') ~ 'é水c'.find('c') ~ 'abcabc'.count('bc') ~ 'abc'.index('b')
', '.join(['a', 'b']) ~ ['a', 1, none] | join('-') ~ [] | join('x') ~ [{'n': 1}, {'n': 2}] | join(',', attribute='n')
'12'.isdigit() ~ 'a1'.isalpha() ~ 'a1'.isalnum() ~ ' '.isspace() ~ ''.isdigit() ~ 'AB1'.isupper() ~ 'ab'.islower() ~ 'Ab'.islower()
'prefix-a'.removeprefix('prefix-') ~ 'a.txt'.removesuffix('.txt')
'{} and {}'.format('a', 1) ~ '{0}{1}{0}'.format('x', 'y') ~ '{{}}'.format() ~ '{name}'.format(name='n')
'  trim me ' | trim ~ '|' ~ 'UP' | lower ~ 'down' | upper
[3, 1, 2] | sort ~ ['b', 'A', 'c'] | sort ~ [3, 1, 2] | sort(reverse=true) ~ [{'k': 2}, {'k': 1}] | sort(attribute='k')
['b', 'A', 'c'] | sort(case_sensitive=true)
[1, 2, 3] | first ~ [1, 2, 3] | last ~ 'abc' | first ~ [] | first
[1, 2, 2, 'a', 'A'] | unique | list
none | select | list ~ none | map('upper') | list ~ none | selectattr('a', 'eq', 1) | list | length
[1, 5, 3] | max ~ [4, 2] | min ~ [1, 2, 3] | sum ~ [{'v': 1}, {'v': 2}] | sum(attribute='v')
[1, 2, 3] | reverse | list ~ 'abc' | reverse
[1, 2, 3, 4] | select('odd') | list ~ [1, 2, 3, 4] | reject('even') | list ~ [0, 1, ''] | select | list
[1, 2, 3] | select('greaterthan', 1) | list ~ [1, 2, 3] | select('in', [2, 3]) | list ~ ['a', none] | select('string') | list
messages | map(attribute='role') | join(',') ~ ['a', 'b'] | map('upper') | list ~ [[1], [2, 3]] | map('length') | list
messages | selectattr('role', 'equalto', 'user') | list | length ~ messages | rejectattr('role', 'eq', 'user') | list | length
messages | selectattr('nothing') | list ~ (messages | selectattr('content', 'defined') | list | length)
[{'a': {'b': 1}}] | map(attribute='a.b') | list ~ [['x', 'y']] | map(attribute=1) | list ~ [{}] | map(attribute='z', default='d') | list
'3' | int ~ 'x' | int ~ 'x' | int(7) ~ 3.9 | int ~ '3.7' | int ~ ' 4 ' | int ~ '2.5' | float ~ 2 | float ~ 'z' | float
2.567 | round(2) ~ ' ' ~ 2.5 | round ~ ' ' ~ 3.5 | round ~ ' ' ~ 2.1 | round(0, 'ceil') ~ ' ' ~ 2.9 | round(method='floor')
'a\\nb\\n\\nc' | indent ~ '|' ~ 'a\\nb' | indent(2, true) ~ '|' ~ 'a\\n\\nb' | indent(2, blank=true)
{'a': [1, 2.0, true, none, 'é"\\\\\\n\\x01/<>&\\''], 'b': {}, 'c': [], 'd': 1e100} | tojson
{'a': [1, {'b': 2}], 'c': [], 'd': {}} | tojson(indent=2)
{'b': 'é😀\\x7f', 'a': 1} | tojson(ensure_ascii=true, sort_keys=true)
{'a': [1, 2]} | tojson(separators=(',', ':'))
{1: 2, none: 3, true: 4} | tojson
missing | tojson
messages | tojson
1 is number ~ 'a' is string ~ none is none ~ [] is iterable ~ {} is mapping ~ 'a' is sequence ~ 1 is iterable ~ {} is sequence ~ true is boolean ~ 1 is boolean
1 is integer ~ true is integer ~ 1.0 is float ~ 3 is odd ~ 4 is even ~ 9 is divisibleby(3) ~ 9 is divisibleby 2 ~ true is true ~ 1 is true ~ false is false
1 is eq(1) ~ 1 is ne 2 ~ 2 is gt 1 ~ 2 is ge(2) ~ 1 is lt(2) ~ 1 is le 1 ~ 'a' is in ['a'] ~ 1 is not in([1]) ~ none is sameas none ~ 'a' is lower ~ 'A' is upper ~ range is callable
messages is not string and messages is iterable and missing is not defined
range(5) | list ~ range(2, 8, 3) | list ~ range(5, 0, -2) | list
namespace(a=1).a
dict(a=1, b='x')
strftime_now('%d %b %Y %H:%M:%S %A')
'%s' is string
loop is defined
[1, 2, 3].index(2) ~ [1, 1].count(1)
1_000 ~ 'x'
"a" in messages[0]
(messages | first).role
messages[-1:][0].content[:4] ~ messages[::-1][0].role
messages[0].items() | list
1 // 0
'a'.nothing()
5()
[1, 2].append(3)
{'a': 1}.update({'b': 2})
''.__class__
messages.__len__
none.x
[undefined_thing, 1]
none + 'a'
raise_exception('no')
"\\u00e9" ~ '\\101'
((1)) ~ ((1,)) ~ (1, 2,)
[1, 2,] ~ {'a': 1,}
'ab' 'cd' | upper
-1 | abs ~ -'3' | int
2 ** 3 ** 2
1 ~ 2 + 3
'a' ~ 'b' == 'ab'
not 1 == 2
1 + 1 is odd
messages[0]['content'] | length ~ 'é水' | length ~ {'a': 1} | length ~ missing | length
""".strip("\n").split("\n")

STATEMENTS = {
    "white space": "a\n  {% if true %}\n  b\n  {% endif %}\nc\n {%- if true -%}  d  {%- endif %}  \n {{ 1 }}\n{{- 2 -}}\n e {# c #}\n{#- x -#} f\n\n",
    "keeps": "  {%+ if true %}x{%+ endif +%}\n y\n{% if true +%}\nz{% endif %}\n\n",
    "comments": "a {# {{ no }} #}\nb{#\n many\n lines #}\nc {# x #} d",
    "line ends": "a\r\nb\rc{% if true %}\r\nd{% endif %}\r\n",
    "trailing": "x\n\n\n",
    "if": "{% if messages|length > 5 %}a{% elif messages %}b{% else %}c{% endif %}{% if x %}d{% elif y %}e{% else %}f{% endif %}",
    "for": "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.cycle('a', 'b') }} {% else %}none{% endfor %}",
    "for else": "{% for m in [] %}x{% else %}empty{% endfor %}{% for m in missing %}x{% else %}undefined{% endfor %}",
    "for if": "{% for m in messages if m.role == 'user' %}{{ loop.index }}:{{ m.content }}/{{ loop.length }};{% endfor %}",
    "for if else": "{% for m in messages if m.role == 'nobody' %}x{% else %}none{% endfor %}",
    "neighbours": "{% for i in [1, 2, 3] %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem is defined }} {% endfor %}",
    "unpack": "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}{% for a, b in [(1, 2)] %}{{ a + b }}{% endfor %}{% set x, y = 1, 2 %}{{ x }}{{ y }}{% set (p, q) = (3, 4) %}{{ p }}{{ q }}",
    "nested loops": "{% for i in range(3) %}{% for j in range(i) %}{{ i }}{{ j }}{{ loop.depth }}{{ loop.depth0 }} {% endfor %}{{ loop.last }}{% endfor %}",
    "break": "{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "scopes": "{% set x = 1 %}{% for i in range(2) %}{{ x }}{% set x = x + 10 %}{{ x }} {% endfor %}{{ x }}{% if true %}{% set x = 5 %}{% endif %}{{ x }}",
    "namespace": "{% set ns = namespace(n=0, s='') %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% set ns.s = ns.s ~ m.role[0] %}{% endfor %}{{ ns.n }}{{ ns.s }}{% set ns.new = [1] %}{{ ns.new }}{{ ns.missing is defined }}",
    "set block": "{% set x %}a{{ 1 }}b\n{% endset %}[{{ x }}]{% set y | upper | trim %} abc {% endset %}[{{ y }}]{% set z %}{% set inner = 1 %}q{% endset %}{{ inner is defined }}{{ z }}",
    "filter block": "{% filter upper %}a{{ 'b' }}c{% endfilter %}{% filter trim | replace('a', 'x') %} a b {% endfilter %}",
    "macro": "{% macro f(a, b='d', c=none) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(1, c=3) }}{{ f(b='x', a='y') }}{{ f() }}{{ f is callable }}",
    "macro scope": "{% set g = 'G' %}{% macro f(x) %}{{ g }}{{ x }}{{ y is defined }}{% set g = 'local' %}{{ g }}{% endmacro %}{% set g = 'H' %}{% for y in [1] %}{{ f(y) }}{% endfor %}{{ g }}",
    "macro recursion": "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}",
    "macro defaults": "{% macro f(a, b=a ~ '!') %}{{ b }}{% endmacro %}{{ f('x') }}",
    "macro strips": "{%- macro f(x) -%}\n  a{{ x }}\n{%- endmacro -%}\n<{{ f(1) }}>",
    "macro too many": "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}",
    "macro unknown name": "{% macro f(a) %}{% endmacro %}{{ f(q=2) }}",
    "generation": "a{% generation %}b{{ 1 }}{% endgeneration %}c",
    "text looks like tags": "{ { } } %} }} #} {x} {'a': 1}",
    "dict in output": "{{ {'a': {'b': 1}} }}{{ {'a': {}}['a'] }}",
    "raise": "{% if messages[0].role != 'system' %}{{ raise_exception('need a system message') }}{% endif %}",
    "unpack mismatch": "{% for a, b in [(1, 2, 3)] %}{% endfor %}",
    "not iterable": "{% for a in 5 %}{% endfor %}",
    "unclosed": "{% if true %}",
    "unopened": "{% endif %}",
    "broken": "{{ 1 + }}",
    "brackets": "{{ (1 }}",
    "open string": "{{ 'a }}",
    "open tag": "{{ 1",
    "open comment": "{# x",
    "set attribute": "{% set x = {} %}{% set x.a = 1 %}",
    "loop assigned": "{% set loop = 1 %}",
    "time": "{{ strftime_now(\"%Y-%m-%d\") }}",
}

MARKERS = """{%- for message in messages %}
    {%- if loop.first and message.role != 'system' %}
        {{- '<|start|>system\\nYou help.<|end|>\\n' }}
    {%- endif %}
    {{- '<|start|>' + message['role'] + '\\n' + message['content'] | trim + '<|end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start|>assistant\\n' }}{% endif %}"""

HEADERS = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system = "" %}
{%- endif %}
{{- "[head]system[/head]\\n\\n" }}
{%- if tools is not none %}{{- "Environment: ipython\\n" }}{%- endif %}
{{- "Today: " + date_string + "\\n\\n" }}
{%- if tools is not none %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system + "[eot]" }}
{%- for message in messages %}
    {%- if not (message.role == 'tool' or 'tool_calls' in message) %}
        {{- '[head]' + message['role'] + '[/head]\\n\\n'+ message['content'] | trim + '[eot]' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("one call at a time") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '[head]assistant[/head]\\n\\n{"name": "' + call.name + '", "parameters": ' }}
        {{- call.arguments | tojson }}
        {{- "}[eot]" }}
    {%- else %}
        {{- "[head]tool[/head]\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable and message.content is not string %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "[eot]" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '[head]assistant[/head]\\n\\n' }}
{%- endif %}
"""

INSTRUCTIONS = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}
                        {{- '"' + key + '": "' + val + '"' }}
                    {%- else %}
                        {{- '"' + key + '": ' + val|tojson }}
                    {%- endif %}
                    {%- if not loop.last %}
                        {{- ", " }}
                    {%- endif %}
                {%- endfor %}
                {{- "}}" }}
                {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" }}{%- endif %}
            {%- endfor %}
            {{- "[/TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[I] " + system_message + "\\n\\n" + message["content"] + "[/I]" }}
        {%- else %}
            {{- "[I] " + message["content"] + "[/I]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {%- if not tool_call.id is defined or tool_call.id|length != 9 %}
                {{- raise_exception("ids have 9 characters") }}
            {%- endif %}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" + eos_token }}{%- endif %}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- else %}
        {{- raise_exception("only user and assistant: " ~ message.role) }}
    {%- endif %}
{%- endfor %}
"""

THINKING = """{%- if tools %}
    {{- '<|b|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|e|>\\n" }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|b|>' + message.role + '\\n' + content + '<|e|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or (not loop.last and reasoning)) %}
            {{- '<|b|>' + message.role + '\\n<think>\\n' + reasoning.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|b|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}{{- '\\n' }}{%- endif %}
                {%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
                {{- '<tool_call>\\n{"name": "' }}
                {{- tool_call.name }}
                {{- '", "arguments": ' }}
                {%- if tool_call.arguments is string %}{{- tool_call.arguments }}{%- else %}{{- tool_call.arguments | tojson }}{%- endif %}
                {{- '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|e|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|b|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|e|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|b|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

PARTED = """{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}
{% if part.type == 'text' %}{{ part['text'] }}{% elif part.type == 'image' %}<img>{% endif %}
{% endfor %}{% endif %}{% endfor %}"""

FAMILIES = {"markers": MARKERS, "headers": HEADERS, "instructions": INSTRUCTIONS, "thinking": THINKING, "parts": PARTED}
CONVERSATIONS = [{"messages": SHORT}, {"messages": CHAT}, {"messages": CHAT, "add_generation_prompt": False},
                 {"messages": TOOL_CHAT, "variables": {"tools": TOOLS}}, {"messages": PARTS}, {"messages": []},
                 {"messages": SHORT, "variables": {"enable_thinking": False, "date_string": "1 Jan 2000"}},
                 {"messages": [{"role": "assistant", "content": "x"}]}]


def committed():
    cases = []
    for number, expression in enumerate(EXPRESSIONS):
        template = "{{ " + expression + " }}"
        cases.append({"name": f"expression {number}", "template": template, "case": 1, **answer(template, CONVERSATIONS[1])})
    for name, template in STATEMENTS.items():
        cases.append({"name": name, "template": template, "case": 1, **answer(template, CONVERSATIONS[1])})
    for name, template in FAMILIES.items():
        for number, case in enumerate(CONVERSATIONS):
            cases.append({"name": f"{name} {number}", "family": name, "case": number, **answer(template, case)})
    with open(os.path.join(HERE, "goldens", "templates.json"), "w") as f:
        json.dump({"conversations": CONVERSATIONS, "families": FAMILIES, "cases": cases}, f, ensure_ascii=True, indent=0)
        f.write("\n")


def folder(path, out):
    cases, families = [], {}
    for file in sorted(glob.glob(os.path.join(path, "*.jinja"))):
        name = os.path.basename(file)
        with open(file, newline="") as f:
            families[name] = f.read()
        for number, case in enumerate(CONVERSATIONS):
            cases.append({"name": f"{name} {number}", "family": name, "case": number, **answer(families[name], case)})
    with open(out, "w") as f:
        json.dump({"conversations": CONVERSATIONS, "families": families, "cases": cases}, f)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder")
    parser.add_argument("--out")
    options = parser.parse_args()
    folder(options.folder, options.out) if options.folder else committed()

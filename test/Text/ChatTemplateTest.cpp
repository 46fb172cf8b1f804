// The sandbox: budgets, what is refused, and who wrote which byte.
#include "adze/Text/ChatTemplate.h"

#include <gtest/gtest.h>

using namespace adze;

namespace {

ChatInput hello(std::string content = "Hello") {
  ChatInput input;
  input.addMessage("user", content);
  return input;
}

std::vector<TextRun> render(const std::string &source, const ChatInput &input = hello()) {
  Expected<ChatTemplate> chat = ChatTemplate::parse(source);
  EXPECT_TRUE(chat) << chat.status().message();
  Expected<std::vector<TextRun>> runs = chat->render(input);
  EXPECT_TRUE(runs) << runs.status().message();
  return runs ? *runs : std::vector<TextRun>();
}

Status refusal(const std::string &source, const RenderLimits &limits = {}, const ChatInput &input = hello()) {
  Expected<ChatTemplate> chat = ChatTemplate::parse(source);
  return chat ? chat->render(input, limits).status() : chat.status();
}

TextRun fromTemplate(std::string text) { return {std::move(text), TextOrigin::Template}; }
TextRun fromUser(std::string text) { return {std::move(text), TextOrigin::User}; }
using Runs = std::vector<TextRun>;

// B70
TEST(ChatTemplateOrigins, SeparateTheTemplateFromTheUser) {
  EXPECT_EQ(render("<s>{{ messages[0].content }}</s>"),
            (Runs{fromTemplate("<s>"), fromUser("Hello"), fromTemplate("</s>")}));
}

TEST(ChatTemplateOrigins, SurviveEveryOperation) {
  struct Case {
    const char *expression;
    Runs runs;
  } cases[] = {
      {"'<' + messages[0].content + '>'", {fromTemplate("<"), fromUser("Hello"), fromTemplate(">")}},
      {"'<' ~ messages[0].content ~ 1", {fromTemplate("<"), fromUser("Hello"), fromTemplate("1")}},
      {"('<' + messages[0].content + '>')[0:3]", {fromTemplate("<"), fromUser("He")}},
      {"('<' + messages[0].content + '>')[::-1]", {fromTemplate(">"), fromUser("olleH"), fromTemplate("<")}},
      {"('<' + messages[0].content + '>') | upper", {fromTemplate("<"), fromUser("HELLO"), fromTemplate(">")}},
      {"('a' + messages[0].content) | capitalize", {fromTemplate("A"), fromUser("hello")}},
      {"('a ' + messages[0].content) | title", {fromTemplate("A "), fromUser("Hello")}},
      {"('  ' + messages[0].content + '  ') | trim", {fromUser("Hello")}},
      {"messages[0].content.replace('ell', '<x>')", {fromUser("H"), fromTemplate("<x>"), fromUser("o")}},
      {"'a-b'.replace('-', messages[0].content)", {fromTemplate("a"), fromUser("Hello"), fromTemplate("b")}},
      {"messages[0].content.split('l') | join('<s>')", {fromUser("He"), fromTemplate("<s><s>"), fromUser("o")}},
      {"', '.join([messages[0].content, 'x'])", {fromUser("Hello"), fromTemplate(", x")}},
      {"messages[0].content * 2", {fromUser("HelloHello")}},
      {"messages[0].content | list | first", {fromUser("H")}},
      {"messages[0].content.splitlines()[0]", {fromUser("Hello")}},
      {"[messages[0].content]", {fromTemplate("['"), fromUser("Hello"), fromTemplate("']")}},
      {"messages[0].content | tojson", {fromTemplate("\""), fromUser("Hello"), fromTemplate("\"")}},
      {"'{}|'.format(messages[0].content)", {fromUser("Hello"), fromTemplate("|")}},
      {"messages[0].content | default('x')", {fromUser("Hello")}},
      {"messages | map(attribute='content') | join", {fromUser("Hello")}},
      {"messages[0].content | indent(1, true)", {fromTemplate(" "), fromUser("Hello")}},
      {"messages[0].keys() | join", {fromUser("rolecontent")}},
  };
  for (const Case &c : cases)
    EXPECT_EQ(render(std::string("{{ ") + c.expression + " }}"), c.runs) << c.expression;
}

TEST(ChatTemplateOrigins, SurviveBlocksAndMacros) {
  EXPECT_EQ(render("{% set x %}<{{ messages[0].content }}>{% endset %}{{ x }}"),
            (Runs{fromTemplate("<"), fromUser("Hello"), fromTemplate(">")}));
  EXPECT_EQ(render("{% macro f(a) %}<{{ a }}>{% endmacro %}{{ f(messages[0].content) }}"),
            (Runs{fromTemplate("<"), fromUser("Hello"), fromTemplate(">")}));
  EXPECT_EQ(render("{% filter upper %}a{{ messages[0].content }}{% endfilter %}"),
            (Runs{fromTemplate("A"), fromUser("HELLO")}));
}

TEST(ChatTemplateOrigins, EscapedUserTextStaysTheUsers) {
  for (const TextRun &run : render("{{ messages | tojson }}{{ messages }}", hello("<|x|>\n\x01\"'\\")))
    if (run.origin == TextOrigin::Template) {
      EXPECT_EQ(run.text.find_first_of("<|\\\n"), std::string::npos) << run.text;
    }
}

TEST(ChatTemplateOrigins, VariablesOfTheRequestAreTheUsers) {
  ChatInput input = hello();
  input.variables = {{"system", "S"}};
  input.bosToken = "<s>";
  EXPECT_EQ(render("{{ bos_token }}{{ system }}", input), (Runs{fromTemplate("<s>"), fromUser("S")}));
}

// B29
TEST(ChatTemplateLimits, EndNestedLoops) {
  std::string source = "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}{{ a }}"
                       "{% endfor %}{% endfor %}{% endfor %}";
  Status status = refusal(source);
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("steps"), std::string::npos);
}

TEST(ChatTemplateLimits, EndHugeRangesAndTexts) {
  for (const char *source :
       {"{% for a in range(1000000000000) %}{% endfor %}", "{{ 'x' * 1000000000000 }}", "{{ [1] * 1000000000000 }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(64) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x='ab') %}{% for i in range(64) %}{% set ns.x = ns.x.replace('a', ns.x) %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(64) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set x = ('ab' * 1000) * 4000 %}{% for i in range(100000) %}{% if 'q' in x %}{% endif %}{% endfor %}",
        "{% set x = ('ab' * 1000) * 4000 %}{% for i in range(100000) %}{{ x[1:2] }}{% endfor %}",
        "{% set x = ('ab' * 1000) * 4000 %}{% for i in range(100000) %}{{ x | length }}{% endfor %}"})
    EXPECT_EQ(refusal(source).code(), ErrorCode::ResourceExhausted) << source;
}

TEST(ChatTemplateLimits, EndRecursionAndNesting) {
  EXPECT_EQ(refusal("{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}").code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal("{{ " + std::string(10000, '(') + "1" + std::string(10000, ')') + " }}").code(),
            ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal("{{ " + std::string(10000, '[') + "1" + std::string(10000, ']') + " }}").code(),
            ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal("{{ " + std::string(10000, '-') + "1 }}").code(), ErrorCode::ResourceExhausted);
  std::string sum = "1", path = "x", blocks;
  for (int i = 0; i < 10000; ++i) {
    sum += "+1";
    path += ".x";
    blocks += "{% if 1 %}";
  }
  EXPECT_EQ(refusal("{{ " + sum + " }}").code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal("{{ " + path + " }}").code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal(blocks).code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(
      refusal("{% set ns = namespace(x=1) %}{% for i in range(10000) %}{% set ns.x = [ns.x] %}{% endfor %}").code(),
      ErrorCode::ResourceExhausted);
  EXPECT_EQ(refusal("{% set ns = namespace(x=1) %}{% for i in range(10000) %}{% set ns.x = {'a': ns.x} %}{% endfor %}")
                .code(),
            ErrorCode::ResourceExhausted);
  EXPECT_FALSE(refusal(std::string(templateSourceLimit + 1, 'x')).ok());
}

TEST(ChatTemplateLimits, AreTheCallersToChoose) {
  EXPECT_TRUE(refusal("{% for i in range(20) %}x{% endfor %}", {.steps = 200}).ok());
  EXPECT_NE(refusal("{% for i in range(200) %}x{% endfor %}", {.steps = 200}).message().find("200 steps"),
            std::string::npos);
  EXPECT_EQ(refusal("{{ 'x' * 10 }}", {.outputBytes = 9}).code(), ErrorCode::ResourceExhausted);
  EXPECT_TRUE(refusal("{{ 'x' * 9 }}", {.outputBytes = 9}).ok());
}

// Rings of namespaces and macros are legal; they must not leak (the address sanitizer would say so).
TEST(ChatTemplateLimits, RingsAreFreed) {
  EXPECT_TRUE(refusal("{% set a = namespace() %}{% set b = namespace(x=a) %}{% set a.x = b %}"
                      "{% macro f() %}{% endmacro %}{% set a.f = f %}{% for i in [1, 2] %}{% macro g() %}{% endmacro %}"
                      "{% set a.g = g %}{% set a.l = loop %}{% endfor %}")
                  .ok());
}

TEST(ChatTemplateSandbox, ReachesNothingButItsInputs) {
  for (const char *source :
       {"{{ ''.__class__.__mro__ }}", "{{ messages.__class__() }}", "{{ self._TemplateReference__context }}",
        "{{ cycler.__init__.__globals__ }}", "{{ messages.append(1) }}", "{{ messages[0].update({}) }}",
        "{{ messages.clear() }}", "{{ messages[0].pop('role') }}", "{{ config.items() }}", "{{ open('/etc/passwd') }}"})
    EXPECT_FALSE(refusal(source).ok()) << source;
}

TEST(ChatTemplateErrors, NameTheConstructAndTheLine) {
  struct Case {
    const char *source, *part;
    ErrorCode code;
  } cases[] = {
      {"a\n{% include 'x' %}", "line 2: the statement \"include\" is not supported", ErrorCode::Unsupported},
      {"{% import 'x' as y %}", "\"import\"", ErrorCode::Unsupported},
      {"{% raw %}{% endraw %}", "\"raw\"", ErrorCode::Unsupported},
      {"{% frobnicate %}", "\"frobnicate\"", ErrorCode::InvalidInput},
      {"\n\n{{ x | frobnicate }}", "line 3: the filter \"frobnicate\"", ErrorCode::Unsupported},
      {"{{ x is frobnicated }}", "the test \"frobnicated\"", ErrorCode::Unsupported},
      {"{{ f(*args) }}", "arguments by *", ErrorCode::Unsupported},
      {"{% for x in y recursive %}{% endfor %}", "recursive", ErrorCode::Unsupported},
      {"{{ 99999999999999999999 }}", "64 bits", ErrorCode::Unsupported},
      {"{% if a %}", "endif is missing", ErrorCode::InvalidInput},
      {"{% for x y %}", "expected \"in\"", ErrorCode::InvalidInput},
      {"{{ a b }}", "expected }}", ErrorCode::InvalidInput},
      {"{{ 'a }}", "string is not closed", ErrorCode::InvalidInput},
      {"{{ (1] }}", "unexpected ']'", ErrorCode::InvalidInput},
      {"{{ a", "not closed", ErrorCode::InvalidInput},
      {"{{ '\\ud800' }}", "escape", ErrorCode::InvalidInput},
      {"{% break %}", "outside of a loop", ErrorCode::InvalidInput},
      {"\xFF", "not UTF-8", ErrorCode::InvalidInput},
      {"{{ raise_exception('only pairs') }}", "only pairs", ErrorCode::InvalidInput},
      {"\n{{ none.x.y }}", "line 2", ErrorCode::InvalidInput},
      {"{{ 9223372036854775807 + 1 }}", "64 bits", ErrorCode::InvalidInput},
      {"{{ '%s' % 1 }}", "formatting", ErrorCode::Unsupported},
  };
  for (const Case &c : cases) {
    Status status = refusal(c.source);
    EXPECT_EQ(status.code(), c.code) << c.source << ": " << status.message();
    EXPECT_NE(status.message().find(c.part), std::string::npos) << c.source << ": " << status.message();
  }
}

TEST(ChatTemplateErrors, RefuseAConversationThatIsNotUtf8) {
  EXPECT_EQ(refusal("{{ messages }}", {}, hello("\xFF")).code(), ErrorCode::InvalidInput);
}

} // namespace

// Statements.
#include "Parser.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

void Parser::fail(ErrorCode code, uint32_t line, std::string message) {
  if (status.ok())
    status = templateError(code, name, line, std::move(message));
  at = tokens.size() - 1; // nothing more is read
}

std::string Parser::spelled(const Token &token) const {
  switch (token.type) {
  case TokenType::End:
    return "the end of the template";
  case TokenType::BlockBegin:
    return "{%";
  case TokenType::BlockEnd:
    return "%}";
  case TokenType::OutputBegin:
    return "{{";
  case TokenType::OutputEnd:
    return "}}";
  case TokenType::Data:
    return "text";
  default:
    return fmt::format("\"{}\"", token.text);
  }
}

bool Parser::skipOp(std::string_view op) {
  if (!isOp(op))
    return false;
  next();
  return true;
}
bool Parser::skipName(std::string_view word) {
  if (!isName(word))
    return false;
  next();
  return true;
}
void Parser::expectOp(std::string_view op) {
  if (ok() && !skipOp(op))
    fail(ErrorCode::InvalidInput, peek().line, fmt::format("expected \"{}\", found {}", op, spelled(peek())));
}
std::string Parser::expectName(std::string_view what) {
  if (ok() && peek().type != TokenType::Name)
    fail(ErrorCode::InvalidInput, peek().line, fmt::format("expected {}, found {}", what, spelled(peek())));
  return ok() ? next().text : std::string();
}

Expected<Body> Parser::parse() {
  Body body = parseBody({});
  if (!status.ok())
    return status;
  return body;
}

// Everything up to a block that begins with one of `ends` (left unread behind "{%"), or to the end of the template.
Body Parser::parseBody(std::initializer_list<std::string_view> ends) {
  Body body;
  if (++blocks > blockDepthLimit)
    fail(ErrorCode::ResourceExhausted, peek().line, fmt::format("blocks are nested deeper than {}", blockDepthLimit));
  while (ok() && peek().type != TokenType::End) {
    Token token = next();
    auto statement = std::make_unique<Statement>();
    statement->line = token.line;
    if (token.type == TokenType::Data) {
      statement->kind = StatementKind::Text;
      statement->text = Value::string(std::move(token.text));
    } else if (token.type == TokenType::OutputBegin) {
      statement->kind = StatementKind::Output;
      statement->expr = parseTuple(true);
      if (ok() && next().type != TokenType::OutputEnd)
        fail(ErrorCode::InvalidInput, token.line,
             fmt::format("expected }}}}, found {}", spelled(tokens[at ? at - 1 : 0])));
    } else {
      bool end = peek().type == TokenType::Name && std::find(ends.begin(), ends.end(), peek().text) != ends.end();
      if (end) {
        --blocks;
        return body;
      }
      statement = parseStatement();
    }
    if (statement)
      body.push_back(std::move(statement));
  }
  --blocks;
  if (ok() && ends.size())
    fail(ErrorCode::InvalidInput, peek().line,
         fmt::format("the template ends inside a block; {} is missing", *std::prev(ends.end())));
  return body;
}

void Parser::endBlock(std::string_view what) {
  if (ok() && next().type != TokenType::BlockEnd)
    fail(ErrorCode::InvalidInput, peek().line, fmt::format("expected %}} at the end of {}", what));
}

void Parser::unsupportedStatement(const Token &token) {
  constexpr std::string_view known[] = {"include", "import",     "from",  "extends", "block", "call",
                                        "with",    "autoescape", "trans", "raw",     "do",    "debug"};
  bool real = std::find(std::begin(known), std::end(known), token.text) != std::end(known);
  if (real)
    fail(ErrorCode::Unsupported, token.line, fmt::format("the statement \"{}\" is not supported", token.text));
  else
    fail(ErrorCode::InvalidInput, token.line, fmt::format("unknown or misplaced statement {}", spelled(token)));
}

std::unique_ptr<Statement> Parser::parseStatement() {
  Token token = next();
  auto statement = std::make_unique<Statement>();
  statement->line = token.line;
  if (token.type != TokenType::Name) {
    fail(ErrorCode::InvalidInput, token.line, fmt::format("expected a statement, found {}", spelled(token)));
  } else if (token.text == "if") {
    parseIf(*statement);
  } else if (token.text == "for") {
    parseFor(*statement);
  } else if (token.text == "set") {
    parseSet(*statement);
  } else if (token.text == "macro") {
    parseMacro(*statement);
  } else if (token.text == "filter") {
    statement->kind = StatementKind::FilterBlock;
    parseFilterChain(statement->filters, true);
    endBlock("filter");
    statement->body = parseBody({"endfilter"});
    next();
    endBlock("endfilter");
  } else if (token.text == "generation") {
    // Marks the assistant's tokens for training; the text is what it is without the mark.
    statement->kind = StatementKind::Scoped;
    endBlock("generation");
    statement->body = parseBody({"endgeneration"});
    next();
    endBlock("endgeneration");
  } else if (token.text == "break" || token.text == "continue") {
    statement->kind = token.text == "break" ? StatementKind::Break : StatementKind::Continue;
    if (loops == 0)
      fail(ErrorCode::InvalidInput, token.line, fmt::format("\"{}\" outside of a loop", token.text));
    endBlock(token.text);
  } else {
    unsupportedStatement(token);
  }
  return statement;
}

void Parser::parseIf(Statement &statement) {
  statement.kind = StatementKind::If;
  while (ok()) {
    ExprPtr condition = parseTuple(false);
    endBlock("if");
    statement.branches.emplace_back(std::move(condition), parseBody({"elif", "else", "endif"}));
    if (skipName("elif"))
      continue;
    if (skipName("else")) {
      endBlock("else");
      statement.orElse = parseBody({"endif"});
    }
    next();
    endBlock("endif");
    return;
  }
}

Target Parser::parseTarget(bool namespaces) {
  Target target;
  bool parenthesis = skipOp("(");
  target.names.push_back(expectName("a name"));
  if (namespaces && !parenthesis && skipOp(".")) {
    target.attribute = expectName("an attribute of a namespace");
    return target;
  }
  while (ok() && skipOp(",")) {
    target.tuple = true;
    if (peek().type != TokenType::Name)
      break;
    target.names.push_back(expectName("a name"));
  }
  if (parenthesis)
    expectOp(")");
  for (const std::string &word : target.names)
    if (word == "true" || word == "false" || word == "none" || word == "True" || word == "False" || word == "None")
      fail(ErrorCode::InvalidInput, peek().line, fmt::format("\"{}\" cannot be assigned to", word));
  return target;
}

void Parser::parseFor(Statement &statement) {
  statement.kind = StatementKind::For;
  statement.target = parseTarget(false);
  if (ok() && !skipName("in"))
    fail(ErrorCode::InvalidInput, peek().line, fmt::format("expected \"in\", found {}", spelled(peek())));
  statement.expr = parseTuple(false);
  if (skipName("if"))
    statement.test = parseExpression();
  if (isName("recursive"))
    fail(ErrorCode::Unsupported, peek().line, "a recursive loop is not supported");
  endBlock("for");
  ++loops;
  statement.body = parseBody({"else", "endfor"});
  --loops;
  if (skipName("else")) {
    endBlock("else");
    statement.orElse = parseBody({"endfor"});
  }
  next();
  endBlock("endfor");
}

void Parser::parseSet(Statement &statement) {
  statement.target = parseTarget(true);
  if (skipOp("=")) {
    statement.kind = StatementKind::Set;
    statement.expr = parseTuple(true);
    endBlock("set");
    return;
  }
  statement.kind = StatementKind::SetBlock;
  parseFilterChain(statement.filters, false);
  endBlock("set");
  statement.body = parseBody({"endset"});
  next();
  endBlock("endset");
}

void Parser::parseFilterChain(std::vector<ExprPtr> &filters, bool leading) {
  if (leading)
    filters.push_back(parseFilter(nullptr));
  while (ok() && skipOp("|"))
    filters.push_back(parseFilter(nullptr));
}

void Parser::parseMacro(Statement &statement) {
  statement.kind = StatementKind::Macro;
  statement.name = expectName("the name of the macro");
  expectOp("(");
  while (ok() && !isOp(")")) {
    if (!statement.parameters.empty())
      expectOp(",");
    std::string parameter = expectName("a parameter");
    ExprPtr fallback;
    if (skipOp("="))
      fallback = parseExpression();
    else if (!statement.parameters.empty() && statement.parameters.back().second)
      fail(ErrorCode::InvalidInput, peek().line, "a parameter without a default follows one with a default");
    statement.parameters.emplace_back(std::move(parameter), std::move(fallback));
  }
  expectOp(")");
  endBlock("macro");
  uint32_t outer = std::exchange(loops, 0);
  statement.body = parseBody({"endmacro"});
  loops = outer;
  next();
  endBlock("endmacro");
}

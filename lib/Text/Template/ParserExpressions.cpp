// Expressions, in the order of precedence of the language.
#include "Parser.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

ExprPtr Parser::make(ExprKind kind, uint32_t line) {
  auto node = std::make_unique<Expr>();
  node->kind = kind;
  node->line = line;
  return node;
}

ExprPtr Parser::done(ExprPtr node) {
  for (const ExprPtr &child : node->children)
    if (child)
      node->depth = std::max(node->depth, child->depth + 1);
  for (const auto &[key, child] : node->named)
    node->depth = std::max(node->depth, child->depth + 1);
  if (node->depth > exprDepthLimit)
    fail(ErrorCode::ResourceExhausted, node->line,
         fmt::format("an expression is nested deeper than {}", exprDepthLimit));
  return node;
}

// One or more expressions with commas between: a single one is itself.
ExprPtr Parser::parseTuple(bool conditional) {
  uint32_t line = peek().line;
  ExprPtr first = parseExpression(conditional);
  if (!ok() || !isOp(","))
    return first;
  ExprPtr tuple = make(ExprKind::Tuple, line);
  tuple->children.push_back(std::move(first));
  while (ok() && skipOp(",")) {
    TokenType type = peek().type;
    if (type == TokenType::BlockEnd || type == TokenType::OutputEnd || isOp(")"))
      break;
    tuple->children.push_back(parseExpression(conditional));
  }
  return done(std::move(tuple));
}

ExprPtr Parser::parseExpression(bool conditional) {
  if (++nesting > exprDepthLimit)
    fail(ErrorCode::ResourceExhausted, peek().line,
         fmt::format("an expression is nested deeper than {}", exprDepthLimit));
  ExprPtr node = ok() ? parseOr() : make(ExprKind::Constant, peek().line);
  while (ok() && conditional && isName("if")) {
    uint32_t line = next().line;
    ExprPtr choice = make(ExprKind::Conditional, line);
    choice->children.push_back(std::move(node));
    choice->children.push_back(parseOr());
    choice->children.push_back(skipName("else") ? parseExpression() : nullptr);
    node = done(std::move(choice));
  }
  --nesting;
  return node;
}

ExprPtr Parser::parseOr() {
  ExprPtr left = parseAnd();
  while (ok() && isName("or")) {
    ExprPtr node = make(ExprKind::Or, next().line);
    node->children.push_back(std::move(left));
    node->children.push_back(parseAnd());
    left = done(std::move(node));
  }
  return left;
}

ExprPtr Parser::parseAnd() {
  ExprPtr left = parseNot();
  while (ok() && isName("and")) {
    ExprPtr node = make(ExprKind::And, next().line);
    node->children.push_back(std::move(left));
    node->children.push_back(parseNot());
    left = done(std::move(node));
  }
  return left;
}

ExprPtr Parser::parseNot() {
  uint32_t count = 0, line = peek().line;
  while (ok() && isName("not")) {
    next();
    ++count;
  }
  ExprPtr node = parseCompare();
  for (uint32_t i = 0; ok() && i < std::min(count, 2 + count % 2); ++i) { // not not not x is not x
    ExprPtr negation = make(ExprKind::Not, line);
    negation->children.push_back(std::move(node));
    node = done(std::move(negation));
  }
  return node;
}

ExprPtr Parser::parseCompare() {
  uint32_t line = peek().line;
  ExprPtr first = parseSum();
  ExprPtr node;
  while (ok()) {
    std::string op;
    if (isName("in")) {
      op = "in";
    } else if (isName("not") && isName("in", 1)) {
      next();
      op = "not in";
    } else if (peek().type == TokenType::Operator) {
      for (std::string_view one : {"==", "!=", "<=", ">=", "<", ">"})
        if (isOp(one))
          op = one;
    }
    if (op.empty())
      break;
    next();
    if (!node) {
      node = make(ExprKind::Compare, line);
      node->children.push_back(std::move(first));
    }
    node->operators.push_back(op);
    node->children.push_back(parseSum());
  }
  return node ? done(std::move(node)) : std::move(first);
}

ExprPtr Parser::parseSum() {
  ExprPtr left = parseConcat();
  while (ok() && (isOp("+") || isOp("-"))) {
    Token op = next();
    ExprPtr node = make(ExprKind::Binary, op.line);
    node->name = op.text;
    node->children.push_back(std::move(left));
    node->children.push_back(parseConcat());
    left = done(std::move(node));
  }
  return left;
}

ExprPtr Parser::parseConcat() {
  uint32_t line = peek().line;
  ExprPtr first = parseProduct();
  if (!ok() || !isOp("~"))
    return first;
  ExprPtr node = make(ExprKind::Concat, line);
  node->children.push_back(std::move(first));
  while (ok() && skipOp("~"))
    node->children.push_back(parseProduct());
  return done(std::move(node));
}

ExprPtr Parser::parseProduct() {
  ExprPtr left = parsePower();
  while (ok() && (isOp("*") || isOp("/") || isOp("//") || isOp("%"))) {
    Token op = next();
    ExprPtr node = make(ExprKind::Binary, op.line);
    node->name = op.text;
    node->children.push_back(std::move(left));
    node->children.push_back(parsePower());
    left = done(std::move(node));
  }
  return left;
}

ExprPtr Parser::parsePower() {
  ExprPtr left = parseUnary();
  while (ok() && isOp("**")) {
    ExprPtr node = make(ExprKind::Binary, next().line);
    node->name = "**";
    node->children.push_back(std::move(left));
    node->children.push_back(parseUnary());
    left = done(std::move(node));
  }
  return left;
}

ExprPtr Parser::parseUnary(bool filters) {
  if (++nesting > exprDepthLimit)
    fail(ErrorCode::ResourceExhausted, peek().line,
         fmt::format("an expression is nested deeper than {}", exprDepthLimit));
  ExprPtr node;
  if (ok() && (isOp("-") || isOp("+"))) {
    Token sign = next();
    node = make(sign.text == "-" ? ExprKind::Negate : ExprKind::Plus, sign.line);
    node->children.push_back(parseUnary(false));
    node = done(std::move(node));
  } else {
    node = parsePrimary();
  }
  if (ok())
    node = parsePostfix(std::move(node));
  if (ok() && filters)
    node = parseFilters(std::move(node));
  --nesting;
  return node;
}

ExprPtr Parser::parsePrimary() {
  if (!ok())
    return make(ExprKind::Constant, peek().line);
  Token token = next();
  ExprPtr node = make(ExprKind::Constant, token.line);
  switch (token.type) {
  case TokenType::Name:
    if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False") {
      node->constant = Value::boolean(token.text[0] == 't' || token.text[0] == 'T');
    } else if (token.text == "none" || token.text == "None") {
      node->constant = Value::none();
    } else {
      node->kind = ExprKind::Name;
      node->name = token.text;
    }
    return node;
  case TokenType::String: {
    std::string text = token.text;
    while (peek().type == TokenType::String)
      text += next().text;
    node->constant = Value::string(std::move(text));
    return node;
  }
  case TokenType::Integer: {
    int64_t value = 0;
    auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc())
      fail(ErrorCode::Unsupported, token.line, fmt::format("the number {} has over 64 bits", token.text));
    node->constant = Value::integer(value);
    return node;
  }
  case TokenType::Float: {
    double value = 0;
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    node->constant = Value::number(value);
    return node;
  }
  case TokenType::Operator:
    if (token.text == "(") {
      if (skipOp(")"))
        return make(ExprKind::Tuple, token.line);
      node = parseTuple(true);
      expectOp(")");
      return node;
    }
    if (token.text == "[")
      return parseListLiteral();
    if (token.text == "{")
      return parseDictLiteral();
    [[fallthrough]];
  default:
    fail(ErrorCode::InvalidInput, token.line, fmt::format("expected an expression, found {}", spelled(token)));
    return node;
  }
}

ExprPtr Parser::parseListLiteral() {
  ExprPtr list = make(ExprKind::List, peek().line);
  while (ok() && !isOp("]")) {
    if (!list->children.empty())
      expectOp(",");
    if (isOp("]"))
      break;
    list->children.push_back(parseExpression());
  }
  expectOp("]");
  return done(std::move(list));
}

ExprPtr Parser::parseDictLiteral() {
  ExprPtr dict = make(ExprKind::Dict, peek().line);
  while (ok() && !isOp("}")) {
    if (!dict->children.empty())
      expectOp(",");
    if (isOp("}"))
      break;
    dict->children.push_back(parseExpression());
    expectOp(":");
    dict->children.push_back(parseExpression());
  }
  expectOp("}");
  return done(std::move(dict));
}

ExprPtr Parser::parsePostfix(ExprPtr node) {
  while (ok()) {
    if (isOp(".")) {
      uint32_t line = next().line;
      ExprPtr attribute = make(ExprKind::Attribute, line);
      attribute->children.push_back(std::move(node));
      if (peek().type == TokenType::Integer) { // x.0
        attribute->kind = ExprKind::Index;
        attribute->children.push_back(parsePrimary());
      } else {
        attribute->name = expectName("a name behind \".\"");
      }
      node = done(std::move(attribute));
    } else if (isOp("[")) {
      node = parseSubscript(std::move(node));
    } else if (isOp("(")) {
      ExprPtr call = make(ExprKind::Call, peek().line);
      call->children.push_back(std::move(node));
      parseArguments(*call);
      node = done(std::move(call));
    } else {
      break;
    }
  }
  return node;
}

ExprPtr Parser::parseSubscript(ExprPtr node) {
  ExprPtr access = make(ExprKind::Index, next().line);
  access->children.push_back(std::move(node));
  ExprPtr first;
  if (!isOp(":"))
    first = parseExpression();
  access->children.push_back(std::move(first));
  if (ok() && isOp(":")) {
    access->kind = ExprKind::Slice;
    for (int part = 0; part < 2; ++part) {
      ExprPtr bound;
      if (skipOp(":") && !isOp(":") && !isOp("]"))
        bound = parseExpression();
      access->children.push_back(std::move(bound));
    }
  }
  if (isOp(","))
    fail(ErrorCode::Unsupported, peek().line, "an index of several values is not supported");
  expectOp("]");
  return done(std::move(access));
}

void Parser::parseArguments(Expr &call) {
  expectOp("(");
  bool first = true;
  while (ok() && !isOp(")")) {
    if (!first)
      expectOp(",");
    first = false;
    if (isOp(")"))
      break;
    if (isOp("*") || isOp("**"))
      fail(ErrorCode::Unsupported, peek().line, "arguments by * or ** are not supported");
    if (peek().type == TokenType::Name && isOp("=", 1)) {
      std::string key = next().text;
      next();
      call.named.emplace_back(std::move(key), parseExpression());
    } else {
      if (!call.named.empty())
        fail(ErrorCode::InvalidInput, peek().line, "an argument without a name follows one with a name");
      call.children.push_back(parseExpression());
    }
  }
  expectOp(")");
}

ExprPtr Parser::parseFilters(ExprPtr node) {
  while (ok()) {
    if (skipOp("|")) {
      node = parseFilter(std::move(node));
    } else if (isName("is")) {
      next();
      node = parseTest(std::move(node));
    } else if (isOp("(")) {
      node = parsePostfix(std::move(node));
    } else {
      break;
    }
  }
  return node;
}

// `node` is null where the filter takes the text of a block.
ExprPtr Parser::parseFilter(ExprPtr node) {
  ExprPtr filter = make(ExprKind::Filter, peek().line);
  filter->name = expectName("the name of a filter");
  filter->filter = findFilter(filter->name);
  if (ok() && !filter->filter)
    fail(ErrorCode::Unsupported, filter->line, fmt::format("the filter \"{}\" is not supported", filter->name));
  filter->children.push_back(std::move(node));
  if (ok() && isOp("("))
    parseArguments(*filter);
  return done(std::move(filter));
}

ExprPtr Parser::parseTest(ExprPtr node) {
  ExprPtr test = make(ExprKind::Test, peek().line);
  test->negated = skipName("not");
  test->name = expectName("the name of a test");
  test->test = findTest(test->name);
  if (ok() && !test->test)
    fail(ErrorCode::Unsupported, test->line, fmt::format("the test \"{}\" is not supported", test->name));
  test->children.push_back(std::move(node));
  TokenType type = peek().type;
  if (ok() && isOp("(")) {
    parseArguments(*test);
  } else if (ok() && (type == TokenType::String || type == TokenType::Integer || type == TokenType::Float ||
                      isOp("[") || isOp("{") ||
                      (type == TokenType::Name && !isName("else") && !isName("or") && !isName("and") && !isName("is") &&
                       !isName("if") && !isName("in") && !isName("not") && !isName("recursive")))) {
    test->children.push_back(parsePostfix(parsePrimary()));
  }
  return done(std::move(test));
}

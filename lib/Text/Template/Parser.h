// Parser.h: tokens to a tree. Recursive descent with bounded depth; anything that is not understood is an error here.
#ifndef ADZE_TEXT_TEMPLATE_PARSER_H
#define ADZE_TEXT_TEMPLATE_PARSER_H

#include "Ast.h"
#include "Lexer.h"

#include "adze/Support/Status.h"

namespace adze::tmpl {

inline constexpr uint32_t exprDepthLimit = 250;
inline constexpr uint32_t blockDepthLimit = 40;

class Parser {
public:
  Parser(std::vector<Token> tokens, std::string_view name) : tokens(std::move(tokens)), name(name) {}
  Expected<Body> parse();

private:
  // Statements.
  Body parseBody(std::initializer_list<std::string_view> ends);
  std::unique_ptr<Statement> parseStatement();
  void parseIf(Statement &statement);
  void parseFor(Statement &statement);
  void parseSet(Statement &statement);
  void parseMacro(Statement &statement);
  void parseFilterChain(std::vector<ExprPtr> &filters, bool leading);
  Target parseTarget(bool namespaces);
  void endBlock(std::string_view what);
  void unsupportedStatement(const Token &token);

  // Expressions.
  ExprPtr parseTuple(bool conditional);
  ExprPtr parseExpression(bool conditional = true);
  ExprPtr parseOr();
  ExprPtr parseAnd();
  ExprPtr parseNot();
  ExprPtr parseCompare();
  ExprPtr parseSum();
  ExprPtr parseConcat();
  ExprPtr parseProduct();
  ExprPtr parsePower();
  ExprPtr parseUnary(bool filters = true);
  ExprPtr parsePrimary();
  ExprPtr parsePostfix(ExprPtr node);
  ExprPtr parseFilters(ExprPtr node);
  ExprPtr parseFilter(ExprPtr node);
  ExprPtr parseTest(ExprPtr node);
  ExprPtr parseSubscript(ExprPtr node);
  void parseArguments(Expr &call);
  ExprPtr parseListLiteral();
  ExprPtr parseDictLiteral();

  // Tokens and nodes.
  const Token &peek(size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  Token next() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool isOp(std::string_view op, size_t ahead = 0) const {
    return peek(ahead).type == TokenType::Operator && peek(ahead).text == op;
  }
  bool isName(std::string_view word, size_t ahead = 0) const {
    return peek(ahead).type == TokenType::Name && peek(ahead).text == word;
  }
  bool skipOp(std::string_view op);
  bool skipName(std::string_view word);
  void expectOp(std::string_view op);
  std::string expectName(std::string_view what);
  std::string spelled(const Token &token) const;
  ExprPtr make(ExprKind kind, uint32_t line);
  // Closes a node whose children are there: sets its depth.
  ExprPtr done(ExprPtr node);
  void fail(ErrorCode code, uint32_t line, std::string message);
  bool ok() const { return status.ok(); }

  std::vector<Token> tokens;
  std::string name;
  size_t at = 0;
  uint32_t nesting = 0, blocks = 0, loops = 0;
  Status status;
};

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_PARSER_H

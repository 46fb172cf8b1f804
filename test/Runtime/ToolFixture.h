// ToolFixture.h: `adze` as a program over the toy model, for tests of what people type and see.
#ifndef ADZE_TEST_RUNTIME_TOOLFIXTURE_H
#define ADZE_TEST_RUNTIME_TOOLFIXTURE_H

#include "FakeArtifact.h"

#include "adze/Support/Json.h"

#include <cstdlib>
#include <sstream>
#include <sys/wait.h>

namespace adze::test {
struct Outcome {
  int code = -1;
  std::string out, err;
};

// One artifact and the tool. The script answers "abc" with "xyz", then ends.
struct ToolTest : testing::Test {
  ToolTest() {
    model.answerAbcWithXyz();
    model.follow(']', 'q'); // never: the last character of the template is the user's
  }

  std::string artifact() {
    if (!written)
      model.write(path);
    written = true;
    return path;
  }

  /// `environment` stands in front of the program's name: "NAME=value ".
  Outcome adze(const std::string &arguments, const std::string &input = "", const std::string &environment = "") {
    std::string out = model.folder.file("out"), err = model.folder.file("err"), in = model.folder.file("in");
    putFile(in, input);
    std::string line = environment + ADZE_TOOL + " " + arguments + " <" + in + " >" + out + " 2>" + err;
    int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, takeFile(out), takeFile(err)};
  }
  Outcome run(const std::string &arguments, const std::string &input = "") {
    return adze("run " + artifact() + " " + arguments, input);
  }

  FakeModel model;
  std::string path = model.folder.file("model.adze");
  bool written = false;
};

inline Json parse(const std::string &text) {
  Expected<Json> json = parseJson(text, "output");
  EXPECT_TRUE(json.ok()) << text;
  return json ? *json : Json();
}
inline std::vector<Json> parseLines(const std::string &text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(parse(line));
  return lines;
}
inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
} // namespace adze::test
#endif

// Rendered text equals jinja2's with the settings that chat templates are written for.
#include "GoldenFiles.h"

#include "adze/Text/ChatTemplate.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

ChatInput conversation(const OrderedJson &source) {
  ChatInput input;
  input.messages = source["messages"];
  input.addGenerationPrompt = source.value("add_generation_prompt", true);
  input.variables = source.value("variables", OrderedJson::object());
  input.bosToken = "<s>";
  input.eosToken = "</s>";
  input.now.tm_year = 124; // Friday, 26 July 2024, 13:05:09
  input.now.tm_mon = 6;
  input.now.tm_mday = 26;
  input.now.tm_wday = 5;
  input.now.tm_hour = 13;
  input.now.tm_min = 5;
  input.now.tm_sec = 9;
  return input;
}

struct Tally {
  int equal = 0, unsupported = 0;
};

void compareAll(const OrderedJson &golden, bool allowUnsupported, Tally &tally) {
  for (const OrderedJson &entry : golden["cases"]) {
    std::string name = entry["name"];
    std::string source = entry.contains("template")
                             ? entry["template"].get<std::string>()
                             : golden["families"][entry["family"].get<std::string>()].get<std::string>();
    Expected<ChatTemplate> parsed = ChatTemplate::parse(source);
    Status status = parsed.status();
    std::string text;
    if (parsed) {
      Expected<std::vector<TextRun>> runs =
          parsed->render(conversation(golden["conversations"][entry["case"].get<size_t>()]));
      status = runs.status();
      if (runs)
        text = joinRuns(*runs);
    }
    bool refused = !status.ok();
    if (refused && allowUnsupported && status.code() == ErrorCode::Unsupported) {
      ++tally.unsupported;
      std::printf("  %s: %s\n", name.c_str(), status.message().c_str());
      continue;
    }
    if (entry.contains("error")) {
      EXPECT_TRUE(refused) << name << ": " << source.substr(0, 300) << "\nrendered " << testing::PrintToString(text)
                           << "\nwhere the reference raises " << entry["error"];
    } else {
      EXPECT_FALSE(refused) << name << ": " << source.substr(0, 300) << "\n" << status.message();
      if (!refused) {
        EXPECT_EQ(text, entry["expected"].get<std::string>()) << name << ": " << source.substr(0, 300);
      }
    }
    ++tally.equal;
  }
}

TEST(ChatTemplateGoldens, EqualTheReferenceLibrary) {
  Tally tally;
  compareAll(readJsonFile("goldens/templates.json"), false, tally);
  EXPECT_GT(tally.equal, 190);
}

// Optional: what make-template-goldens.py --folder made of a folder of real templates.
TEST(ChatTemplateGoldens, RealTemplatesEqualTheReferenceLibrary) {
  std::string file = ADZE_REAL_TEMPLATES;
  if (file.empty())
    GTEST_SKIP() << "configure with -DADZE_REAL_TEMPLATES=FILE, made by make-template-goldens.py --folder";
  Tally tally;
  compareAll(OrderedJson::parse(readFile(file)), true, tally);
  std::printf("%d renderings compared, %d refused as unsupported\n", tally.equal, tally.unsupported);
}

} // namespace

#include "CompiledModel.h"

#include "adze/Runtime/Artifact/CpuFeatures.h"
#include "adze/Support/Hash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace adze::test {
namespace {

/// Holds a file lock while it lives, so that two test processes do not make one artifact at the same time.
class FileLock {
public:
  explicit FileLock(const std::string &path) : file(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    flock(file, LOCK_EX);
  }
  ~FileLock() { close(file); }

private:
  int file;
};

std::string shortHash(const std::string &text) { return hashText(text).substr(0, 16); }

/// What changes when a file or folder does: names, sizes and times.
std::string stateOf(const std::string &path) {
  std::string state;
  auto add = [&](const fs::path &file) {
    state += file.string() + ":" + std::to_string(fs::file_size(file)) + ":" +
             std::to_string(fs::last_write_time(file).time_since_epoch().count()) + ";";
  };
  if (!fs::is_directory(path)) {
    add(path);
    return state;
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(path))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files)
    add(file);
  return state;
}

/// A folder of models and artifacts that another machine made (CompiledModel.h), or empty.
std::string preparedFolder() {
  const char *folder = std::getenv("ADZE_PREPARED");
  return folder ? folder : "";
}

} // namespace

std::string runCommand(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) {
    ADD_FAILURE() << "cannot start " << command;
    return "";
  }
  std::string output;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, count);
  int status = pclose(pipe);
  EXPECT_EQ(status, 0) << command << "\n" << output;
  return output;
}

std::string tinyModel(const std::string &flags, const std::string &container) {
  std::string prepared = preparedFolder(), folder = prepared.empty() ? ADZE_ARTIFACTS : prepared;
  fs::create_directories(folder);
  std::string name =
      folder + "/model-" + shortHash(flags + container + (prepared.empty() ? stateOf(ADZE_WRITE_MODEL) : ""));
  std::string path = container == "gguf" ? name + ".gguf" : name;
  FileLock lock(name + ".lock");
  if (!fs::exists(path) && (prepared.empty() || fs::exists(ADZE_WRITE_MODEL))) {
    std::string unfinished = container == "gguf" ? name + "-unfinished.gguf" : name + "-unfinished";
    fs::remove_all(unfinished);
    runCommand(std::string(ADZE_WRITE_MODEL) + " " + flags + " --container " + container + " -o " + unfinished);
    fs::rename(unfinished, path);
  }
  return path;
}

std::string compiledModel(const std::string &model, const std::string &wanted) {
  std::string prepared = preparedFolder(), folder = prepared.empty() ? ADZE_ARTIFACTS : prepared, options = wanted;
  if (const char *level = std::getenv("ADZE_TEST_LEVEL"); level && options.find("--cpu") == std::string::npos)
    options += std::string(" --cpu=") + level;
  fs::create_directories(folder);
  std::string key = prepared.empty() ? options + stateOf(model) + stateOf(ADZE_COMPILE_PROGRAM)
                                     : options + fs::path(model).filename().string();
  std::string name = folder + "/" + shortHash(key);
  FileLock lock(name + ".lock");
  if (!fs::exists(name + ".adze"))
    runCommand(std::string(ADZE_COMPILE_PROGRAM) + " " + model + " -o " + name + ".adze " + options +
               " --kernel-cache=" ADZE_ARTIFACTS "/kernels");
  return name + ".adze";
}

std::shared_ptr<const Artifact> openArtifact(const std::string &path) {
  auto artifact = Artifact::open(path);
  if (!artifact) {
    ADD_FAILURE() << artifact.status().debugString();
    return nullptr;
  }
  return *artifact;
}

std::string smolLm2File() { return fs::exists(ADZE_SMOLLM2_FILE) ? ADZE_SMOLLM2_FILE : ""; }

/// What `adze-compile --list-cpus` prints: asked once for each state of the compiler, for each test is a process.
static std::string listOfLevels() {
  fs::create_directories(ADZE_ARTIFACTS);
  std::string name = std::string(ADZE_ARTIFACTS) + "/levels-" + shortHash(stateOf(ADZE_COMPILE_PROGRAM));
  FileLock lock(name + ".lock");
  if (!fs::exists(name)) {
    std::ofstream(name + ".unfinished") << runCommand(std::string(ADZE_COMPILE_PROGRAM) + " --list-cpus");
    fs::rename(name + ".unfinished", name);
  }
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> machineLevels() {
  if (const char *level = std::getenv("ADZE_TEST_LEVEL"))
    return {level};
  std::vector<std::string> levels;
  std::string printed = listOfLevels();
  size_t start = 0;
  while (start < printed.size()) {
    size_t end = std::min(printed.find('\n', start), printed.size());
    std::string line = printed.substr(start, end - start);
    if (line.ends_with(" (this machine runs it)"))
      levels.push_back(line.substr(0, line.find(' ')));
    start = end + 1;
  }
  EXPECT_FALSE(levels.empty()) << printed;
  return levels;
}

} // namespace adze::test

// The program in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace kiln {

namespace fs = std::filesystem;

struct Result {
  int exit_code;
  std::string out;  // both streams
};

// A folder of its own for every test, with a small model in it.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = root_ / ("kiln-cli-" + std::to_string(getpid()) + "-" + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("small.toml", R"(title = "small"
mcs = 40
[lattice]
size = [40, 40]
[types.cell]
volume = {target = 30, lambda = 2}
perimeter = {target = 60, lambda = 0.1}
act = {lambda = 20, max = 8}
persistence = {lambda = 4, dt = 3}
[adhesion]
cell.cell = 5
cell.medium = 8
[[initial]]
kind = "boxes"
type = "cell"
box = [5, 5]
spacing = [8, 8]
[measure]
every = 4
cells_every = 10
[[pictures]]
name = "view"
width = 120
every = 10
animation = true
)");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string read(const fs::path& path) const {
    std::ifstream file(folder_ / path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  Result kiln(const std::string& arguments) const {
    return shell(std::string(KILN_BINARY) + " " + arguments);
  }
  Result shell(const std::string& command) const {
    std::FILE* pipe = popen(("cd '" + folder_.string() + "' && exec 2>&1 && " + command).c_str(), "r");
    std::string out;
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
  }
  // Starts it and does not wait; what it says goes to the file `log`.
  pid_t spawn(std::vector<std::string> arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder_.c_str()) != 0) _exit(9);
    ::signal(SIGHUP, SIG_DFL);  // which nohup would have it ignore
    if (std::freopen("log", "w", stdout) == nullptr || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(9);
    std::vector<char*> words = {const_cast<char*>("kiln")};
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    execv(KILN_BINARY, words.data());
    _exit(9);
  }
  static bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
  }
  // Whether it has written a file; false where it ended without.
  bool has_written(pid_t child, const std::string& file) const {
    while (!fs::exists(folder_ / file)) {
      if (has_ended(child)) return fs::exists(folder_ / file);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  // Waits for it to end; -1 where a signal ended it.
  static int exit_code_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static std::string value(const std::string& json, const std::string& key) {
    const std::size_t at = json.find("\"" + key + "\":");
    if (at == std::string::npos) return "";
    std::size_t begin = json.find_first_not_of(" \"", at + key.size() + 3);
    return json.substr(begin, json.find_first_of(",}\"\n", begin) - begin);
  }

  fs::path root_ = fs::temp_directory_path();
  fs::path folder_;
};

}  // namespace kiln

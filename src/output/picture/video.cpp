#include "output/picture/video.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "output/picture/png.hpp"
#include "output/picture/yuv.hpp"

extern char** environ;

namespace kiln {
namespace {

// A program that takes frames on its standard input. It is started without a shell.
class FrameSink {
 public:
  explicit FrameSink(std::vector<std::string> words) {
    errors_ = std::tmpfile();
    int ends[2];
    if (errors_ == nullptr || pipe2(ends, O_CLOEXEC) != 0) {
      problem_ = std::strerror(errno);
      return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors_), STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error = posix_spawnp(&child_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    input_ = ends[1];
    if (error == 0) return;
    child_ = -1;
    problem_ = error == ENOENT ? "ffmpeg is not installed" : fmt::format("ffmpeg: {}", std::strerror(error));
  }
  ~FrameSink() {
    wait();
    if (errors_ != nullptr) std::fclose(errors_);
  }
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;

  // False once the program has ended.
  bool put(const std::vector<uint8_t>& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(input_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += std::size_t(count);
    }
    return true;
  }

  bool has_started() const { return child_ > 0; }
  // Empty where all went well.
  std::string finish() {
    if (!problem_.empty()) return problem_;
    const int status = wait();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    char line[200] = "";
    std::rewind(errors_);
    if (std::fgets(line, sizeof line, errors_) != nullptr) line[std::strcspn(line, "\n")] = 0;
    return fmt::format("ffmpeg failed{}{}", line[0] != 0 ? ": " : "", line);
  }

 private:
  int wait() {
    if (input_ >= 0) close(input_);
    input_ = -1;
    int status = 0;
    if (child_ > 0)
      while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
      }
    child_ = -1;
    return status;
  }

  pid_t child_ = -1;
  int input_ = -1;
  std::FILE* errors_ = nullptr;
  std::string problem_;
};

// A program that ends early must not take this one with it.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{};
    if (sigismember(&before_, SIGPIPE) == 0)
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

std::vector<std::string> ffmpeg_words(const PngParts& first, double seconds,
                                      const std::vector<std::string>& codec, const std::string& path) {
  std::vector<std::string> words = {
      "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
      // Frames come as the video has them: ffmpeg takes longer to convert them than to compress them.
      "-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size",
      fmt::format("{}x{}", even_size(first.width), even_size(first.height)), "-framerate",
      fmt::format("1000/{}", std::max(1, int(seconds * 1000 + 0.5))), "-i", "pipe:0", "-an"};
  words.insert(words.end(), codec.begin(), codec.end());
  for (const char* word :
       {"-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709",
        "-color_trc", "iec61966-2-1", "-movflags", "+faststart", "-f", "mp4"})
    words.emplace_back(word);
  words.push_back("file:" + path);
  return words;
}

// Empty where all went well.
std::string encode(const AnimationWriter& animation, const PngParts& first,
                   const std::vector<std::string>& codec, const std::filesystem::path& path) {
  FrameSink sink(ffmpeg_words(first, animation.seconds_per_frame(), codec, path.string()));
  for (int i = 0; i < animation.frames() && sink.has_started(); ++i) {
    const std::optional<PngParts> frame = animation.frame(i);
    if (!frame || frame->width != first.width || frame->height != first.height) continue;
    if (!sink.put(yuv_of(decode_png(png_file(*frame))).planes)) break;
  }
  return sink.finish();
}

}  // namespace

std::optional<std::string> write_mp4(const AnimationWriter& animation, const std::filesystem::path& path) {
  std::optional<PngParts> first;
  for (int i = 0; i < animation.frames() && !first; ++i) first = animation.frame(i);
  if (!first) return "there are no frames";
  const NoBrokenPipe guard;
  try {
    write_atomically(path, [&](const std::filesystem::path& temporary) {
      std::string problem =
          encode(animation, *first, {"-c:v", "libx264", "-preset", "ultrafast", "-crf", "18"}, temporary);
      if (!problem.empty() && problem != "ffmpeg is not installed")
        problem = encode(animation, *first, {"-q:v", "2"}, temporary);  // a codec of its own, without libx264
      if (!problem.empty()) throw Failure(problem);
    });
  } catch (const Failure& e) {
    return e.what();
  } catch (const UserError& e) {  // a still that is damaged
    return e.what();
  }
  return std::nullopt;
}

}  // namespace kiln

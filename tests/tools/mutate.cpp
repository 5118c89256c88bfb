// SPDX-License-Identifier: Apache-2.0
//
// tigon-mutate: compiles programs that differ from good ones by a few letters, words or lines. What
// a user may get wrong must give a message, whatever it is: no signal, no hang.
//
//     tigon-mutate --count=2000 --seed=1 tests/dialect/spelling/*.mlir
//
// Each compilation has a process of its own, which is told apart by how it ends. A failure is kept
// as a file in --keep. Exit status 1 if there was one.
#include "compiler/Compiler.h"
#include "dialect/Session.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Arguments {
  std::vector<std::string> seeds;
  unsigned count = 100;
  uint64_t seed = 1;
  double seconds = 10;
  std::vector<std::string> targets = {"cpu", "sm_90"};
  std::string keep = std::filesystem::temp_directory_path() / "tigon-mutate";
};

class Mutator {
public:
  Mutator(std::vector<std::string> texts, uint64_t seed) : texts(std::move(texts)), random(seed) {}

  std::string next() {
    std::string text = pick(texts);
    for (size_t changes = 1 + below(3); changes > 0; --changes)
      change(text);
    return text;
  }

private:
  size_t below(size_t bound) { return bound ? random() % bound : 0; }
  const std::string &pick(const std::vector<std::string> &from) { return from[below(from.size())]; }

  /// Begins and ends of words: letters and digits, or one other character.
  std::vector<std::pair<size_t, size_t>> findWords(const std::string &text) {
    std::vector<std::pair<size_t, size_t>> words;
    auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t i = 0; i < text.size();) {
      size_t end = i + 1;
      while (isLetter(text[i]) && end < text.size() && isLetter(text[end]))
        ++end;
      if (!std::isspace(static_cast<unsigned char>(text[i])))
        words.push_back({i, end});
      i = end;
    }
    return words;
  }

  std::pair<size_t, size_t> pickLine(const std::string &text) {
    size_t at = below(text.size());
    size_t begin = text.rfind('\n', at ? at - 1 : 0);
    begin = begin == std::string::npos ? 0 : begin + 1;
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    return {begin, std::max(begin, end)};
  }

  void change(std::string &text) {
    if (text.empty())
      return;
    auto words = findWords(text);
    if (words.empty())
      return;
    auto [begin, end] = words[below(words.size())];
    auto [otherBegin, otherEnd] = words[below(words.size())];
    std::string other = text.substr(otherBegin, otherEnd - otherBegin);
    static const std::vector<std::string> numbers = {"0",
                                                     "1",
                                                     "-1",
                                                     "2",
                                                     "3",
                                                     "31",
                                                     "32",
                                                     "64",
                                                     "1024",
                                                     "1048576",
                                                     "2097152",
                                                     "2147483647",
                                                     "4294967296",
                                                     "9223372036854775807",
                                                     "18446744073709551616"};
    static const std::vector<std::string> types = {"i1",  "i8",   "i16",   "i32",     "i64",
                                                   "f16", "bf16", "f32",   "f64",     "f8E5M2",
                                                   "i7",  "i128", "index", "f8E4M3FN"};
    switch (below(9)) {
    case 0: // a word for another
    case 1:
      text.replace(begin, end - begin, other);
      break;
    case 2: // a number
    case 3: {
      std::vector<std::pair<size_t, size_t>> found;
      for (auto [from, to] : words)
        if (std::isdigit(static_cast<unsigned char>(text[from])))
          found.push_back({from, to});
      if (!found.empty())
        std::tie(begin, end) = found[below(found.size())];
      text.replace(begin, end - begin, pick(numbers));
      break;
    }
    case 4: { // a type, everywhere or once
      const std::string &from = pick(types), &to = pick(types);
      size_t at = text.find(from);
      for (bool everywhere = below(2); at != std::string::npos;
           at = everywhere ? text.find(from, at + to.size()) : std::string::npos)
        text.replace(at, from.size(), to);
      break;
    }
    case 5: // a word less
      text.erase(begin, end - begin);
      break;
    case 6: { // a line less, or twice
      auto [first, last] = pickLine(text);
      std::string line = text.substr(first, last - first);
      below(2) ? text.erase(first, line.size()) : text.insert(first, line);
      break;
    }
    case 7: { // two lines swapped
      auto [first, last] = pickLine(text);
      std::string line = text.substr(first, last - first);
      text.erase(first, line.size());
      text.insert(text.empty() ? 0 : pickLine(text).first, line);
      break;
    }
    default: // any byte
      text[below(text.size())] = char(below(256));
    }
  }

  std::vector<std::string> texts;
  std::mt19937_64 random;
};

/// How a compilation of `text` ends: "compiled", "refused", or what must not be.
std::string compileApart(const std::string &text, const std::string &target, double seconds) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    rlimit none = {0, 0}, memory = {uint64_t(4) << 30, uint64_t(4) << 30};
    rlimit time = {rlim_t(seconds) + 1, rlim_t(seconds) + 2}; // should we be gone
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
    (void)!freopen("/dev/null", "w", stderr);
    auto module = tigon::Module::parse(text, "mutant.ttir");
    if (!module)
      _exit(module.error().message.empty() ? 3 : 1);
    tigon::CompileOptions options;
    options.target = target;
    options.kernel = module->kernels().front();
    auto compiled = tigon::compile(*module, options);
    if (!compiled)
      _exit(compiled.error().message.empty()                      ? 3
            : compiled.error().code == tigon::ErrorCode::Internal ? 4
                                                                  : 1);
    _exit(0);
  }
  if (child < 0)
    return "no process";
  auto start = std::chrono::steady_clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "hang";
    }
    usleep(1000);
  }
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  switch (WEXITSTATUS(status)) {
  case 0:
    return "compiled";
  case 1:
    return "refused";
  case 3:
    return "refused without a word";
  case 4:
    return "refused as our own fault";
  default:
    return fmt::format("exit status {}", WEXITSTATUS(status));
  }
}

int run(const Arguments &arguments) {
  std::vector<std::string> texts;
  for (const std::string &path : arguments.seeds) {
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (tigon::Module::parse(text, path))
      texts.push_back(std::move(text));
  }
  if (texts.empty()) {
    std::fprintf(stderr, "tigon-mutate: found no seed that parses\n");
    return 1;
  }
  Mutator mutator(std::move(texts), arguments.seed);
  std::map<std::string, unsigned> endings;
  bool failed = false;
  for (unsigned i = 0; i < arguments.count; ++i) {
    std::string text = mutator.next();
    const std::string &target = arguments.targets[i % arguments.targets.size()];
    std::string ending = compileApart(text, target, arguments.seconds);
    ++endings[ending];
    if (ending == "compiled" || ending == "refused")
      continue;
    failed = true;
    std::filesystem::create_directories(arguments.keep);
    std::string path = fmt::format("{}/{}-{}.ttir", arguments.keep, arguments.seed, i);
    std::ofstream(path, std::ios::binary) << text;
    std::printf("%s: %s for %s\n", path.c_str(), ending.c_str(), target.c_str());
  }
  for (auto &[ending, count] : endings)
    std::printf("%6u %s\n", count, ending.c_str());
  return failed;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compile programs with mistakes in them", "tigon-mutate");
  Arguments arguments;
  app.add_option("SEED", arguments.seeds, "good programs; those that do not parse are left out")
      ->required();
  app.add_option("--count", arguments.count, "mutants (100)");
  app.add_option("--seed", arguments.seed, "of the random numbers (1)");
  app.add_option("--seconds", arguments.seconds, "that a compilation may take (10)");
  app.add_option("--targets", arguments.targets, "cpu,sm_90, in turns")
      ->allow_extra_args(false)
      ->delimiter(',');
  app.add_option("--keep", arguments.keep, "folder for mutants that fail");
  CLI11_PARSE(app, argc, argv);
  return run(arguments);
}

// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/Inputs.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

namespace tigon::cli {
namespace {

Error failFile(const char *what, const std::string &path, int number) {
  return fail(ErrorCode::Unavailable,
              fmt::format("cannot {} '{}': {}", what, path, std::strerror(number)));
}

Result<std::string> readText(const std::string &path) {
  bool isStandard = path == "-";
  FILE *opened = isStandard ? stdin : std::fopen(path.c_str(), "rb");
  if (!opened)
    return failFile("read", path, errno);
  std::unique_ptr<FILE, int (*)(FILE *)> file(opened, isStandard ? std::fflush : std::fclose);
  struct stat status;
  if (!fstat(fileno(opened), &status) && S_ISDIR(status.st_mode)) // opens, but cannot be read
    return failFile("read", path, EISDIR);
  std::string text;
  char bytes[1 << 16];
  for (size_t count; (count = std::fread(bytes, 1, sizeof(bytes), opened)) > 0;)
    text.append(bytes, count);
  if (std::ferror(opened))
    return failFile("read", path, errno);
  return text;
}

Result<PlanOptions> readPlan(const std::string &text) {
  PlanOptions plan;
  const std::pair<const char *, int *> fields[] = {
      {"warps", &plan.warps}, {"cluster", &plan.cluster}, {"strip", &plan.strip},
      {"ctas", &plan.ctas},   {"stages", &plan.stages},   {"hold", &plan.hold}};
  for (const std::string &word : splitWords(text, ',')) {
    size_t equals = std::min(word.find('='), word.size());
    std::string name = word.substr(0, equals);
    const char *begin = word.data() + std::min(equals + 1, word.size());
    int *field = nullptr;
    for (auto &[known, place] : fields)
      if (name == known)
        field = place;
    int value = 0;
    auto [stop, status] = std::from_chars(begin, word.data() + word.size(), value);
    if (!field || status != std::errc() || stop != word.data() + word.size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("--plan: found '{}', expected warps=N, strip=N, cluster=N, ctas=N, "
                              "stages=N or hold=N, with commas between",
                              word));
    *field = value;
  }
  return plan;
}

} // namespace

std::vector<std::string> splitWords(const std::string &text, char separator) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Result<Module> readModule(const std::string &path) {
  auto text = readText(path);
  if (!text)
    return text.error();
  return Module::parse(*text, path == "-" ? "<stdin>" : path);
}

Result<void> writeOutput(const std::string &path, const std::string &bytes) {
  FILE *file = path.empty() ? stdout : std::fopen(path.c_str(), "wb");
  if (!file)
    return failFile("write", path, errno);
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  written &= std::fflush(file) == 0;
  int number = errno;
  if (file != stdout && std::fclose(file))
    written = false;
  if (!written && file == stdout && number == EPIPE) // the reader has seen enough
    return {};
  if (!written)
    return failFile("write", path.empty() ? "standard output" : path, number);
  return {};
}

void CompileFlags::add(CLI::App &command) {
  command.add_option("--kernel", options.kernel, "the kernel, if the file holds several");
  command.add_option("--plan", plan,
                     "warps=8,strip=2048,cluster=1,ctas=2,stages=1: what the planner would decide");
  command.add_option(
      "--strips", options.strips,
      "auto; off; a number of steps for every tile that splits so; each: a loop an op");
  command.add_option("--contract", contract, "on (default) or off: fuse multiplies and adds");
  command.add_flag("--fast-math", options.fastMath, "Triton's forms of exp and division");
  command.add_option("--ptx-version", options.ptxVersion,
                     "PTX ISA version times ten (85 for 8.5); default: the lowest that will do");
  command.add_flag("--verify-each", options.verifyEach, "verify the IR after every pass");
}

Result<CompileOptions> CompileFlags::read() const {
  CompileOptions result = options;
  if (contract != "on" && contract != "off")
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--contract: found '{}', expected on or off", contract));
  result.contract = contract == "on";
  auto parsed = readPlan(plan);
  if (!parsed)
    return parsed.error();
  result.plan = *parsed;
  return result;
}

} // namespace tigon::cli

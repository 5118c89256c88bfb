// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/bench/Peers.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tigon::bench {

using nlohmann::json;

namespace {

class Peer : public Contestant {
public:
  Peer(Peers &peers, std::string label) : peers(peers), label(std::move(label)) {}
  std::string name() const override { return label; }
  Result<double> milliseconds() override {
    auto answer = peers.ask({{"run", label}});
    if (!answer)
      return answer.error();
    return answer->value("milliseconds", 0.0);
  }

private:
  Peers &peers;
  std::string label;
};

} // namespace

Result<std::unique_ptr<Peers>> Peers::start(const std::string &python, const std::string &script) {
  int toChild[2], fromChild[2];
  if (pipe(toChild) || pipe(fromChild))
    return fail(ErrorCode::Unavailable, fmt::format("no pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, toChild[0], 0);
  posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1);
  for (int end : {toChild[0], toChild[1], fromChild[0], fromChild[1]})
    posix_spawn_file_actions_addclose(&actions, end);
  std::string words[] = {python, script};
  char *arguments[] = {words[0].data(), words[1].data(), nullptr};
  auto peers = std::unique_ptr<Peers>(new Peers);
  int status = posix_spawnp(&peers->process, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(toChild[0]);
  close(fromChild[1]);
  peers->requests = fdopen(toChild[1], "w");
  peers->answers = fdopen(fromChild[0], "r");
  if (status) {
    peers->process = -1;
    return fail(ErrorCode::Unavailable, fmt::format("cannot start '{}': {}; --python names another",
                                                    python, std::strerror(status)));
  }
  return peers;
}

Peers::~Peers() {
  if (requests)
    std::fclose(requests); // which ends it
  if (answers)
    std::fclose(answers);
  if (process > 0)
    waitpid(process, nullptr, 0);
}

Result<json> Peers::ask(const json &request) {
  std::string line = request.dump() + "\n";
  if (std::fputs(line.c_str(), requests) < 0 || std::fflush(requests))
    return fail(ErrorCode::Unavailable, "the peers' process has ended");
  std::string text;
  for (int byte; (byte = std::fgetc(answers)) != EOF && byte != '\n';)
    text += char(byte);
  json answer = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object())
    return fail(ErrorCode::Unavailable,
                text.empty() ? "the peers' process has ended: what it printed is above"
                             : fmt::format("the peers' process said '{}'", text));
  if (answer.contains("error"))
    return fail(ErrorCode::Unavailable, "peers: " + answer["error"].get<std::string>());
  return answer;
}

Result<std::vector<std::unique_ptr<Contestant>>>
Peers::prepare(const Arena &arena, const Case &at, const std::vector<std::string> &against,
               std::map<std::string, std::string> &notTimed) {
  json tensors = json::array();
  for (const Operand &operand : arena.operands)
    tensors.push_back({{"name", operand.name},
                       {"dtype", dtypeName(operand.dtype)},
                       {"shape", operand.shape},
                       {"holds", operand.holds}});
  const DeviceProperties &properties = arena.device.properties();
  auto answer = ask({{"case",
                      {{"name", at.name},
                       {"dtype", dtypeName(at.dtype)},
                       {"rows", at.rows},
                       {"n", at.n},
                       {"tensors", tensors}}},
                     {"against", against},
                     {"sets", arena.sets.size()},
                     {"runs", arena.runs},
                     {"threads", properties.processors},
                     {"device", properties.name}});
  if (!answer)
    return answer.error();
  for (const auto &[what, why] : (*answer)["not_timed"].items())
    notTimed[what] = why;
  std::vector<std::unique_ptr<Contestant>> contestants;
  for (const json &name : (*answer)["ready"])
    contestants.push_back(std::make_unique<Peer>(*this, name));
  return contestants;
}

} // namespace tigon::bench

// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>

namespace tigon::conform {
namespace {

std::string quoted(const std::string &text) {
  std::string json = "\"";
  for (unsigned char c : text)
    if (c == '"' || c == '\\')
      json += fmt::format("\\{}", char(c));
    else if (c < 0x20 || c >= 0x7f)
      json += fmt::format("\\u{:04x}", c);
    else
      json += char(c);
  return json + "\"";
}

/// What messages of one kind have in common.
std::string kindOf(const std::string &message) {
  static const std::regex place("(^|: )[^ ]*:[0-9]+:[0-9]+: "), numbers("[0-9]+"),
      named("'[^']*(0x|%)[^']*'");
  std::string kind = std::regex_replace(message, place, "$1");
  kind = std::regex_replace(kind, named, "'...'");
  kind = std::regex_replace(kind, numbers, "N");
  return kind.size() > 160 ? kind.substr(0, 160) + "..." : kind;
}

bool isFault(const std::string &step, const std::string &result) {
  return result.starts_with("crash") || result.starts_with("disagrees") ||
         (result.starts_with("timeout") && step != "interpret") ||
         (step == "round-trip" && result != "ok") ||
         (step.starts_with("assemble") && result != "ok");
}

std::string whyNotCompared(const Outcome &outcome) {
  std::string interpreted = outcome.step("interpret");
  if (auto stated = outcome.step("not-compared"); !stated.empty())
    return stated;
  if (outcome.step("parse") != "ok")
    return "does not parse";
  if (interpreted.starts_with("timeout"))
    return "too large for the interpreter's budget";
  if (!interpreted.empty() && interpreted != "ok")
    return kindOf(interpreted);
  if (auto outside = outcome.step("outside"); !outside.empty())
    return "outside tier 1: " + outside;
  for (auto &[step, result] : outcome.texts)
    if (step.starts_with("compare:"))
      return kindOf(result);
  return "no comparison ran";
}

bool wasCompared(const Outcome &outcome) {
  return std::any_of(outcome.texts.begin(), outcome.texts.end(), [](const auto &text) {
    return text.first.starts_with("compare:") &&
           (text.second == "ok" || text.second.starts_with("disagrees"));
  });
}

} // namespace

std::string toJson(const Case &task, const Outcome &outcome) {
  std::string json =
      fmt::format("{{\"folder\": {}, \"text\": {}", quoted(task.folder), quoted(task.file));
  if (task.launch)
    json += fmt::format(", \"kernel\": {}, \"grid\": [{}, {}, {}]", quoted(task.launch->kernel),
                        task.launch->grid[0], task.launch->grid[1], task.launch->grid[2]);
  for (auto &[key, value] : outcome.texts)
    json += fmt::format(", {}: {}", quoted(key), quoted(value));
  for (auto &[key, value] : outcome.numbers)
    json += fmt::format(", {}: {:.10g}", quoted(key), value);
  return json + "}";
}

void Summary::add(const Case &task, const Outcome &outcome) {
  ++cases;
  bool comparing = false;
  for (auto &[step, result] : outcome.texts) {
    comparing |= step == "not-compared" || step.starts_with("compare:");
    if (step == "outside" || step == "not-compared")
      continue;
    addStep(step, result, outcome);
    if (isFault(step, result))
      faults.push_back(fmt::format("{}/{}: {}: {}", task.folder, task.file, step, result));
  }
  for (auto &[key, value] : outcome.numbers)
    numbers[key].push_back(value);
  if (wasCompared(outcome)) {
    ++compared;
    auto run = outcome.numbers.find("programs-run"), all = outcome.numbers.find("programs");
    slices += run != outcome.numbers.end() && run->second < all->second;
  } else if (comparing || outcome.step("parse") != "ok") {
    ++notCompared[whyNotCompared(outcome)];
  }
}

void Summary::addStep(const std::string &name, const std::string &result, const Outcome &outcome) {
  Step &step = steps[name];
  if (result == "ok") {
    ++step.ok;
    return;
  }
  std::string outside = outcome.step("outside");
  bool isLater = !outside.empty() && (name.starts_with("compile") || result.starts_with("not c"));
  ++step.others[isLater ? "outside tier 1: " + kindOf(result) : kindOf(result)];
}

std::string Summary::text() const {
  std::string table = fmt::format("{} kernels\n\n{:<16} {:>6} {:>6}\n", cases, "step", "ok", "not");
  for (auto &[name, step] : steps) {
    int others = 0;
    for (auto &[message, count] : step.others)
      others += count;
    table += fmt::format("{:<16} {:>6} {:>6}\n", name, step.ok, others);
  }
  for (auto &[name, step] : steps) {
    std::vector<std::pair<int, std::string>> sorted;
    for (auto &[message, count] : step.others)
      sorted.push_back({-count, message});
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty())
      table += fmt::format("\n{}:\n", name);
    for (size_t i = 0; i < std::min<size_t>(sorted.size(), 12); ++i)
      table += fmt::format("{:>6}  {}\n", -sorted[i].first, sorted[i].second);
  }
  table += fmt::format("\ncompared: {}, of which {} by a slice of their programs; not compared:\n",
                       compared, slices);
  for (auto &[why, count] : notCompared)
    table += fmt::format("{:>6}  {}\n", count, why);
  table += fmt::format("\n{:<24} {:>6} {:>10} {:>10} {:>10} {:>10}\n", "number", "of", "median",
                       "most", "sum", "above 0");
  for (auto [key, values] : numbers) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (double value : values)
      sum += value;
    table += fmt::format("{:<24} {:>6} {:>10.6g} {:>10.6g} {:>10.6g} {:>10}\n", key, values.size(),
                         values[values.size() / 2], values.back(), sum,
                         values.end() - std::upper_bound(values.begin(), values.end(), 0.0));
  }
  if (!faults.empty())
    table += fmt::format("\n{} faults:\n", faults.size());
  for (size_t i = 0; i < std::min<size_t>(faults.size(), 100); ++i)
    table += faults[i] + "\n";
  return table;
}

} // namespace tigon::conform

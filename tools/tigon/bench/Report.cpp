// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/bench/Report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tigon::bench {
namespace {

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

} // namespace

const Times *CaseResult::find(const std::string &name) const {
  auto found = std::ranges::find(times, name, &Times::name);
  return found == times.end() ? nullptr : &*found;
}

double CaseResult::median(const std::string &name) const {
  const Times *of = find(name);
  return of ? middle(of->milliseconds) : 0;
}

std::optional<double> CaseResult::ratio(const std::string &a, const std::string &b) const {
  const Times *above = find(a), *below = find(b);
  if (!above || !below)
    return std::nullopt;
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(above->milliseconds.size(), below->milliseconds.size()); ++i)
    ratios.push_back(above->milliseconds[i] / below->milliseconds[i]);
  return middle(ratios);
}

std::string line(const CaseResult &result) {
  double mine = result.median("tigon");
  std::vector<std::string> others;
  for (const Times &peer : result.times)
    if (peer.name != "tigon" && peer.name != "copy")
      others.push_back(fmt::format("{} {:.2f}", peer.name, *result.ratio(peer.name, "tigon")));
  return fmt::format("{:40} {:9.1f} us {:7.1f} GB/s {:6.3f} of copy{}{}", result.at.text,
                     mine * 1e3, double(result.bytes) / mine / 1e6,
                     result.ratio("copy", "tigon").value_or(0),
                     others.empty() ? "" : "   times the speed of: ", fmt::join(others, ", "));
}

std::string toJson(const std::vector<CaseResult> &results, const DeviceProperties &device,
                   const std::map<std::string, std::string> &notTimed) {
  using nlohmann::json;
  json cases = json::array();
  for (const CaseResult &result : results) {
    json times = json::object(), ratios = json::object();
    for (const Times &of : result.times) {
      times[of.name] = of.milliseconds;
      ratios[of.name] = *result.ratio(of.name, "tigon");
    }
    cases.push_back({{"case", result.at.text},
                     {"operator", result.at.name},
                     {"bytes", result.bytes},
                     {"milliseconds", times},
                     {"times_the_speed_of", ratios}});
  }
  return json({{"device", device.model},
               {"target", device.target},
               {"driver", device.driverVersion},
               {"processors", device.processors},
               {"not_timed", notTimed},
               {"cases", cases}})
             .dump(1) +
         "\n";
}

namespace {

/// One curve: points of (bytes, milliseconds).
using Curve = std::vector<std::pair<double, double>>;

class Axis {
public:
  Axis(double low, double high, double from, double to)
      : low(std::floor(std::log2(low))), high(std::ceil(std::log2(high))), from(from), to(to) {
    if (this->high <= this->low)
      this->high = this->low + 1;
  }
  double at(double value) const {
    return from + (std::log2(value) - low) / (high - low) * (to - from);
  }
  std::vector<double> ticks() const {
    std::vector<double> values;
    for (double power = low; power <= high; ++power)
      values.push_back(std::exp2(power));
    return values;
  }

private:
  double low, high, from, to;
};

std::string bytesText(double bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit)
    bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

std::string timeText(double milliseconds) {
  return milliseconds < 1 ? fmt::format("{:.3g} us", milliseconds * 1e3)
                          : fmt::format("{:.3g} ms", milliseconds);
}

} // namespace

std::string toSvg(const std::vector<CaseResult> &results, const DeviceProperties &device) {
  std::map<std::string, Curve> curves;
  double least = 1e30, most = 0, fastest = 1e30, slowest = 0;
  for (const CaseResult &result : results)
    for (const Times &of : result.times) {
      double time = result.median(of.name);
      std::string label = of.name == "copy" ? std::string("copy")
                                            : fmt::format("{} {}, {}", result.at.name,
                                                          dtypeName(result.at.dtype), of.name);
      curves[label].emplace_back(double(result.bytes), time);
      least = std::min(least, double(result.bytes)), most = std::max(most, double(result.bytes));
      fastest = std::min(fastest, time), slowest = std::max(slowest, time);
    }
  constexpr double width = 900, height = 560, left = 80, right = 640, top = 40, bottom = 500;
  Axis x(least, most, left, right), y(fastest, slowest, bottom, top);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}: time over bytes moved</text>\n",
      width, height, left, device.model);
  for (double tick : x.ticks())
    svg += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" "
                       "y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
                       x.at(tick), top, bottom, bottom + 18, bytesText(tick));
  for (double tick : y.ticks())
    svg += fmt::format("<path d=\"M{1} {0:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" "
                       "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                       y.at(tick), left, right, left - 6, y.at(tick) + 4, timeText(tick));
  static constexpr const char *colours[] = {"#1b6ca8", "#c8553d", "#3a8f5c", "#8e5ea2",
                                            "#b8860b", "#008b8b", "#d147a3", "#556b2f"};
  size_t number = 0;
  for (auto &[label, curve] : curves) {
    std::sort(curve.begin(), curve.end());
    bool isFloor = label == "copy";
    const char *colour = isFloor ? "#888" : colours[number % std::size(colours)];
    std::string path;
    for (auto [bytes, time] : curve) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(bytes), y.at(time));
      if (!isFloor)
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                           x.at(bytes), y.at(time), colour);
    }
    double row = top + 18 * double(number++);
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n"
                       "<path d=\"M{} {}h24\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{}\" "
                       "y=\"{}\">{}</text>\n",
                       path, colour, isFloor ? " stroke-dasharray=\"5 4\"" : "", right + 16, row,
                       colour, right + 46, row + 4, label);
  }
  return svg + "</svg>\n";
}

} // namespace tigon::bench

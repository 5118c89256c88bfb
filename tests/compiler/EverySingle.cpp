// SPDX-License-Identifier: Apache-2.0
//
// tigon-every-single [--device=cpu,cuda:0] [--every=1] [--part=3/16] [--only=exp]: f32, all 2^32 of them, every so manieth or a
// part, to each narrower type by each rounding, and through each function of one float, as compiled code does it.
//
// References are the interpreter's codec, whose results ascend (so where a run's ends agree, all of it is known), and the
// C library in double. The interpreter itself would take days.
#include "tests/compiler/Conversions.h"
#include "tests/compiler/MathFunctions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

using namespace tigon;
using namespace tigon::conversions;

namespace {

constexpr uint64_t all = uint64_t(1) << 32, chunk = uint64_t(1) << 20, run = 256;

/// Results of one target for one case: how far off they are at most, in ulp; wrong is infinitely far.
struct Finding {
  std::string device, target;
  Artifact artifact;
  double most = 0;
  std::string where = {};
};

struct Case {
  std::string name, body;
  Element to;
  double bound = 0, boundOnGpu = 0;
  std::function<double(double)> function = {}; ///< else a conversion, rounded by
  Rounding rounding = Rounding::NearestEven;
  bool anyZero = false;
  std::vector<Finding> findings = {};
};

float singleOf(uint64_t pattern) { return std::bit_cast<float>(uint32_t(pattern)); }

//===-- references --------------------------------------------------------------------------------===//

uint64_t bitsAt(const std::vector<char> &results, size_t i, const Element &element) {
  uint64_t bits = 0;
  std::memcpy(&bits, results.data() + i * element.bytes, element.bytes);
  return bits;
}

template <typename Bits>
void convert(const Case &one, const std::vector<uint32_t> &singles, std::vector<char> &exact) {
  auto *to = reinterpret_cast<Bits *>(exact.data()); // as operator new aligns it
  auto codec = [&](uint32_t single) {
    double value = double(singleOf(single));
    return Bits(one.to.format->encode(one.to.format->round(value, one.rounding)));
  };
  for (size_t begin = 0; begin < singles.size(); begin += run) {
    size_t end = std::min(singles.size(), begin + run);
    uint32_t first = singles[begin], last = singles[end - 1];
    bool ascends = (first ^ last) >> 31 == 0 && !std::isnan(singleOf(last)) && first <= last;
    Bits start = codec(first);
    if (ascends && codec(last) == start)
      std::fill(to + begin, to + end, start);
    else
      std::transform(&singles[begin], &singles[begin] + (end - begin), to + begin, codec);
  }
}

/// How many units of f32's last place 1 is, near x.
double placesOf(double x) {
  uint64_t exponent = std::bit_cast<uint64_t>(x) >> 52 & 0x7ff;
  exponent = std::clamp<uint64_t>(exponent, 1023 - 126, 1023 + 127);
  return std::bit_cast<double>((2046 + 23 - exponent) << 52);
}

//===-- devices -----------------------------------------------------------------------------------===//

/// What one thread has of one device.
struct Lane {
  Lane(const std::string &name)
      : name(name), device(*Device::open(name, {.threads = 1})), stream(*Stream::create(device)),
        singles(*Buffer::allocate(device, chunk * 4)),
        results(*Buffer::allocate(device, chunk * 4)) {}
  std::string name;
  Device device;
  Stream stream;
  Buffer singles, results;
  std::map<const Finding *, Kernel> kernels;
};

void demand(const auto &result) {
  if (!result)
    throw std::runtime_error(result.error().text());
}

//===-- the run -----------------------------------------------------------------------------------===//

class Run {
public:
  Run(std::vector<Case> &cases, const std::vector<std::string> &devices, uint64_t every,
      uint64_t part, uint64_t parts)
      : cases(cases), devices(devices), every(every) {
    uint64_t chunks = ((all + every - 1) / every + chunk - 1) / chunk;
    begin = chunks * (part - 1) / parts * chunk;
    end = std::min((all + every - 1) / every, chunks * part / parts * chunk);
    next = begin;
  }

  uint64_t numbers() const { return end - begin; }

  void operator()() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([this] { work(); });
    threads.clear();
    if (!failure.empty())
      throw std::runtime_error(failure);
  }

private:
  void work() {
    try {
      std::vector<Lane> lanes(devices.begin(), devices.end());
      for (Lane &lane : lanes)
        for (Case &one : cases)
          for (const Finding &finding : one.findings)
            if (finding.device == lane.name) {
              auto kernel = Kernel::load(lane.device, finding.artifact);
              demand(kernel);
              lane.kernels.emplace(&finding, *kernel);
            }
      for (uint64_t first; (first = next.fetch_add(chunk)) < end;)
        take(first, lanes);
    } catch (const std::exception &error) {
      std::lock_guard lock(mutex);
      failure = error.what();
      next = end;
    }
  }

  void take(uint64_t first, std::vector<Lane> &lanes) {
    std::vector<uint32_t> singles(size_t(std::min(chunk, end - first)));
    for (size_t i = 0; i < singles.size(); ++i)
      singles[i] = uint32_t((first + i) * every);
    for (Lane &lane : lanes)
      demand(lane.singles.copyFrom(singles.data(), singles.size() * 4));
    std::vector<double> exact(singles.size());
    std::vector<char> bits(singles.size() * 2), got(singles.size() * 4);
    for (Case &one : cases) {
      if (!one.function)
        (one.to.bytes == 1 ? convert<uint8_t> : convert<uint16_t>)(one, singles, bits);
      else
        for (size_t i = 0; i < singles.size(); ++i)
          exact[i] = one.function(double(singleOf(singles[i])));
      for (Lane &lane : lanes)
        for (Finding &finding : one.findings) {
          auto kernel = lane.kernels.find(&finding);
          if (kernel == lane.kernels.end())
            continue;
          std::vector<Argument> arguments = {makeArgument(lane.singles),
                                             makeArgument(lane.results)};
          demand(kernel->second.launch(
              lane.stream, {.x = int((singles.size() + block - 1) / block)}, arguments));
          demand(lane.stream.synchronize());
          demand(lane.results.copyTo(got.data(), singles.size() * one.to.bytes));
          compare(one, finding, singles, bits, exact, got);
        }
    }
  }

  void compare(const Case &one, Finding &finding, const std::vector<uint32_t> &singles,
               const std::vector<char> &bits, const std::vector<double> &exact,
               const std::vector<char> &got) {
    if (!one.function && std::memcmp(bits.data(), got.data(), singles.size() * one.to.bytes) == 0)
      return;
    double most = 0;
    size_t worst = 0;
    for (size_t i = 0; i < singles.size(); ++i) {
      double error;
      if (one.function) {
        double found = reinterpret_cast<const float *>(got.data())[i];
        if (exact[i] != 0 && std::fabs(found - exact[i]) * placesOf(exact[i]) <= most)
          continue;
        error = errorInUlp(exact[i], found, /*isDouble=*/false, one.anyZero);
      } else {
        error = same(one.to, bitsAt(got, i, one.to), bitsAt(bits, i, one.to)) ? 0 : HUGE_VAL;
      }
      if (error > most)
        most = error, worst = i;
    }
    std::lock_guard lock(mutex);
    if (most <= finding.most)
      return;
    finding.most = most;
    finding.where =
        fmt::format("of {:#x} found {:#x}, expected ", singles[worst], bitsAt(got, worst, one.to)) +
        (one.function ? fmt::format("{:a}", exact[worst])
                      : fmt::format("{:#x}", bitsAt(bits, worst, one.to)));
  }

  std::vector<Case> &cases;
  const std::vector<std::string> &devices;
  const uint64_t every;
  uint64_t begin, end;
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::string failure;
};

std::vector<Case> allCases() {
  std::vector<Case> cases;
  std::vector<Element> types = byteTypes;
  types.insert(types.end(), {f16, bf16});
  for (const Element &to : types)
    for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
      cases.push_back({.name = fmt::format("to {}{}", to.name,
                                           rounding == Rounding::TowardZero ? ", toward zero" : ""),
                       .body = conversionOf(f32, to, rounding),
                       .to = to,
                       .rounding = rounding});
  std::set<std::string> seen;
  for (const MathFunction &function : mathFunctions())
    // Small: the hardware's approximations, which promise nothing beyond small arguments.
    if (function.quickReference && function.domain != Domain::Small &&
        seen.insert(function.name).second)
      cases.push_back({.name = function.name,
                       .body = callOf(function, {"%x0"}, {tile("f32")}, tile("f32")),
                       .to = f32,
                       .bound = function.bound,
                       .boundOnGpu = function.approximated,
                       .function = function.quickReference,
                       .anyZero = function.anyZero});
  return cases;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> devices = {"cpu"};
  uint64_t every = 1;
  std::string only, partOfParts = "1/1";
  CLI::App app(
      "f32 to narrower floats and through functions: compiled code against the codec and double");
  app.add_option("--device", devices, "cpu, cuda:0 or both")->delimiter(',');
  app.add_option("--every", every, "take one number of so many")->check(CLI::PositiveNumber);
  app.add_option("--part", partOfParts, "3/16: the third of sixteen")
      ->check([](const std::string &text) {
        unsigned part = 0, parts = 0;
        bool isRight =
            std::sscanf(text.c_str(), "%u/%u", &part, &parts) == 2 && part && part <= parts;
        return isRight ? std::string() : "found " + text + ", expected a part of parts, as in 3/16";
      });
  app.add_option("--only", only, "cases whose name this regular expression matches");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Case> cases = allCases();
    std::erase_if(cases, [&](const Case &one) {
      return !only.empty() && !std::regex_match(one.name, std::regex(only));
    });
    for (const std::string &name : devices) {
      auto device = Device::open(name);
      demand(device);
      for (Case &one : cases)
        for (const std::string &target : targetsOf(*device)) {
          bool isGpu = device->properties().kind == DeviceKind::Cuda;
          if (isGpu && one.function && target != device->properties().target)
            continue; // conversions differ among GPUs, functions do not
          auto module = Module::parse(programOf(one.body, {f32}, one.to), one.name);
          demand(module);
          auto compiled = compile(*module, {.target = target});
          demand(compiled);
          one.findings.push_back({name, target, compiled->artifact});
        }
    }
    unsigned part = 1, parts = 1;
    std::sscanf(partOfParts.c_str(), "%u/%u", &part, &parts);
    Run run(cases, devices, every, part, parts);
    run();
    int beyond = 0;
    for (const Case &one : cases)
      for (const Finding &finding : one.findings) {
        bool isGpu = finding.device != "cpu";
        double bound = isGpu ? one.boundOnGpu : one.bound;
        bool isOver = !(finding.most <= bound);
        beyond += isOver;
        if (one.function)
          fmt::print("{:28} {:14} {:8.4f} ulp of at most {}", one.name, finding.target,
                     finding.most, bound);
        else
          fmt::print("{:28} {:14} {}", one.name, finding.target, finding.most ? "wrong" : "equal");
        fmt::print("{} {}\n", isOver ? " WRONG:" : one.function ? "," : "", finding.where);
      }
    fmt::print("{} numbers of f32, {} conversions and functions on {}: {} beyond their bounds\n",
               run.numbers(), cases.size(), fmt::join(devices, " and "), beyond);
    return beyond ? 1 : 0;
  } catch (const std::exception &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

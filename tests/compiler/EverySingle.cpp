// SPDX-License-Identifier: Apache-2.0
//
// tigon-every-single [--device=cpu] [--every=1]: f32, all 2^32 of them or every so manieth, to each narrower type by each
// rounding, as compiled code does it. The interpreter's codec alone is the reference: the interpreter would take days.
#include "tests/compiler/Conversions.h"

#include <CLI/CLI.hpp>
#include <bit>
#include <thread>

using namespace tigon;
using namespace tigon::conversions;

namespace {

constexpr uint64_t chunk = uint64_t(1) << 22;

struct Case {
  Element to;
  Rounding rounding;
  std::vector<std::pair<std::string, Loaded>> loaded = {};
  uint64_t wrong = 0;
};

/// What the codec gives for singles, in as many threads as there are.
Column referenceOf(const Case &one, const Column &singles) {
  Column expected = Column::zeros(one.to, singles.size());
  std::vector<std::jthread> threads;
  uint64_t parts = std::max(1u, std::thread::hardware_concurrency()), size = singles.size();
  for (uint64_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      for (uint64_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
        double value = std::bit_cast<float>(uint32_t(singles.at(i)));
        uint64_t bits = one.to.format->encode(one.to.format->round(value, one.rounding));
        std::memcpy(expected.bytes.data() + i * one.to.bytes, &bits, one.to.bytes);
      }
    });
  threads.clear();
  return expected;
}

void compare(Case &one, const Column &singles) {
  Column expected = referenceOf(one, singles);
  for (auto &[target, loaded] : one.loaded) {
    Column got = loaded.run({singles}, one.to);
    if (got.bytes == expected.bytes)
      continue;
    for (uint64_t i = 0; i < singles.size(); ++i)
      if (!same(one.to, got.at(i), expected.at(i)) && !one.wrong++)
        fmt::print("{}: f32 {:#x} to {}: found {:#x}, expected {:#x}\n", target, singles.at(i),
                   one.to.name, got.at(i), expected.at(i));
  }
}

} // namespace

int main(int argc, char **argv) {
  std::string name = "cpu";
  uint64_t every = 1;
  CLI::App app("f32 to narrower floats: compiled code against the interpreter's codec");
  app.add_option("--device", name, "cpu or cuda:0");
  app.add_option("--every", every, "take one number of so many")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  auto device = Device::open(name);
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().text());
    return 1;
  }
  std::vector<Case> cases;
  std::vector<Element> types = byteTypes;
  types.insert(types.end(), {f16, bf16});
  for (const Element &to : types)
    for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
      Case &one = cases.emplace_back(Case{to, rounding});
      std::string program = programOf(conversionOf(f32, to, rounding), {f32}, to);
      for (const std::string &target : targetsOf(*device))
        one.loaded.emplace_back(target, Loaded(*device, program, {.target = target}));
    }
  uint64_t taken = 0, wrong = 0;
  for (uint64_t next = 0; next < uint64_t(1) << 32;) {
    std::vector<uint64_t> patterns;
    for (; patterns.size() < chunk && next < uint64_t(1) << 32; next += every)
      patterns.push_back(next);
    Column singles = Column::of(f32, patterns);
    taken += patterns.size();
    for (Case &one : cases)
      compare(one, singles);
  }
  for (const Case &one : cases)
    wrong += one.wrong;
  fmt::print("{} numbers of f32 in {} conversions on {}: {} wrong\n", taken, cases.size(), name,
             wrong);
  return wrong || testing::Test::HasFailure() ? 1 : 0;
}

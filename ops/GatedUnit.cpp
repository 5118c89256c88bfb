// SPDX-License-Identifier: Apache-2.0
#include "ops/GatedUnit.h"

#include <algorithm>
#include <bit>
#include <numbers>

namespace tigon::ops {
namespace {

using namespace lang;

struct StreamKernel {
  GatedUnit unit;
  bool isBackward;
  std::vector<Format> formats; // of the operands, outputs last
  bool hasRows;
  int64_t block;

  std::string name() const {
    std::string name =
        fmt::format("{}{}{}", unit.kernel, isBackward ? "_backward" : "", hasRows ? "_rows" : "");
    for (const Format &format : formats)
      name += "_" + nameOf(format);
    return fmt::format("{}_{}", name, block);
  }

  void write(Kernel &k) const {
    std::vector<const char *> names = {"a", "b", "out"};
    if (isBackward)
      names = {"dout", "a", "b", "da", "db"};
    std::vector<LineArgument> lines;
    std::vector<RowsArgument> rows;
    for (size_t i = 0; i < names.size(); ++i)
      if (hasRows)
        rows.emplace_back(k, names[i], formats[i]);
      else
        lines.emplace_back(k, names[i], formats[i]);
    Value n = k.scalar("n", I64), place = programId(0), row;
    if (hasRows) {
      Value blocks = k.scalar("blocks", I32); // of a row
      row = floorDiv(place, blocks).to(I64);
      place = place % blocks;
    }
    Value start = place.to(I64) * block, columns = arange(0, block), mask = columns < n - start;
    auto at = [&](size_t i) {
      return hasRows ? rows[i].at(row, start, columns) : lines[i].at(start, columns);
    };
    auto write = [&](size_t i, const Value &value) {
      store(at(i), value, {.mask = mask, .cache = hasRows ? rows[i].cache : lines[i].cache});
    };
    auto read = [&](size_t i) { return load(at(i), {.mask = mask, .other = 0}).to(F32); };

    auto isNarrow = [&](const Format &format) { return format.dtype != F32; };
    if (!isBackward) {
      Value a = read(0), b = read(1);
      write(2, unit.gate(a, isNarrow(formats[2])).value * b);
      return;
    }
    Value g = read(0), a = read(1), b = read(2);
    Gate gate = unit.gate(a, isNarrow(formats[3]) && isNarrow(formats[4]));
    write(3, g * (b * gate.slope));
    write(4, g * gate.value);
  }
};

struct Operand {
  const char *name;
  const Tensor &tensor;
};

Result<Plan> planStream(const GatedUnit &unit, const DeviceProperties &device, bool isBackward,
                        std::initializer_list<Operand> operands, const Tuning &tuning) {
  std::string name = fmt::format("{}{}", unit.name, isBackward ? "Backward" : "");
  std::vector<Rows> rows, lines;
  for (const Operand &operand : operands) {
    auto view = floatRowsOf(fmt::format("{}, {}", name, operand.name), operand.tensor,
                            &operands.begin()->tensor);
    if (!view)
      return view.error();
    rows.push_back(*view);
    if (auto line = lineOf(name, operand.tensor))
      lines.push_back(*line);
  }
  constexpr int64_t most = int64_t(1) << 20;
  if (tuning.block && (tuning.block > most || !std::has_single_bit(uint64_t(tuning.block))))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found a block of {}, expected a power of two up to {}", name,
                            tuning.block, most));
  bool hasRows = lines.size() < rows.size();
  const std::vector<Rows> &views = hasRows ? rows : lines;
  int64_t n = views.front().n;
  if (!rows.front().rows || !n)
    return Plan{};

  StreamKernel kernel = {.unit = unit,
                         .isBackward = isBackward,
                         .formats = {},
                         .hasRows = hasRows,
                         .block = tuning.block ? tuning.block : 1024};
  size_t results = isBackward ? 2 : 1;
  for (const Rows &view : views)
    kernel.formats.push_back(kernel.formats.size() < views.size() - results ? view.format()
                                                                            : view.result(device));
  int64_t blocks = lang::cdiv(n, kernel.block);
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = tuning.compile;
  launch.grid = {.x = views.front().rows * blocks};
  for (const Rows &view : views)
    hasRows ? passRows(launch.arguments, view) : passLine(launch.arguments, view);
  launch.arguments.push_back(n);
  if (hasRows)
    launch.arguments.push_back(int32_t(blocks));
  return Plan{.launches = {launch}};
}

} // namespace

Result<Plan> planForward(const GatedUnit &unit, const DeviceProperties &device, const Tensor &a,
                         const Tensor &b, const Tensor &out, const Tuning &tuning) {
  return planStream(unit, device, false, {{"a", a}, {"b", b}, {"out", out}}, tuning);
}

Result<Plan> planBackward(const GatedUnit &unit, const DeviceProperties &device, const Tensor &dout,
                          const Tensor &a, const Tensor &b, const Tensor &da, const Tensor &db,
                          const Tuning &tuning) {
  return planStream(unit, device, true,
                    {{"dout", dout}, {"a", a}, {"b", b}, {"da", da}, {"db", db}}, tuning);
}

Sigmoid sigmoidOf(const Value &z, bool isNarrow) {
  Value below = -lang::abs(z);
  Value power = isNarrow ? lang::exp2(below * std::numbers::log2e) : lang::exp(below);
  Value larger = 1 / (1 + power), smaller = power * larger, isNegative = z < 0;
  return {where(isNegative, smaller, larger), where(isNegative, larger, smaller)};
}

} // namespace tigon::ops

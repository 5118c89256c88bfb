// SPDX-License-Identifier: Apache-2.0
#include "ops/Views.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tigon::ops {

lang::DType toLang(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return lang::I1;
  case DType::I8:
    return lang::I8;
  case DType::I16:
    return lang::I16;
  case DType::I32:
    return lang::I32;
  case DType::I64:
    return lang::I64;
  case DType::F8E4M3:
    return lang::F8E4M3;
  case DType::F8E5M2:
    return lang::F8E5M2;
  case DType::F16:
    return lang::F16;
  case DType::BF16:
    return lang::BF16;
  case DType::F32:
    return lang::F32;
  case DType::F64:
    return lang::F64;
  }
  return lang::F32;
}

std::vector<int64_t> stridesOf(const Tensor &tensor) {
  if (!tensor.strides.empty() || tensor.shape.empty())
    return tensor.strides;
  std::vector<int64_t> strides(tensor.shape.size(), 1);
  for (size_t axis = strides.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * tensor.shape[axis];
  return strides;
}

Result<void> check(std::string_view what, const Tensor &tensor) {
  for (int64_t extent : tensor.shape)
    if (extent < 0)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: found {}, expected no negative extent", what, describe(tensor)));
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {} strides of {}, expected one an axis, or none for "
                            "row-major order",
                            what, tensor.strides.size(), describe(tensor)));
  bool isEmpty = std::ranges::find(tensor.shape, 0) != tensor.shape.end();
  if (!tensor.data && !isEmpty)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found no data for {}, expected an address in the device's memory",
                            what, describe(tensor)));
  return {};
}

namespace {

/// The first `axes` axes as one: how many elements, and the stride from each to the next.
Result<std::pair<int64_t, int64_t>> collapse(std::string_view what, const Tensor &tensor,
                                             size_t axes) {
  std::vector<int64_t> strides = stridesOf(tensor);
  int64_t count = 1, stride = 0;
  for (size_t axis = axes; axis-- > 0;) {
    if (tensor.shape[axis] == 0)
      return std::pair<int64_t, int64_t>(0, 1);
    if (tensor.shape[axis] == 1)
      continue;
    if (count > 1 && strides[axis] != stride * count)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: found {} with strides [{}], expected that a single stride leads "
                              "through the first {} axes; copy it to row-major order",
                              what, describe(tensor), fmt::join(strides, ", "), axes));
    if (count == 1)
      stride = strides[axis];
    count *= tensor.shape[axis];
  }
  return std::pair<int64_t, int64_t>(count, count == 1 ? 1 : stride);
}

} // namespace

Result<void> checkFloat(std::string_view what, const Tensor &tensor) {
  if (auto valid = check(what, tensor); !valid)
    return valid;
  if (tensor.dtype == DType::F16 || tensor.dtype == DType::BF16 || tensor.dtype == DType::F32)
    return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: found {}, expected f16, bf16 or f32", what, describe(tensor)));
}

std::string describe(const Tensor &tensor) {
  return fmt::format("{}[{}]", dtypeName(tensor.dtype), fmt::join(tensor.shape, ", "));
}

std::string nameOf(const Format &format) {
  static constexpr const char *names[] = {"i1",  "i8",   "i16",  "i32", "i64",  "u8",  "u16", "u32",
                                          "u64", "e4m3", "e5m2", "f16", "bf16", "f32", "f64"};
  static_assert(std::size(names) == size_t(lang::F64) + 1);
  return std::string(names[size_t(format.dtype)]) + (format.isDense ? "" : "s") +
         (format.isStreamed ? "_streamed" : "");
}

std::string nameOf(const std::optional<Format> &format) { return format ? nameOf(*format) : "no"; }

std::optional<Format> formatOf(const Tensor &tensor, const Rows &rows) {
  return tensor ? std::optional(rows.format()) : std::nullopt;
}

Format Rows::format() const { return {toLang(dtype), stride == 1}; }

Format Rows::result(const DeviceProperties &device) const {
  constexpr uint64_t large =
      16 << 20; // a CPU's last cache is not told; this is about a core's share of most
  Format format = this->format();
  format.isStreamed =
      device.kind == DeviceKind::Cpu && uint64_t(rows) * uint64_t(n) * dtypeBytes(dtype) >= large;
  return format;
}

bool isAligned(const Rows &rows) { return rows.stride == 1 && rows.rowStride % 8 == 0; }

Result<Rows> rowsOf(std::string_view what, const Tensor &tensor) {
  if (auto valid = check(what, tensor); !valid)
    return valid.error();
  if (tensor.shape.empty())
    return Rows{tensor.data, tensor.dtype, 1, 1, 1, 1};
  size_t last = tensor.shape.size() - 1;
  auto rows = collapse(what, tensor, last);
  if (!rows)
    return rows.error();
  int64_t n = tensor.shape[last];
  return Rows{tensor.data, tensor.dtype, rows->first,
              n,           rows->second, n == 1 ? 1 : stridesOf(tensor)[last]};
}

Result<Rows> lineOf(std::string_view what, const Tensor &tensor) {
  if (auto valid = check(what, tensor); !valid)
    return valid.error();
  auto line = collapse(what, tensor, tensor.shape.size());
  if (!line)
    return line.error();
  return Rows{tensor.data, tensor.dtype, 1, line->first, 0, line->second};
}

Result<Rows> floatRowsOf(std::string_view what, const Tensor &tensor, const Tensor *like) {
  if (auto valid = checkFloat(what, tensor); !valid)
    return valid.error();
  if (like && tensor.shape != like->shape)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected the shape [{}]", what, describe(tensor),
                            fmt::join(like->shape, ", ")));
  return rowsOf(what, tensor);
}

Result<Rows> floatLineOf(std::string_view what, const Tensor &tensor, int64_t n) {
  if (auto valid = checkFloat(what, tensor); !valid)
    return valid.error();
  auto line = lineOf(what, tensor);
  if (line && line->n != n)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected {} elements", what, describe(tensor), n));
  return line;
}

Result<Rows> indexLineOf(std::string_view what, const Tensor &tensor, int64_t n) {
  auto line = lineOf(what, tensor);
  if (line && ((tensor.dtype != DType::I32 && tensor.dtype != DType::I64) || line->n != n))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected i32 or i64, a number a row ({})", what,
                            describe(tensor), n));
  return line;
}

Result<Rows> singlesOf(std::string_view what, const Tensor &tensor, int64_t n) {
  auto line = lineOf(what, tensor);
  if (line && (tensor.dtype != DType::F32 || line->n != n || line->stride != 1))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected f32, {} element{}, one next to the other", what,
                            describe(tensor), n, n == 1 ? "" : "s"));
  return line;
}

Result<void> checkPlace(std::string_view what, const Rows &out, const Rows &in) {
  if (out.data != in.data || (out.rowStride == in.rowStride && out.stride == in.stride))
    return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: found strides of {} from row to row and {} from element to element, "
                          "expected those of the input in whose place it is, {} and {}",
                          what, out.rowStride, out.stride, in.rowStride, in.stride));
}

RowsArgument::RowsArgument(Kernel &k, const std::string &name, const Format &format)
    : pointer(k.pointer(name, format.dtype)), rowStride(k.scalar(name + "_row_stride", lang::I64)),
      cache(format.isStreamed ? lang::Cache::CS : lang::Cache::None) {
  if (!format.isDense)
    stride = k.scalar(name + "_stride", lang::I64);
  else
    stride = 1;
}

Value RowsArgument::at(const Value &row, const Value &columns) const {
  return pointer + row * rowStride + columns * stride;
}

Value RowsArgument::at(const Value &row, const Value &start, const Value &columns) const {
  return pointer + row * rowStride + start * stride + columns * stride;
}

LineArgument::LineArgument(Kernel &k, const std::string &name, const Format &format)
    : pointer(k.pointer(name, format.dtype)),
      cache(format.isStreamed ? lang::Cache::CS : lang::Cache::None) {
  if (!format.isDense)
    stride = k.scalar(name + "_stride", lang::I64);
  else
    stride = 1;
}

Value LineArgument::at(const Value &columns) const { return pointer + columns * stride; }

Value LineArgument::at(const Value &start, const Value &columns) const {
  return pointer + start * stride + columns * stride;
}

void passRows(std::vector<LaunchValue> &arguments, const Rows &rows) {
  arguments.insert(arguments.end(), {rows.data, rows.rowStride});
  if (rows.stride != 1)
    arguments.push_back(rows.stride);
}

void passLine(std::vector<LaunchValue> &arguments, const Rows &line) {
  arguments.push_back(line.data);
  if (line.stride != 1)
    arguments.push_back(line.stride);
}

Result<int64_t> blockOf(std::string_view what, int64_t n, const Tuning &tuning) {
  constexpr int64_t most = int64_t(1) << 20;
  if (n > most)
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: found rows of {}, expected at most {} elements", what, n, most));
  int64_t block =
      tuning.block ? tuning.block : int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(n, 1))));
  if (block < n || block > most || !std::has_single_bit(uint64_t(block)))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found a block of {}, expected a power of two from {} to {}", what,
                            block, n, most));
  return block;
}

RowTile RowTile::of(int64_t n, int64_t block) {
  auto columns = int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(n, 1))));
  return {.rows = std::max<int64_t>(1, block / columns), .columns = columns};
}

std::string RowTile::name() const { return fmt::format("{}x{}", rows, columns); }

lang::Value RowTile::rowsFrom(const lang::Value &first) const {
  return rows > 1 ? first + lang::arange(0, rows).to(lang::I64) : first;
}

// As many programs as share a processor. RMS norm's backward of bf16 on an H200, 16384 rows of 1000:
// 67 us with two a processor, 46 with four, 37 with eight; 4096 rows of 16384: 183 with one, 158
// with two; of 32768, where a program has all threads: 284 with one, 324 with two.
Result<int64_t> programsFor(std::string_view what, const Rows &x, int64_t block,
                            const DeviceProperties &device, const Tuning &tuning) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (x.rows > most)
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: found {} rows, expected at most {}", what, x.rows, most));
  int64_t rowBytes = block * int64_t(dtypeBytes(x.dtype));
  int64_t perProcessor = block <= 1024 ? 8 : block <= 2048 ? 4 : rowBytes <= 48 << 10 ? 2 : 1;
  int64_t wanted = tuning.programs ? tuning.programs : perProcessor * int64_t(device.processors);
  // No more than it takes for the longest share.
  int64_t rows = std::max<int64_t>(1, lang::cdiv(x.rows, std::max<int64_t>(1, wanted)));
  return std::max<int64_t>(1, lang::cdiv(x.rows, rows));
}

// On an H200, of bf16, with rows in a ring of four: 8192 rows of 4096 take layer norm's backward 58 us and RMS norm's 54, then
// 71 and 56; 4096 rows of 8192 62 and 68, then 93 and 79. In longer strips: RMS norm's of 4096 rows of 16384 121 us, then 139;
// of 32768 237, then 275; layer norm's of 16384 159, then 199.
void tuneShares(Tuning &tuning, int64_t block, int sums, const DeviceProperties &device) {
  PlanOptions &compile = tuning.compile;
  if (compile.warps || compile.strip || compile.ctas || compile.stages || compile.hold)
    return;
  if (block == 4096 || block == 8192 || (block == 2048 && sums == 2))
    compile = {
        .warps = int(block / 512), .strip = int(block), .ctas = int(8192 / block), .stages = 4};
  else if (block == 16384)
    compile = {.warps = 16, .strip = 8192, .ctas = sums == 2 ? 1 : 2};
  else if (block == 32768 && sums < 2)
    compile = {.warps = 32, .strip = 16384, .ctas = 1};
  else
    return;
  if (!tuning.programs)
    tuning.programs = int64_t(compile.ctas) * device.processors;
}

RowsOfProgram::RowsOfProgram(lang::Kernel &k)
    : program(lang::programId(0)), programs(lang::numPrograms(0)),
      count(k.scalar("rows_of_each", lang::I32) +
            (program < k.scalar("programs_with_one_more", lang::I32)).to(lang::I32)) {}

void RowsOfProgram::pass(std::vector<LaunchValue> &arguments, int64_t rows, int64_t programs) {
  arguments.insert(arguments.end(), {int32_t(rows / programs), int32_t(rows % programs)});
}

lang::Value RowsOfProgram::operator[](const lang::Value &i) const {
  return (program + i * programs).to(lang::I64);
}

bool isAligned(std::initializer_list<Rows> operands) {
  return std::ranges::all_of(operands, [](const Rows &rows) {
    return rows.stride == 1 && rows.rowStride * int64_t(dtypeBytes(rows.dtype)) % 16 == 0;
  });
}

// Of aligned 16-bit rows there is: RMS norm's backward of 8192 x 4096 bf16 takes 60 us, without the
// next row's loads 70.
bool leavesRoom(int64_t block, std::initializer_list<Rows> operands) {
  return block <= 4096 && isAligned(operands) &&
         std::ranges::all_of(operands,
                             [](const Rows &rows) { return dtypeBytes(rows.dtype) == 2; });
}

InWorkspace partsOf(size_t line, int64_t programs, int64_t n) {
  uint64_t bytes = uint64_t(programs) * uint64_t(n) * sizeof(float);
  return {line * ((bytes + 255) / 256 * 256)};
}

Launch sumParts(const std::vector<Rows> &lines, int64_t programs) {
  using namespace lang;
  // Tiles of a few columns, all parts at once: enough programs, and one trip to memory. 264 of 4096 take 2.2 us on an
  // H200; 32 columns a program, at whatever threads the plan gives: 6.5.
  constexpr int64_t width = 16;
  int64_t height = int64_t(std::bit_ceil(uint64_t(programs))), columnsOfLine = lines.front().n;
  std::vector<Format> formats;
  Launch launch;
  launch.kernel = fmt::format("sum_parts_{}", height);
  for (const Rows &line : lines) {
    formats.push_back(line.format());
    launch.kernel += "_" + nameOf(formats.back());
  }
  launch.write = [=](Kernel &k) {
    Value parts = k.pointer("parts", F32);
    std::vector<LineArgument> outs;
    for (size_t line = 0; line < formats.size(); ++line)
      outs.emplace_back(k, fmt::format("out{}", line), formats[line]);
    Value apart = k.scalar("apart", I64), programs = k.scalar("programs", I32),
          n = k.scalar("n", I32);
    Value columns = programId(0) * width + arange(0, width),
          rows = expandDims(arange(0, height), 1);
    Value mask = (rows < programs) & expandDims(columns < n, 0);
    Value first = parts + programId(1).to(I64) * apart;
    Value total =
        sum(load(first + rows.to(I64) * n + expandDims(columns, 0), {.mask = mask, .other = 0}), 0);
    for (size_t line = 0; line < outs.size(); ++line)
      store(outs[line].at(columns), total,
            {.mask = (columns < n) & (programId(1) == int64_t(line))});
  };
  launch.compile.warps = 4;
  launch.grid = {.x = lang::cdiv(columnsOfLine, width), .y = int64_t(lines.size())};
  launch.arguments = {partsOf(0, programs, columnsOfLine)};
  for (const Rows &line : lines)
    passLine(launch.arguments, line);
  auto apart = int64_t(partsOf(1, programs, columnsOfLine).offset / sizeof(float));
  launch.arguments.insert(launch.arguments.end(),
                          {apart, int32_t(programs), int32_t(columnsOfLine)});
  return launch;
}

Launch sumLine(InWorkspace numbers, int64_t count, std::optional<InWorkspace> divisor,
               const Rows &out) {
  using namespace lang;
  Launch launch;
  launch.kernel = divisor ? "sum_line_divided" : "sum_line";
  launch.write = [isDivided = bool(divisor)](Kernel &k) {
    Value numbers = k.pointer("numbers", F32), out = k.pointer("out", F32);
    Value divisor = isDivided ? k.pointer("divisor", F32) : Value();
    Value count = k.scalar("count", I64), lanes = arange(0, lineBlock);
    auto [sums] = forRange(
        int64_t(0), count, lineBlock, {zeros({lineBlock}, F32)}, [&](Value start, Value sums) {
          return sums + load(numbers + start + lanes, {.mask = lanes < count - start, .other = 0});
        });
    Value total = sum(sums, 0);
    store(out, isDivided ? total / load(divisor) : total);
  };
  launch.arguments = {numbers, out.data};
  if (divisor)
    launch.arguments.push_back(*divisor);
  launch.arguments.push_back(count);
  return launch;
}

Launch countTargets(const Rows &target, int64_t ignoreIndex, InWorkspace count) {
  using namespace lang;
  Launch launch;
  launch.kernel = fmt::format("count_targets_{}", nameOf(target.format()));
  launch.write = [format = target.format()](Kernel &k) {
    LineArgument targets(k, "target", format);
    Value rows = k.scalar("rows", I64), ignoreIndex = k.scalar("ignore_index", I64);
    Value count = k.pointer("count", F32);
    Value lanes = arange(0, lineBlock);
    auto [counts] = forRange(int64_t(0), rows, lineBlock, {zeros({lineBlock}, I32)},
                             [&](Value start, Value counts) {
                               Value mask = lanes < rows - start;
                               Value t = load(targets.at(start, lanes), {.mask = mask}).to(I64);
                               return counts + (mask & (t != ignoreIndex)).to(I32);
                             });
    store(count, sum(counts, 0).to(F32));
  };
  passLine(launch.arguments, target);
  launch.arguments.insert(launch.arguments.end(), {target.n, ignoreIndex, count});
  return launch;
}

} // namespace tigon::ops

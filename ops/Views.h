// SPDX-License-Identifier: Apache-2.0
//
// Tensors as operators take them: rows of n elements, checked on the host, and the arguments that
// stand for them in a kernel.
#pragma once

#include "ops/Ops.h"

#include <fmt/format.h>
#include <optional>

namespace tigon::ops {

using lang::Kernel; // and not the runtime's
using lang::Value;
using tigon::DType; // and not lang's

/// What a kernel that is written for a view knows of it.
struct Format {
  lang::DType dtype;
  /// Neighbours stand next to one another.
  bool isDense;
  /// Of a result: written past the cache, as it is too large to be found there again.
  bool isStreamed = false;
};
/// "bf16", or "bf16s" with a stride; for names of kernels.
std::string nameOf(const Format &format);
/// "no" for an operand that is not given.
std::string nameOf(const std::optional<Format> &format);

/// Fails if the tensor is not well formed, or has elements but no data.
Result<void> check(std::string_view what, const Tensor &tensor);
/// As check; also fails if the tensor is not of f16, bf16 or f32.
Result<void> checkFloat(std::string_view what, const Tensor &tensor);
/// A stride an axis: those of row-major order if none are given.
std::vector<int64_t> stridesOf(const Tensor &tensor);
lang::DType toLang(DType dtype);

/// [rows, n]. A tensor without axes is one row of one.
struct Rows {
  void *data = nullptr;
  DType dtype = DType::F32;
  int64_t rows = 0, n = 0, rowStride = 0, stride = 1;

  Format format() const;
  /// As a result. On a GPU what is written is in nobody's way; on a CPU a line that is written is first read, unless the
  /// store goes past the cache: softmax and norms of 32 MiB take a fifth less time then.
  Format result(const DeviceProperties &device) const;
};

/// Whether rows begin at multiples of 8 elements that stand next to one another, so that a thread can load 16 bytes at once.
bool isAligned(const Rows &rows);
/// Of an operand that may be missing.
std::optional<Format> formatOf(const Tensor &tensor, const Rows &rows);

/// Fails unless a single stride leads from row to row. `what` is operator and operand, for messages.
Result<Rows> rowsOf(std::string_view what, const Tensor &tensor);
/// All elements as one row. Fails unless a single stride leads from each to the next.
Result<Rows> lineOf(std::string_view what, const Tensor &tensor);
/// As rowsOf; also fails if the tensor is not of f16, bf16 or f32, or not of the shape of `like`.
Result<Rows> floatRowsOf(std::string_view what, const Tensor &tensor, const Tensor *like = nullptr);
/// A tensor [n] of floats.
Result<Rows> floatLineOf(std::string_view what, const Tensor &tensor, int64_t n);

/// Indices of classes, a number a row: [n] of i32 or i64.
Result<Rows> indexLineOf(std::string_view what, const Tensor &tensor, int64_t n);
/// Losses or statistics: [n] of f32, one next to the other.
Result<Rows> singlesOf(std::string_view what, const Tensor &tensor, int64_t n);
/// Fails if `out` begins where `in` does, but has other strides.
Result<void> checkPlace(std::string_view what, const Rows &out, const Rows &in);

/// "bf16[2, 3]".
std::string describe(const Tensor &tensor);

/// Rows in a kernel: a pointer, the stride from row to row, and, if not dense, from element to
/// element.
struct RowsArgument {
  Value pointer, rowStride, stride;
  lang::Cache cache; ///< how results are stored there

  RowsArgument(Kernel &k, const std::string &name, const Format &format);
  /// Pointers to elements of a row; the row an i64.
  Value at(const Value &row, const Value &columns) const;
  /// Of a row longer than a tile: elements start + columns, the start an i64.
  Value at(const Value &row, const Value &start, const Value &columns) const;
};
/// A single row.
struct LineArgument {
  Value pointer, stride;
  lang::Cache cache;

  LineArgument(Kernel &k, const std::string &name, const Format &format);
  Value at(const Value &columns) const;
  /// Of a line longer than a tile: elements start + columns, the start an i64.
  Value at(const Value &start, const Value &columns) const;
};

/// The values of these arguments, in their order.
void passRows(std::vector<LaunchValue> &arguments, const Rows &rows);
void passLine(std::vector<LaunchValue> &arguments, const Rows &line);

/// A tile that holds a row of n; fails if there is none so large.
Result<int64_t> blockOf(std::string_view what, int64_t n, const Tuning &tuning);

/// Rows that a tile holds at once: a line of one row, or [rows, columns].
struct RowTile {
  int64_t rows = 1, columns = 1;

  /// As many rows of n as a tile of `block` elements has room for.
  static RowTile of(int64_t n, int64_t block);
  std::string name() const;
  /// Of each row, or of each column, as an operand of tiles.
  lang::Value perRow(const lang::Value &v) const { return rows > 1 ? expandDims(v, 1) : v; }
  lang::Value perColumn(const lang::Value &v) const { return rows > 1 ? expandDims(v, 0) : v; }
  /// `first` and the rows behind it.
  lang::Value rowsFrom(const lang::Value &first) const;
  /// The axis of a row's elements.
  int axis() const { return rows > 1 ? 1 : 0; }
};

/// Programs among which rows are shared that something is added up over: a few a processor.
Result<int64_t> programsFor(std::string_view what, const Rows &x, int64_t block,
                            const DeviceProperties &device, const Tuning &tuning);
/// The rows of this program, one of those: all of them go through memory side by side.
struct RowsOfProgram {
  lang::Value program, programs, count;

  explicit RowsOfProgram(lang::Kernel &k);
  static void pass(std::vector<LaunchValue> &arguments, int64_t rows, int64_t programs);
  lang::Value operator[](const lang::Value &i) const;
};
/// The plan for such programs on a GPU, of aligned rows of 16 bits; leaves what is not known to be better open.
void tuneShares(Tuning &tuning, int64_t block, int sums, const DeviceProperties &device);
/// Whether rows may be accessed 16 bytes at once.
bool isAligned(std::initializer_list<Rows> operands);
/// Whether a program that shares rows has registers for the next row's loads too.
bool leavesRoom(int64_t block, std::initializer_list<Rows> operands);

/// Where programs put what each of them sums up for `line` (dw, db, ...): [programs, n] of f32 in the workspace.
InWorkspace partsOf(size_t line, int64_t programs, int64_t n);
/// lines[i][c] = the sum of its parts over the programs, in a fixed order.
Launch sumParts(const std::vector<Rows> &lines, int64_t programs);

/// out = the sum of `count` numbers of f32 in the workspace, divided by the one at `divisor` if that is given. Adds in a
/// fixed order.
Launch sumLine(InWorkspace numbers, int64_t count, std::optional<InWorkspace> divisor,
               const Rows &out);

/// Elements that a program of sumLine, or another that goes through a line by itself, takes at once.
constexpr int64_t lineBlock = 8192;
/// count = how many targets are not ignored, as f32.
Launch countTargets(const Rows &target, int64_t ignoreIndex, InWorkspace count);

} // namespace tigon::ops

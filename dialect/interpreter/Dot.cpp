// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. In Exact mode operands lose what their precision says, products and sums round
// to the accumulator's type, and the K products are summed as a balanced tree.
#include "dialect/interpreter/Evaluator.h"

#include <cmath>

using namespace mlir;

namespace tigon::interpreter {
namespace {

struct Sizes {
  size_t batches, rows, columns, depth;

  // Of an M x N matrix, or a batch of them, the product of operands of which the left one has
  // `lhsElements`.
  Sizes(ArrayRef<int64_t> result, size_t lhsElements)
      : batches(result.size() == 3 ? result[0] : 1), rows(result[result.size() - 2]),
        columns(result.back()), depth(lhsElements / batches / rows) {}
};

// An operand as a sum of parts of a few bits each, the largest first. A product of two operands is
// the sum of the products of parts i and j with i + j < parts.
using Parts = SmallVector<Tile, 3>;

struct Precision {
  const FloatFormat *format; ///< of a part; null: the operand as it is
  unsigned parts = 1;
};

// Tensor cores cut f32 operands down to tf32; cutting, the larger error of the two, is what an
// implementation that rounds must be judged by, too.
Precision getPrecision(const Evaluator &evaluator, tt::DotOp op) {
  static const FloatFormat tf32 = {19, 10, 127, FloatFormat::Specials::IEEE};
  if (!evaluator.isExact() || !op.getA().getType().getElementType().isF32())
    return {nullptr};
  switch (op.getInputPrecision()) {
  case tt::InputPrecision::IEEE:
    return {nullptr};
  case tt::InputPrecision::TF32:
    return {&tf32};
  case tt::InputPrecision::TF32x3:
    return {&tf32, 2};
  case tt::InputPrecision::BF16x3:
    return {&formatBF16, 2};
  case tt::InputPrecision::BF16x6:
    return {&formatBF16, 3};
  }
  llvm_unreachable("a precision that is none");
}

Parts splitOperand(Tile operand, Precision precision) {
  if (!precision.format)
    return {std::move(operand)};
  Parts parts;
  for (unsigned i = 0; i < precision.parts; ++i) {
    Tile part = Tile::ofReals(operand.size());
    for (size_t lane = 0; lane < operand.size(); ++lane) {
      double &rest = operand.reals[lane];
      part.reals[lane] = precision.format->round(rest, Rounding::TowardZero);
      rest = std::isfinite(rest) ? rest - part.reals[lane] : 0;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// K x N to N x K, so that a dot product runs along both operands.
Tile transpose(const Tile &tile, const Sizes &sizes) {
  return tile.pick(tile.size(), [&](size_t flat) {
    size_t k = flat % sizes.depth, n = flat / sizes.depth % sizes.columns;
    return flat / sizes.depth / sizes.columns * sizes.depth * sizes.columns + k * sizes.columns + n;
  });
}

double multiply(const Parts &lhs, const Parts &rhs, size_t a, size_t b) {
  double corrections = 0;
  for (size_t i = 0; i < lhs.size(); ++i)
    for (size_t j = 0; i + j < lhs.size(); ++j)
      if (i + j > 0)
        corrections += lhs[i].reals[a] * rhs[j].reals[b];
  // Where a large part is infinite, corrections are NaN and mean nothing.
  return lhs[0].reals[a] * rhs[0].reals[b] + (std::isnan(corrections) ? 0 : corrections);
}

// `rhs` is transposed; `type` is the accumulator's.
Tile multiplyReals(const Evaluator &evaluator, const Sizes &sizes, const Parts &lhs,
                   const Parts &rhs, const Tile &addend, Type type) {
  const FloatFormat *format = getElement(type).format;
  auto round = [&](double value) { return evaluator.isExact() ? format->round(value) : value; };
  Tile result = Tile::ofReals(addend.size());
  SmallVector<double> sums(sizes.depth);
  for (size_t flat = 0; flat < result.size(); ++flat) {
    size_t row = flat / sizes.columns; // of all batches
    size_t column = row / sizes.rows * sizes.columns + flat % sizes.columns;
    for (size_t k = 0; k < sizes.depth; ++k)
      sums[k] = round(multiply(lhs, rhs, row * sizes.depth + k, column * sizes.depth + k));
    for (size_t half = sizes.depth / 2; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i)
        sums[i] = round(sums[2 * i] + sums[2 * i + 1]);
    result.reals[flat] = round(sums[0] + addend.reals[flat]);
  }
  return result;
}

Tile multiplyIntegers(const Sizes &sizes, const Tile &lhs, const Tile &rhs, const Tile &addend,
                      Element operand, Element accumulator) {
  Tile result = addend;
  for (size_t flat = 0; flat < result.size(); ++flat) {
    size_t row = flat / sizes.columns;
    size_t column = row / sizes.rows * sizes.columns + flat % sizes.columns;
    for (size_t k = 0; k < sizes.depth; ++k)
      result.words[flat] += uint64_t(operand.extend(lhs.words[row * sizes.depth + k])) *
                            uint64_t(operand.extend(rhs.words[column * sizes.depth + k]));
    result.words[flat] = accumulator.truncate(result.words[flat]);
  }
  return result;
}

LogicalResult evaluateDot(Evaluator &evaluator, tt::DotOp op) {
  const Tile &a = evaluator.get(op.getA()), &c = evaluator.get(op.getC());
  Sizes sizes(op.getD().getType().getShape(), a.size());
  Tile b = transpose(evaluator.get(op.getB()), sizes);
  if (!a.isReal())
    return evaluator.set(op, multiplyIntegers(sizes, a, b, c, getElement(op.getA().getType()),
                                              getElement(op.getType())));
  Precision precision = getPrecision(evaluator, op);
  return evaluator.set(op, multiplyReals(evaluator, sizes, splitOperand(a, precision),
                                         splitOperand(std::move(b), precision), c, op.getType()));
}

//===-- Scaled dots --------------------------------------------------------------------------===//

const FloatFormat &getFormat(tt::ScaleDotElemType type) {
  switch (type) {
  case tt::ScaleDotElemType::E4M3:
    return formatE4M3FN;
  case tt::ScaleDotElemType::E5M2:
    return formatE5M2;
  case tt::ScaleDotElemType::E2M3:
    return formatE2M3;
  case tt::ScaleDotElemType::E3M2:
    return formatE3M2;
  case tt::ScaleDotElemType::E2M1:
    return formatE2M1;
  case tt::ScaleDotElemType::BF16:
    return formatBF16;
  case tt::ScaleDotElemType::FP16:
    return formatF16;
  }
  llvm_unreachable("a format that is none");
}

// The elements that the bits in `tile` mean. Of e2m1 a byte holds two, the first in its low half,
// neighbours along an axis inside of which `inner` bytes lie.
Tile unpack(const Tile &tile, const FloatFormat &format, size_t inner) {
  if (tile.isReal())
    return tile;
  unsigned pack = format.width == 4 ? 2 : 1;
  Tile result = Tile::ofReals(pack * tile.size());
  for (size_t flat = 0; flat < result.size(); ++flat) {
    size_t place = flat / inner;
    uint64_t word =
        tile.words[place / pack * inner + flat % inner] >> (place % pack * format.width);
    result.reals[flat] = format.decode(word & ((1u << format.width) - 1));
  }
  return result;
}

// Multiply `tile`, rows x K, by its scales, rows x K/s.
void applyScale(const Evaluator &evaluator, Tile &tile, Value scale) {
  if (!scale)
    return;
  const Tile &scales = evaluator.get(scale);
  size_t perScale = tile.size() / scales.size();
  for (size_t flat = 0; flat < tile.size(); ++flat)
    tile.reals[flat] *=
        scales.isReal() ? scales.reals[flat / perScale] : decodeE8M0(scales.words[flat / perScale]);
}

LogicalResult evaluateDotScaled(Evaluator &evaluator, tt::DotScaledOp op) {
  ArrayRef<int64_t> aShape = op.getA().getType().getShape();
  ArrayRef<int64_t> bShape = op.getB().getType().getShape();
  Tile a = unpack(evaluator.get(op.getA()), getFormat(op.getAElemType()),
                  op.getLhsKPack() ? 1 : aShape.back());
  Tile b = unpack(evaluator.get(op.getB()), getFormat(op.getBElemType()),
                  op.getRhsKPack() ? bShape.back() : 1);
  Sizes sizes(op.getD().getType().getShape(), a.size());
  b = transpose(b, sizes);
  applyScale(evaluator, a, op.getAScale());
  applyScale(evaluator, b, op.getBScale());
  return evaluator.set(op, multiplyReals(evaluator, sizes, {std::move(a)}, {std::move(b)},
                                         evaluator.get(op.getC()), op.getType()));
}

} // namespace

void addDotOps(OpTable &table) {
  table.add<evaluateDot>();
  table.add<evaluateDotScaled>();
}

} // namespace tigon::interpreter

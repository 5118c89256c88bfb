// SPDX-License-Identifier: Apache-2.0
#include "dialect/lang/Emission.h"

using namespace mlir;

namespace tigon::lang {

// The rules of tl.dot (Triton 3.6, semantic.py): element types that multiply, what they add up in,
// and the least extents.
static std::optional<DType> accumulatorOf(const Value &a, const Value &b, DType wanted) {
  DType dtype = a.dtype();
  if (isFloat8(dtype) && isFloat8(b.dtype()))
    return wanted == F16 ? F16 : F32;
  if (dtype != b.dtype() || a.isPointer() || b.isPointer())
    return std::nullopt;
  switch (dtype) {
  case I8:
    return I32;
  case F16:
    return wanted == F16 ? F16 : F32;
  case BF16:
  case F32:
    return F32;
  case F64:
    return F64;
  default:
    return std::nullopt;
  }
}

Value dot(const Value &a, const Value &b, const Value &acc, const DotOptions &options,
          Where where) {
  Emission emit("dot", where, {&a, &b}, {&acc});
  if (!emit)
    return emit.poison();
  ArrayRef<int64_t> left = shapeOf(a), right = shapeOf(b);
  size_t rank = left.size();
  if ((rank != 2 && rank != 3) || right.size() != rank || left[rank - 1] != right[rank - 2] ||
      (rank == 3 && left[0] != right[0]))
    return emit.fail("found {} and {}, expected [M, K] and [K, N], or batches of them", describe(a),
                     describe(b));
  std::optional<DType> dtype = accumulatorOf(a, b, options.outDtype);
  if (!dtype)
    return emit.fail("found {} and {}, expected one of i8, f8, f16, bf16, f32 and f64 for both",
                     describe(a), describe(b));
  int64_t leastK = bitsOf(a.dtype()) == 8 ? 32 : 16;
  if (left[rank - 1] < leastK)
    return emit.fail("found {} and {}, expected a K of at least {}", describe(a), describe(b),
                     leastK);
  SmallVector<int64_t> shape(left);
  shape.back() = right.back();
  if (!isTileShape(shape))
    return emit.fail("found a product of {}, expected at most 2^20 elements", describe(shape));
  Value sum = acc;
  if (isNone(acc) || isNumber(acc))
    sum = emit.literal(isNone(acc) ? Value(0) : acc, *dtype, shape);
  else if (acc.dtype() != *dtype || shapeOf(acc) != ArrayRef(shape) || acc.isPointer())
    return emit.fail("found {} to add to, expected {}{}", describe(acc), nameOf(*dtype),
                     describe(shape));
  auto precision = tt::InputPrecision(int(options.inputPrecision));
  static_assert(int(tt::InputPrecision::BF16x6) == int(InputPrecision::BF16x6));
  return emit.like<tt::DotOp>(sum, emit.ir(a), emit.ir(b), emit.ir(sum), precision,
                              uint32_t(options.maxNumImpreciseAcc));
}

} // namespace tigon::lang

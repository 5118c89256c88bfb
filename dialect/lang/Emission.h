// SPDX-License-Identifier: Apache-2.0
//
// How the builder's functions emit. Each of them makes an Emission of the source location and its
// operands, gives up if that is no good (an operand is empty, comes from elsewhere, or is what an
// earlier mistake left), checks what it needs, and creates ops:
//
//     Value exp(const Value &x, Where where) {
//       Emission emit("exp", where, {&x});
//       if (!emit)
//         return emit.poison();
//       ...
//     }
#pragma once

#include "dialect/Session.h"
#include "dialect/lang/Promotion.h"
#include "dialect/tt/TT.h"

#include <fmt/format.h>

namespace tigon::lang {

/// A kernel under construction.
struct Kernel::State {
  State(std::string_view name, Where where);

  const std::string name;
  const uint32_t id;
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tt::FuncOp function;
  mlir::OpBuilder builder;
  /// Names of the arguments.
  std::vector<std::string> arguments;
  /// The combining function that is being written, which sees nothing from outside.
  mlir::Region *combiner = nullptr;
  std::vector<Error> errors;
  bool isBuilt = false;

  mlir::Location locationOf(Where where);
  void complain(Where where, std::string message);
};

/// A literal.
bool isNumber(const Value &x);
/// What an earlier mistake left.
bool isPoison(const Value &x);
bool isNone(const Value &x);
mlir::ArrayRef<int64_t> shapeOf(const Value &x);

class Emission {
public:
  /// `what` names the function in messages. Optional operands may be none.
  Emission(std::string_view what, Where where, std::initializer_list<const Value *> operands,
           std::initializer_list<const Value *> optional = {});

  Emission(std::string_view what, Where where, std::span<const Value> operands);

  /// Whether ops can be created.
  explicit operator bool() const { return isGood; }
  /// What a call gives that cannot do what it should.
  Value poison() const;
  /// Records a mistake: "exp: found ..., expected ...".
  template <typename... Args> Value fail(fmt::format_string<Args...> format, Args &&...arguments) {
    return complain(fmt::format(format, std::forward<Args>(arguments)...));
  }

  template <typename Op, typename... Args> Op create(Args &&...arguments) {
    return Op::create(state->builder, mlir::Location(location), std::forward<Args>(arguments)...);
  }
  /// An op of the type of its first operand, as a value like `x`.
  template <typename Op, typename... Args> Value like(const Value &x, Args &&...arguments) {
    return wrap(create<Op>(std::forward<Args>(arguments)...), x);
  }

  /// An op that gives elements of `dtype` for those of x.
  template <typename Op> Value convert(const Value &x, DType dtype) {
    return wrap(create<Op>(tileOf(shapeOf(x), elementType(dtype)), ir(x)), dtype);
  }

  // ---- Values

  mlir::Value ir(const Value &x) const;
  /// A value of the IR as one of the language, with the element type (and the constness) of `x`.
  Value wrap(mlir::Value ir, const Value &x) const;
  Value wrap(mlir::Value ir, DType dtype) const;
  mlir::Type elementType(DType dtype) const;
  /// `element` in tiles of this shape, or itself for none.
  mlir::Type tileOf(mlir::ArrayRef<int64_t> shape, mlir::Type element) const;
  mlir::Type pointerTo(DType dtype) const;

  /// The number, converted; a scalar or a tile.
  Value constant(double number, DType dtype, mlir::ArrayRef<int64_t> shape = {});
  Value constant(int64_t number, DType dtype, mlir::ArrayRef<int64_t> shape = {});
  /// A literal as a value of the IR: of `dtype`, else of its own type. Others as they are.
  Value literal(const Value &x, std::optional<DType> dtype = {},
                mlir::ArrayRef<int64_t> shape = {});

  /// Whether values that were not among the operands can be used here; mistakes are recorded.
  bool isUsable(const Value &x) { return check(x, /*mayBeNone=*/false); }
  bool areUsable(std::span<const Value> values);
  mlir::Location at() const { return mlir::Location(location); }

  // ---- Conversions that several functions make

  /// Both in the type that they are computed in, without literals and of one shape. False, with
  /// the mistake recorded, if there is none.
  bool unify(Value &a, Value &b, bool isDivision = false, bool allowPointers = false);
  /// Of one shape; literals are left out.
  bool broadcast(Value &a, Value &b);
  /// To the shape; scalars and literals to every one.
  Value broadcastTo(const Value &x, mlir::ArrayRef<int64_t> shape);
  Value cast(const Value &x, DType dtype, Rounding rounding = Rounding::Nearest);
  Value bitcast(const Value &x, DType dtype);
  /// Whether a mask is of i1; else the mistake is recorded.
  bool isMask(const Value &mask);
  /// A mask as an i1 of the shape.
  Value maskOf(const Value &mask, mlir::ArrayRef<int64_t> shape);
  /// An axis counted from the start; nullopt, with the mistake recorded, if there is none such.
  std::optional<int> axisOf(int axis, size_t rank);

  Kernel::State *state = nullptr;

private:
  Value complain(std::string message);
  bool check(const Value &operand, bool mayBeNone);

  std::string_view what;
  Where where;
  mlir::LocationAttr location;
  bool isGood = false;
};

/// "f32", "f32[8, 4]", "*f32[8]", "the number 3".
std::string describe(const Value &x);
/// "[8, 4]".
std::string describe(mlir::ArrayRef<int64_t> shape);
/// Whether tiles may have it.
bool isTileShape(mlir::ArrayRef<int64_t> shape);

} // namespace tigon::lang

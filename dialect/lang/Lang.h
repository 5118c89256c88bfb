// SPDX-License-Identifier: Apache-2.0
//
// The tile language in C++: kernels that read like their Triton twins, line for line.
//
//     namespace tl = tigon::lang;
//
//     tl::Kernel k("add");                                           // @triton.jit
//     auto x = k.pointer("x", tl::F32), y = k.pointer("y", tl::F32); // def add(x, y, n, BLOCK):
//     auto n = k.scalar("n", tl::I32);
//     auto offsets = tl::programId(0) * block + tl::arange(0, block);
//     auto mask = offsets < n;
//     auto sum = load(x + offsets, {.mask = mask}) + load(y + offsets, {.mask = mask});
//     store(y + offsets, sum, {.mask = mask});
//     tigon::Result<tigon::Module> module = k.build();
//
// Names, promotion and rounding are those of triton.language 3.6 (docs/lang.md has the table);
// what is a constexpr there is a plain C++ value here. Nothing throws: a mistake is recorded with
// the source location of the call, gives an empty value, and comes back from Kernel::build.
#pragma once

#include "tigon/Module.h"
#include "tigon/Result.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tigon::lang {

/// Element types. Unlike in the tile IR integers have a sign, which chooses between ops.
enum class DType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};
using enum DType;

/// Where in the user's source a call stands; a parameter that nobody passes.
using Where = std::source_location;
/// Extents of a tile's axes: powers of two, 2^20 elements in all. A scalar has none.
using Shape = std::vector<int64_t>;

struct Operand;

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

// ---- Values ----------------------------------------------------------------------------------

/// A scalar or a tile in a kernel under construction, or a number, which like a Python literal
/// takes the type of what it meets. Cheap to copy; of use as long as its Kernel lives.
class TIGON_API Value {
public:
  /// Stands for "none": a mask that is not given.
  Value() = default;
  template <Number T> Value(T number) {
    if constexpr (std::floating_point<T>)
      setReal(double(number));
    else if constexpr (std::same_as<T, bool>)
      setBool(number);
    else if constexpr (std::is_signed_v<T>)
      setInteger(int64_t(number));
    else
      setUnsigned(uint64_t(number));
  }

  /// The elements' type; of a pointer what it points to.
  DType dtype() const { return handle.dtype; }
  bool isPointer() const { return handle.isPointer; }
  /// Empty for a scalar.
  Shape shape() const;

  /// The same as `cast`.
  Value to(DType dtype, Where where = Where::current()) const;
  /// Names the value in the IR, as Triton names it after its Python variable.
  Value named(std::string_view name, Where where = Where::current()) const;

  // In operators a number next to a value takes its type if that is of no lesser kind (bool, int,
  // float); else both take the type that `docs/lang.md` tabulates, and tiles broadcast.
  friend TIGON_API Value operator+(Operand a, Operand b);
  friend TIGON_API Value operator-(Operand a, Operand b);
  friend TIGON_API Value operator*(Operand a, Operand b);
  /// Of two integers an f32, as in Triton; see floorDiv.
  friend TIGON_API Value operator/(Operand a, Operand b);
  /// Has the dividend's sign.
  friend TIGON_API Value operator%(Operand a, Operand b);
  friend TIGON_API Value operator&(Operand a, Operand b);
  friend TIGON_API Value operator|(Operand a, Operand b);
  friend TIGON_API Value operator^(Operand a, Operand b);
  friend TIGON_API Value operator<<(Operand a, Operand b);
  friend TIGON_API Value operator>>(Operand a, Operand b);
  /// False where an operand is NaN, but for !=.
  friend TIGON_API Value operator<(Operand a, Operand b);
  friend TIGON_API Value operator<=(Operand a, Operand b);
  friend TIGON_API Value operator>(Operand a, Operand b);
  friend TIGON_API Value operator>=(Operand a, Operand b);
  friend TIGON_API Value operator==(Operand a, Operand b);
  friend TIGON_API Value operator!=(Operand a, Operand b);
  /// Of i1; both sides are evaluated. `and`, `or` and `not` in C++ as in Python.
  friend TIGON_API Value operator&&(Operand a, Operand b);
  friend TIGON_API Value operator||(Operand a, Operand b);
  friend TIGON_API Value operator!(Operand a);
  friend TIGON_API Value operator-(Operand a);
  friend TIGON_API Value operator~(Operand a);
  Value &operator+=(Operand b);
  Value &operator-=(Operand b);
  Value &operator*=(Operand b);
  Value &operator/=(Operand b);
  Value &operator&=(Operand b);
  Value &operator|=(Operand b);
  Value &operator^=(Operand b);

  /// Internal.
  struct Handle {
    enum Kind : uint8_t { None, Poison, Boolean, Integer, Unsigned, Real, Ssa };
    Handle() = default;
    Handle(Kind kind, DType dtype) : kind(kind), dtype(dtype) {}
    Kind kind = None;
    DType dtype = I32;
    bool isPointer = false, isConst = false;
    /// Which kernel it belongs to.
    uint32_t kernel = 0;
    /// The mlir::Value, or the number.
    union {
      void *ssa = nullptr;
      int64_t integer;
      double real;
    };
  };
  explicit Value(const Handle &handle) : handle(handle) {}
  const Handle &internal() const { return handle; }

private:
  void setReal(double number);
  void setBool(bool number);
  void setInteger(int64_t number);
  void setUnsigned(uint64_t number);

  Handle handle;
};

/// An operand of an operator, with where it stands in the source. Made implicitly.
struct Operand {
  Operand(const Value &value, Where where = Where::current()) : value(value), where(where) {}
  template <Number T>
  Operand(T number, Where where = Where::current()) : value(number), where(where) {}

  Value value;
  Where where;
};

/// Several values, which structured bindings take apart: `auto [sum, count] = forRange(...)`,
/// `return Values{a, b};`.
template <size_t N> struct Values {
  Value items[N];

  const Value &operator[](size_t index) const { return items[index]; }
  template <size_t I> Value &get() & { return items[I]; }
  template <size_t I> Value &&get() && { return std::move(items[I]); }
  template <size_t I> const Value &get() const & { return items[I]; }
};
template <std::convertible_to<Value>... Ts> Values(Ts...) -> Values<sizeof...(Ts)>;

// ---- Kernels ---------------------------------------------------------------------------------

/// What a caller promises of an argument.
struct ArgumentHints {
  /// The address in bytes, or the integer itself, is a multiple of this.
  int64_t divisibility = 1;
  /// Nothing is stored through the pointer.
  bool isConst = false;
};

/// A kernel under construction. Until it is built, what this thread writes goes into it; of several
/// kernels, into the one opened last.
class TIGON_API Kernel {
public:
  explicit Kernel(std::string_view name, Where where = Where::current());
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// An argument that points to elements in global memory.
  Value pointer(std::string_view name, DType dtype, const ArgumentHints &hints = {},
                Where where = Where::current());
  /// An argument that is a number.
  Value scalar(std::string_view name, DType dtype, const ArgumentHints &hints = {},
               Where where = Where::current());

  /// Ends the kernel and gives its module, or the first mistake made in it.
  Result<Module> build();

  struct State; ///< Internal.

private:
  std::shared_ptr<State> state;
};

// ---- Programs and tiles ----------------------------------------------------------------------

/// This program's index along an axis (0, 1, 2) of the grid; i32.
TIGON_API Value programId(int axis, Where where = Where::current());
TIGON_API Value numPrograms(int axis, Where where = Where::current());
/// start, start + 1, ..., end - 1; end - start a power of two; i32.
TIGON_API Value arange(int64_t start, int64_t end, Where where = Where::current());
TIGON_API Value full(const Shape &shape, const Value &value, DType dtype,
                     Where where = Where::current());
TIGON_API Value zeros(const Shape &shape, DType dtype, Where where = Where::current());
TIGON_API Value zerosLike(const Value &x, Where where = Where::current());

/// A scalar as a tile.
TIGON_API Value splat(const Value &scalar, const Shape &shape, Where where = Where::current());
/// Repeats along axes of size 1; a scalar everywhere.
TIGON_API Value broadcastTo(const Value &x, const Shape &shape, Where where = Where::current());
/// Inserts an axis of size 1: x[:, None] is expandDims(x, 1), x[None, :] is expandDims(x, 0).
TIGON_API Value expandDims(const Value &x, int axis, Where where = Where::current());
/// The same elements in row-major order; in any order if `canReorder`.
TIGON_API Value reshape(const Value &x, const Shape &shape, bool canReorder = false,
                        Where where = Where::current());
TIGON_API Value ravel(const Value &x, bool canReorder = false, Where where = Where::current());
/// Axis d of the result is axis order[d] of x; without an order the last two change places.
TIGON_API Value trans(const Value &x, const std::vector<int> &order = {},
                      Where where = Where::current());
/// Two tiles along a fresh last axis of size 2, and apart again.
TIGON_API Value join(const Value &a, const Value &b, Where where = Where::current());
TIGON_API Values<2> split(const Value &x, Where where = Where::current());
/// One 1-D tile after the other.
TIGON_API Value cat(const Value &a, const Value &b, Where where = Where::current());
/// x.shape of `index`: the element of x at that index along the axis.
TIGON_API Value gather(const Value &x, const Value &index, int axis,
                       Where where = Where::current());
/// How often 0, 1, ..., bins - 1 occur in a 1-D integer tile, where the mask is true; i32.
TIGON_API Value histogram(const Value &x, int64_t bins, const Value &mask = {},
                          Where where = Where::current());

// ---- Memory ----------------------------------------------------------------------------------

enum class Cache : uint8_t { None, CA, CG, WB, CS, WT, CV };
enum class Evict : uint8_t { Normal, First, Last };

struct LoadOptions {
  /// Where it is false nothing is touched, and `other` read; 0 without one.
  Value mask = {}, other = {};
  /// None, CA, CG or CV.
  Cache cache = Cache::None;
  Evict evict = Evict::Normal;
  bool isVolatile = false;
};
/// The elements at a pointer or a tile of pointers.
TIGON_API Value load(const Value &pointer, const LoadOptions &options = {},
                     Where where = Where::current());

struct StoreOptions {
  Value mask = {};
  /// None, WB, CG, CS or WT.
  Cache cache = Cache::None;
  Evict evict = Evict::Normal;
};
/// Casts to the element type, then stores.
TIGON_API void store(const Value &pointer, const Value &value, const StoreOptions &options = {},
                     Where where = Where::current());

enum class Semantic : uint8_t { Relaxed, Acquire, Release, AcquireRelease };
enum class Scope : uint8_t { Gpu, Cta, System };
struct AtomicOptions {
  Value mask = {};
  Semantic semantic = Semantic::AcquireRelease;
  Scope scope = Scope::Gpu;
};
/// Read, combine and write each element; give what was read. Integers of 32 and 64 bits; Add also
/// floats from f16 on, Max and Min f32 and f64.
TIGON_API Value atomicAdd(const Value &pointer, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicMax(const Value &pointer, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicMin(const Value &pointer, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicAnd(const Value &pointer, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicOr(const Value &pointer, const Value &value,
                         const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicXor(const Value &pointer, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());
TIGON_API Value atomicXchg(const Value &pointer, const Value &value,
                           const AtomicOptions &options = {}, Where where = Where::current());
/// Stores `value` where the element equals `compared`; 16, 32 or 64 bits, no mask.
TIGON_API Value atomicCas(const Value &pointer, const Value &compared, const Value &value,
                          const AtomicOptions &options = {}, Where where = Where::current());

// ---- Casts -----------------------------------------------------------------------------------

enum class Rounding : uint8_t { Nearest, TowardZero };
/// To another element type. Floats round to nearest even unless told otherwise, which only casts
/// to a narrower float may be; a pointer becomes an address (I64). See docs/lang.md.
TIGON_API Value cast(const Value &x, DType dtype, Rounding rounding = Rounding::Nearest,
                     Where where = Where::current());
/// The same bits as another type of the same width.
TIGON_API Value bitcast(const Value &x, DType dtype, Where where = Where::current());
/// An I64 address, or a pointer to something else, as a pointer to `dtype`.
TIGON_API Value toPointer(const Value &x, DType dtype, Where where = Where::current());

// ---- Arithmetic ------------------------------------------------------------------------------

/// The first tile's element where the condition is true, else the second's.
TIGON_API Value where(const Value &condition, const Value &x, const Value &y,
                      Where where = Where::current());
/// Integer division that truncates: Triton's `//`.
TIGON_API Value floorDiv(const Value &a, const Value &b, Where where = Where::current());
/// (a + (b - 1)) // b.
TIGON_API Value cdiv(const Value &a, const Value &b, Where where = Where::current());
constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + (b - 1)) / b; }

enum class PropagateNan : uint8_t { None, All };
/// Of a NaN and a number the number, or the NaN under PropagateNan::All.
TIGON_API Value minimum(const Value &a, const Value &b, PropagateNan nan = PropagateNan::None,
                        Where where = Where::current());
TIGON_API Value maximum(const Value &a, const Value &b, PropagateNan nan = PropagateNan::None,
                        Where where = Where::current());
/// min(max(x, low), high) of floats; low > high is undefined.
TIGON_API Value clamp(const Value &x, const Value &low, const Value &high,
                      PropagateNan nan = PropagateNan::None, Where where = Where::current());
/// a * b + c with one rounding.
TIGON_API Value fma(const Value &a, const Value &b, const Value &c, Where where = Where::current());
TIGON_API Value abs(const Value &x, Where where = Where::current());
/// High half of the product of 32- or 64-bit integers taken as unsigned.
TIGON_API Value umulhi(const Value &a, const Value &b, Where where = Where::current());

// Functions of f32 and f64.
TIGON_API Value exp(const Value &x, Where where = Where::current());
TIGON_API Value exp2(const Value &x, Where where = Where::current());
/// exp2, but for results below 2^-126, which may be 0: on a GPU one instruction instead of four.
TIGON_API Value exp2Flush(const Value &x, Where where = Where::current());
TIGON_API Value log(const Value &x, Where where = Where::current());
TIGON_API Value log2(const Value &x, Where where = Where::current());
TIGON_API Value sqrt(const Value &x, Where where = Where::current());
TIGON_API Value rsqrt(const Value &x, Where where = Where::current());
TIGON_API Value sin(const Value &x, Where where = Where::current());
TIGON_API Value cos(const Value &x, Where where = Where::current());
TIGON_API Value tanh(const Value &x, Where where = Where::current());
TIGON_API Value erf(const Value &x, Where where = Where::current());
TIGON_API Value floor(const Value &x, Where where = Where::current());
TIGON_API Value ceil(const Value &x, Where where = Where::current());
/// 1 / (1 + exp(-x)).
TIGON_API Value sigmoid(const Value &x, Where where = Where::current());
/// Square root and quotient of f32, correctly rounded.
TIGON_API Value sqrtRn(const Value &x, Where where = Where::current());
TIGON_API Value divRn(const Value &a, const Value &b, Where where = Where::current());

/// A function of NVIDIA's device library, by its name: externElementwise("__nv_log1pf", {x}, F32).
TIGON_API Value externElementwise(std::string_view symbol, const std::vector<Value> &arguments,
                                  DType result, Where where = Where::current());

enum class InputPrecision : uint8_t { TF32, TF32x3, IEEE, BF16x3, BF16x6 };
struct DotOptions {
  /// What may be lost of f32 operands.
  InputPrecision inputPrecision = InputPrecision::TF32;
  /// Of f16 and fp8 operands F32 or F16; others have just one type of result.
  DType outDtype = DType::F32;
  int maxNumImpreciseAcc = 0;
};
/// a b, or a b + acc: matrices [M, K] and [K, N], or batches of them. One element type; K at least
/// 16, for 8-bit elements 32.
TIGON_API Value dot(const Value &a, const Value &b, const Value &acc = {},
                    const DotOptions &options = {}, Where where = Where::current());

// ---- Reductions and scans --------------------------------------------------------------------

/// An axis of a tile, counted from the end if negative; `nullopt` is all of them at once.
using Axis = std::optional<int>;
struct ReduceOptions {
  /// Reduced axes stay, with size 1.
  bool keepDims = false;
  /// sum: the type that is added in. Without it integers below 32 bits are widened to 32; floats
  /// are added in their own type.
  std::optional<DType> dtype = {};
};
TIGON_API Value sum(const Value &x, Axis axis = {}, const ReduceOptions &options = {},
                    Where where = Where::current());
TIGON_API Value prod(const Value &x, Axis axis = {}, const ReduceOptions &options = {},
                     Where where = Where::current());
TIGON_API Value xorSum(const Value &x, Axis axis = {}, const ReduceOptions &options = {},
                       Where where = Where::current());
/// Ignore NaN. Types below 32 bits are widened to f32 or i32.
TIGON_API Value max(const Value &x, Axis axis = {}, const ReduceOptions &options = {},
                    Where where = Where::current());
TIGON_API Value min(const Value &x, Axis axis = {}, const ReduceOptions &options = {},
                    Where where = Where::current());
/// The extreme value and its index along the axis; of equal ones the smallest index.
TIGON_API Values<2> maxWithIndex(const Value &x, int axis, const ReduceOptions &options = {},
                                 Where where = Where::current());
TIGON_API Values<2> minWithIndex(const Value &x, int axis, const ReduceOptions &options = {},
                                 Where where = Where::current());
TIGON_API Value argmax(const Value &x, int axis, const ReduceOptions &options = {},
                       Where where = Where::current());
TIGON_API Value argmin(const Value &x, int axis, const ReduceOptions &options = {},
                       Where where = Where::current());

struct ScanOptions {
  bool reverse = false;
  /// cumsum: as ReduceOptions::dtype; bf16 becomes f32.
  std::optional<DType> dtype = {};
};
TIGON_API Value cumsum(const Value &x, int axis = 0, const ScanOptions &options = {},
                       Where where = Where::current());
TIGON_API Value cumprod(const Value &x, int axis = 0, const ScanOptions &options = {},
                        Where where = Where::current());

/// The body of a region: takes values, fills in results. Internal, as all of `detail`.
namespace detail {
using Body = std::function<void(std::span<const Value> arguments, std::span<Value> results)>;

TIGON_API void reduce(std::span<const Value> inputs, Axis axis, const Body &combine, bool keepDims,
                      std::span<Value> results, Where where);
TIGON_API void scan(std::span<const Value> inputs, int axis, const Body &combine, bool reverse,
                    std::span<Value> results, Where where);
template <size_t N, typename F> Body combiner(F &combine);
} // namespace detail

/// Combines all elements along an axis; the function is to be associative and commutative, and
/// sees scalars: reduce(x, 0, [](Value a, Value b) { return a + b; }).
template <typename F>
Value reduce(const Value &x, Axis axis, F combine, bool keepDims = false,
             Where where = Where::current()) {
  Value result;
  detail::reduce({&x, 1}, axis, detail::combiner<1>(combine), keepDims, {&result, 1}, where);
  return result;
}
/// Several tiles of one shape at once: the function takes N values, then N others, and returns
/// Values<N>.
template <size_t N, typename F>
Values<N> reduce(const Value (&inputs)[N], Axis axis, F combine, bool keepDims = false,
                 Where where = Where::current()) {
  Values<N> results;
  detail::reduce(inputs, axis, detail::combiner<N>(combine), keepDims, results.items, where);
  return results;
}

/// Prefix combinations along an axis; tl.associative_scan.
template <typename F>
Value scan(const Value &x, int axis, F combine, bool reverse = false,
           Where where = Where::current()) {
  Value result;
  detail::scan({&x, 1}, axis, detail::combiner<1>(combine), reverse, {&result, 1}, where);
  return result;
}
template <size_t N, typename F>
Values<N> scan(const Value (&inputs)[N], int axis, F combine, bool reverse = false,
               Where where = Where::current()) {
  Values<N> results;
  detail::scan(inputs, axis, detail::combiner<N>(combine), reverse, results.items, where);
  return results;
}

// ---- Control ---------------------------------------------------------------------------------
//
// Loops and ifs of run-time values take lambdas. What a loop changes it carries: given in braces,
// passed to the body, returned by it, and bound at the end. What is known when the kernel is
// written is a plain C++ `for` or `if`.

/// tl.range's hints.
struct RangeOptions {
  int numStages = 0, loopUnrollFactor = 0;
  bool flatten = false, warpSpecialize = false, disallowAccMultiBuffer = false, disableLicm = false;
};

/// The carried values of a loop, for bodies that index them.
class Carried {
public:
  explicit Carried(std::span<const Value> values) : values(values) {}
  const Value &operator[](size_t index) const { return values[index]; }
  size_t size() const { return values.size(); }

private:
  std::span<const Value> values;
};

namespace detail {
TIGON_API void forRange(const Value &begin, const Value &end, const Value &step,
                        std::span<const Value> carried, const Body &body, std::span<Value> results,
                        const RangeOptions &options, Where where);
TIGON_API void whileLoop(std::span<const Value> carried, const Body &condition, const Body &body,
                         std::span<Value> results, Where where);
TIGON_API void ifElse(const Value &condition, const Body &then, const Body &otherwise,
                      std::span<Value> results, Where where);
template <size_t N, size_t Leading, size_t Results, typename F> Body loopBody(F &body);
template <typename F> Body branch(F &body);
} // namespace detail

/// `for i in range(begin, end, step)`. `i` has the integer type that the three promote to; a
/// negative step must be a number.
template <typename F>
  requires std::invocable<F &, Value>
void forRange(const Value &begin, const Value &end, const Value &step, F body,
              const RangeOptions &options = {}, Where where = Where::current()) {
  detail::forRange(
      begin, end, step, {}, [&](auto arguments, auto) { body(arguments[0]); }, {}, options, where);
}
/// The same with carried values, of which the body returns the next ones, of the same types:
///
///     auto [sum] = forRange(0, n, block, {zeros({block}, F32)}, [&](Value i, Value sum) {
///       return sum + load(x + i + columns, {.mask = i + columns < n});
///     });
///
/// A body takes `(Value i, Value first, Value second, ...)` or `(Value i, Carried c)`.
template <size_t N, typename F>
Values<N> forRange(const Value &begin, const Value &end, const Value &step,
                   const Value (&carried)[N], F body, const RangeOptions &options = {},
                   Where where = Where::current()) {
  Values<N> results;
  detail::forRange(begin, end, step, carried, detail::loopBody<N, 1, N>(body), results.items,
                   options, where);
  return results;
}

/// `while condition(carried): carried = body(carried)`.
template <size_t N, typename C, typename F>
Values<N> whileLoop(const Value (&carried)[N], C condition, F body,
                    Where where = Where::current()) {
  Values<N> results;
  detail::whileLoop(carried, detail::loopBody<N, 0, 1>(condition), detail::loopBody<N, 0, N>(body),
                    results.items, where);
  return results;
}

/// `if condition: ...` for its effects.
template <typename F> void ifThen(const Value &condition, F then, Where where = Where::current()) {
  detail::ifElse(condition, detail::branch(then), {}, {}, where);
}
/// `if condition: ... else: ...`. Branches return nothing, a Value, or Values of the same types:
///
///     auto [low, high] = ifElse(a < b, [&] { return Values{a, b}; }, [&] { return Values{b, a}; });
template <typename F, typename G>
auto ifElse(const Value &condition, F then, G otherwise, Where where = Where::current()) {
  using R = std::invoke_result_t<F &>;
  static_assert(std::is_same_v<R, std::invoke_result_t<G &>>,
                "both branches return the same number of values");
  if constexpr (std::is_void_v<R>) {
    detail::ifElse(condition, detail::branch(then), detail::branch(otherwise), {}, where);
  } else if constexpr (std::is_same_v<R, Value>) {
    Value result;
    detail::ifElse(condition, detail::branch(then), detail::branch(otherwise), {&result, 1}, where);
    return result;
  } else {
    R results;
    detail::ifElse(condition, detail::branch(then), detail::branch(otherwise), results.items,
                   where);
    return results;
  }
}
/// `if condition: return`, outside of loops and ifs.
TIGON_API void returnIf(const Value &condition, Where where = Where::current());

// ---- Hints and debugging ---------------------------------------------------------------------

/// Promise of a value that its elements (the first of each run) are multiples of these numbers,
/// that so many neighbours are consecutive, or equal; a number an axis.
TIGON_API Value multipleOf(const Value &x, const Shape &values, Where where = Where::current());
TIGON_API Value maxContiguous(const Value &x, const Shape &values, Where where = Where::current());
TIGON_API Value maxConstancy(const Value &x, const Shape &values, Where where = Where::current());
/// Promise that a scalar condition holds.
TIGON_API void assume(const Value &condition, Where where = Where::current());
/// A barrier among the threads of a program. Never needed for a right result (docs/semantics.md).
TIGON_API void debugBarrier(Where where = Where::current());
TIGON_API void devicePrint(std::string_view prefix, const std::vector<Value> &values = {},
                           bool hex = false, Where where = Where::current());
/// Stops the program where the condition is false.
TIGON_API void deviceAssert(const Value &condition, std::string_view message,
                            Where where = Where::current());

// ---- Adapting lambdas ------------------------------------------------------------------------

namespace detail {

/// Puts what a lambda returned, a Value or Values, where the region's results go.
template <typename R> void keep(const R &returned, std::span<Value> results) {
  if constexpr (std::is_convertible_v<R, Value>) {
    results[0] = returned;
  } else {
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = returned[i];
  }
}

template <typename R> constexpr size_t countOf = 1;
template <size_t N> constexpr size_t countOf<Values<N>> = N;

template <size_t> using ValueAt = Value;

template <size_t Leading, typename F, size_t... I>
decltype(auto) spreadAt(F &body, std::span<const Value> arguments, std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<F &, ValueAt<I>...>)
    return body(arguments[I]...);
  else if constexpr (Leading == 1)
    return body(arguments[0], Carried(arguments.subspan(1)));
  else
    return body(Carried(arguments));
}

/// Calls with `Leading` values one by one, then N values one by one or as Carried.
template <size_t N, size_t Leading, typename F>
decltype(auto) spread(F &body, std::span<const Value> arguments) {
  return spreadAt<Leading>(body, arguments, std::make_index_sequence<N + Leading>());
}

template <size_t N, typename F> Body combiner(F &combine) {
  return [&combine](std::span<const Value> arguments, std::span<Value> results) {
    auto returned = spread<2 * N, 0>(combine, arguments);
    static_assert(countOf<decltype(returned)> == N, "the function returns one value an input");
    keep(returned, results);
  };
}

template <size_t N, size_t Leading, size_t Results, typename F> Body loopBody(F &body) {
  return [&body](std::span<const Value> arguments, std::span<Value> results) {
    auto returned = spread<N, Leading>(body, arguments);
    static_assert(countOf<decltype(returned)> == Results, "the body returns what the loop carries");
    keep(returned, results);
  };
}

template <typename F> Body branch(F &body) {
  return [&body](std::span<const Value>, std::span<Value> results) {
    if constexpr (std::is_void_v<std::invoke_result_t<F &>>)
      body();
    else
      keep(body(), results);
  };
}

} // namespace detail

} // namespace tigon::lang

template <size_t N>
struct std::tuple_size<tigon::lang::Values<N>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N> struct std::tuple_element<I, tigon::lang::Values<N>> {
  using type = tigon::lang::Value;
};

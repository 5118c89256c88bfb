// SPDX-License-Identifier: Apache-2.0
//
// Tensors in host memory: what files hold, what tests compare.
//
//     auto x = tigon::HostTensor::randn(tigon::DType::BF16, {4, 1024}, /*seed=*/7);
//     buffer.copyFrom(x->data(), x->bytes());
#pragma once

#include "tigon/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigon {

/// Element types. Integers have no sign of their own, as in tile programs; i1 takes a byte. F8E4M3
/// is the one without infinities (MLIR's f8E4M3FN, Triton's fp8e4nv).
enum class DType : uint8_t { I1, I8, I16, I32, I64, F8E4M3, F8E5M2, F16, BF16, F32, F64 };

/// "i1", "f8E4M3FN", "bf16", as tile programs spell them.
TIGON_API std::string_view dtypeName(DType dtype);
/// The inverse; also takes "f8e4m3" and "f8e5m2".
TIGON_API std::optional<DType> parseDType(std::string_view name);
/// Bytes of an element.
TIGON_API size_t dtypeBytes(DType dtype);

/// The bits of the element nearest to `value`, ties to even, as a tile program would store it
/// (docs/semantics.md): floats too large become infinite, or the largest number in 8 bits, where
/// only an infinity that there is stays one (NumPy's ml_dtypes gives infinity or NaN there).
/// Integers are cut off towards 0 and stop at their bounds, NaN becoming 0; i1 is whether the value
/// differs from 0.
TIGON_API uint64_t encodeElement(DType dtype, double value);
/// The value of an element's bits: exact but for i64 beyond 2^53. Integers are read as signed. A
/// NaN of a type of up to 16 bits keeps its sign and payload both ways.
TIGON_API double decodeElement(DType dtype, uint64_t bits);

/// A dense tensor in row-major order, aligned to 64 bytes; a shape without axes has one element.
class TIGON_API HostTensor {
public:
  /// Fails if the shape has a negative extent or more bytes than there can be.
  static Result<HostTensor> zeros(DType dtype, std::vector<int64_t> shape);
  /// Independent standard normal numbers, rounded to a float type: the same bits for the same seed
  /// on every machine, and element i the same whatever the shape.
  static Result<HostTensor> randn(DType dtype, std::vector<int64_t> shape, uint64_t seed);

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t elements() const { return count; }
  size_t bytes() const { return size_t(count) * dtypeBytes(type); }
  void *data() { return memory.get(); }
  const void *data() const { return memory.get(); }

  /// Element `index` in row-major order.
  double get(int64_t index) const;
  void set(int64_t index, double value);

  /// "bf16[4,1024]", for messages.
  std::string description() const;

private:
  struct Free {
    TIGON_API void operator()(void *memory) const;
  };
  HostTensor(DType type, std::vector<int64_t> shape, int64_t count, void *memory)
      : type(type), extents(std::move(shape)), count(count), memory(memory) {}
  static Result<HostTensor> uninitialized(DType dtype, std::vector<int64_t> shape);

  DType type;
  std::vector<int64_t> extents;
  int64_t count;
  std::unique_ptr<void, Free> memory;
};

} // namespace tigon

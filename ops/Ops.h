// SPDX-License-Identifier: Apache-2.0
//
// Operators of language models: tile programs with what it takes to launch them. An operator is a
// struct of its operands and options; `plan` checks it and decides the launches, a Library compiles
// and runs them.
//
//     tigon::ops::Library library(*device);
//     auto plan = tigon::ops::plan(tigon::ops::RmsNorm{.x = x, .w = w, .y = y, .rstd = rstd},
//                                  device->properties());
//     library.run(*stream, *plan);
//
// A plan may be run as often as its tensors stay where they are. Nothing is allocated on the
// device: what a plan needs beside its tensors is its workspace, which the caller passes. Inputs
// are not written to unless an output is the same tensor, where that is allowed.
#pragma once

#include "tigon/Compiler.h"
#include "tigon/HostTensor.h"
#include "tigon/Lang.h"
#include "tigon/Runtime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tigon::ops {

/// A tensor in a device's memory, not owned. The strides, in elements, may be anything, 0 and
/// negative too; none are those of row-major order. Without data the tensor is not given.
struct Tensor {
  void *data = nullptr;
  DType dtype = DType::F32;
  std::vector<int64_t> shape, strides = {};

  explicit operator bool() const { return data; }
};

/// What is decided when a kernel is written, or how it is compiled; 0 leaves it to the plan.
struct Tuning {
  /// Elements of a tile.
  int64_t block = 0;
  /// Programs that share the rows, where an operator adds something up over them.
  int64_t programs = 0;
  PlanOptions compile = {};
};

// ---- Plans -----------------------------------------------------------------------------------

/// An address in the workspace, as an argument.
struct InWorkspace {
  uint64_t offset = 0;
};
using LaunchValue = std::variant<void *, InWorkspace, int32_t, int64_t, float>;

/// A kernel, and what it is launched with.
struct Launch {
  /// Name of the kernel, which tells everything that was decided when it was written: equal names
  /// are equal kernels.
  std::string kernel;
  std::function<void(lang::Kernel &)> write;
  PlanOptions compile = {};
  Grid grid = {};
  std::vector<LaunchValue> arguments = {};
};

/// What a Jit will note of a launch's arguments, their addresses taken as multiples of 16.
TIGON_API std::vector<ArgumentFact> factsOf(const Launch &launch);

struct Plan {
  /// In this order.
  std::vector<Launch> launches;
  uint64_t workspaceBytes = 0;
};

/// Compiled operators of a device. Safe to share between threads; of use as long as what it
/// launched runs.
class TIGON_API Library {
public:
  explicit Library(const Device &device);

  /// Gives a plan's launches to the stream, compiling what is not compiled yet. The workspace, if
  /// the plan needs one, is to be aligned to 256 bytes, and is free again when the launches are
  /// done.
  Result<void> run(const Stream &stream, const Plan &plan, Scratch workspace = {}) const;

  /// How often something was compiled.
  size_t compilations() const;

  struct State; ///< Internal.

private:
  std::shared_ptr<State> state;
};

// ---- Operators -------------------------------------------------------------------------------
//
// Tensors [..., n] are rows of n: the axes before the last are taken as one, and must stand so that
// a single stride leads from row to row. Floats are of f16, bf16 or f32, and computed in f32. Rows
// may have up to 2^20 elements; rows or elements may be none.

/// out = x + y, tensors of one shape. out may be x or y.
struct VectorAdd {
  Tensor x, y, out;
};

/// y = softmax(x) along the last axis, [..., n]. y may be x. A row with a NaN, with +inf, or of
/// -inf only is NaN.
struct Softmax {
  Tensor x, y;
};
/// dx = y * (dy - sum(y * dy)), [..., n]. dx may be dy or y.
struct SoftmaxBackward {
  Tensor y, dy, dx;
};

/// Where RMS norm rounds to the type of x, as Liger names it.
enum class Casting : uint8_t {
  Llama, ///< x / rms is rounded before it is multiplied by the weight
  Gemma, ///< nothing but the result
  None,  ///< the squares
};
/// y = x / sqrt(mean(x^2) + eps) * (offset + w), [..., n]; w [n], or none for a factor of 1. rstd
/// [...] of f32, the factor 1 / sqrt(...), is for the backward, and may be none. y may be x.
struct RmsNorm {
  Tensor x, w = {}, y, rstd = {};
  float eps = 1e-6f, offset = 0;
  Casting casting = Casting::Llama;
};
/// dx [..., n], and dw [n] unless it is none. dx may be dy or x.
struct RmsNormBackward {
  Tensor dy, x, w = {}, rstd, dx, dw = {};
  float offset = 0;
  Casting casting = Casting::Llama;
};

/// y = (x - mean) * rstd * w + b, [..., n], where rstd = 1 / sqrt(mean((x - mean)^2) + eps); w and b
/// [n], or none for 1 and 0. mean and rstd [...] of f32 are for the backward, and may be none. y may
/// be x.
struct LayerNorm {
  Tensor x, w = {}, b = {}, y, mean = {}, rstd = {};
  float eps = 1e-5f;
};
/// dx [..., n], and dw and db [n] unless they are none. dx may be dy or x.
struct LayerNormBackward {
  Tensor dy, x, w = {}, mean, rstd, dx, dw = {}, db = {};
};

/// out = silu(a) * b, silu(a) = a / (1 + exp(-a)), tensors of one shape. out may be a or b.
struct SwiGlu {
  Tensor a, b, out;
};
/// da and db may each be dout, a or b.
struct SwiGluBackward {
  Tensor dout, a, b, da, db;
};

/// out = gelu(a) * b, gelu(a) = a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 a^3))), tensors of
/// one shape. out may be a or b.
struct GeGlu {
  Tensor a, b, out;
};
/// da and db may each be dout, a or b.
struct GeGluBackward {
  Tensor dout, a, b, da, db;
};

/// How the losses of rows become one: each its own, their mean, their sum.
enum class Reduction : uint8_t { None, Mean, Sum };
/// Cross entropy of logits [..., n] and targets [...], i32 or i64, the index of the right class.
/// loss is of f32: [...] under Reduction::None, else one element. dlogits [..., n], of the logits'
/// type, is the gradient of the loss, under None of the sum; it may be the logits, or none. Rows
/// whose target is ignoreIndex have a loss and a gradient of 0 and do not count in the mean, which
/// is NaN if no row does. Rows of any other target that is not from 0 to n - 1 are NaN, and so are
/// rows with a NaN, with +inf, or of -inf only.
struct CrossEntropy {
  Tensor logits, target, loss, dlogits = {};
  int64_t ignoreIndex = -100;
  Reduction reduction = Reduction::Mean;
};

/// Jensen-Shannon divergence of log probabilities [..., n], x the student's and y the teacher's;
/// KL(teacher, student) for beta = 0, KL(student, teacher) for 1. loss is one element of f32, the
/// sum divided by the number of rows: of those whose target is not ignoreIndex if there are
/// targets, [...] of i32 or i64; the others are left out. Without any it is 0. dx [..., n] is the
/// loss's gradient; it may be x or y, or none.
struct Jsd {
  Tensor x, y, loss, dx = {}, target = {};
  float beta = 0.5f;
  int64_t ignoreIndex = -100;
};

/// Rotary position embedding: of q and k, [batch, length, heads, d] with any strides, the first
/// rotaryDim elements of each head (0: all) as pairs (i, i + rotaryDim / 2), turned by the angle
/// whose cosine and sine stand in cos and sin, [batch or 1, length, rotaryDim / 2 or more];
/// backward turns back, which is the gradient. k has heads of its own, or is none. outQ may be q,
/// outK may be k; what is not turned is copied.
struct Rope {
  Tensor q, k = {}, cos, sin, outQ, outK = {};
  int64_t rotaryDim = 0;
  bool backward = false;
};

#define TIGON_OPERATOR(name, formula)                                                              \
  TIGON_API Result<Plan> plan(const name &op, const DeviceProperties &device,                      \
                              const Tuning &tuning = {});
#include "tigon/Ops.def"

/// The operators and their formulas, as Ops.def lists them.
struct OperatorInfo {
  std::string_view name, formula;
};
TIGON_API std::span<const OperatorInfo> operators();

} // namespace tigon::ops

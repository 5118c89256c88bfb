// SPDX-License-Identifier: Apache-2.0
//
// Programs of one conversion, or of a little arithmetic, on whole columns of numbers: for ConversionTest and EverySingle.
#pragma once

#include "compiler/Compiler.h"
#include "dialect/interpreter/FloatFormat.h"
#include "runtime/Runtime.h"

#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tigon::conversions {

using interpreter::FloatFormat;
using interpreter::Rounding;

constexpr int64_t block = 256;

struct Element {
  std::string name;
  size_t bytes;
  const FloatFormat *format = nullptr; ///< null: integers
};

inline Element element(mlir::FloatType type, const char *name) {
  return {name, type.getWidth() / 8, interpreter::getFloatFormat(type)};
}
inline mlir::MLIRContext &context() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return context;
}
inline const Element f64 = element(mlir::Float64Type::get(&context()), "f64"),
                     f32 = element(mlir::Float32Type::get(&context()), "f32"),
                     f16 = element(mlir::Float16Type::get(&context()), "f16"),
                     bf16 = element(mlir::BFloat16Type::get(&context()), "bf16");
inline const std::vector<Element> byteTypes = {
    element(mlir::Float8E4M3FNType::get(&context()), "f8E4M3FN"),
    element(mlir::Float8E5M2Type::get(&context()), "f8E5M2"),
    element(mlir::Float8E4M3FNUZType::get(&context()), "f8E4M3FNUZ"),
    element(mlir::Float8E5M2FNUZType::get(&context()), "f8E5M2FNUZ")};
inline const Element i8 = {"i8", 1}, i32 = {"i32", 4}, i64 = {"i64", 8};

inline std::vector<Element> withWide(std::vector<Element> types) {
  types.insert(types.end(), {f16, bf16, f32, f64});
  return types;
}

//===-- columns of elements -----------------------------------------------------------------------===//

struct Column {
  Element element;
  std::vector<char> bytes;

  static Column zeros(const Element &element, size_t count) {
    return {element, std::vector<char>(count * element.bytes)};
  }
  /// Filled up with zeros to whole blocks.
  static Column of(const Element &element, const std::vector<uint64_t> &patterns) {
    Column column = zeros(element, (patterns.size() + block - 1) / block * block);
    for (size_t i = 0; i < patterns.size(); ++i)
      std::memcpy(column.bytes.data() + i * element.bytes, &patterns[i], element.bytes);
    return column;
  }
  static Column ofAll(const Element &element) {
    std::vector<uint64_t> patterns;
    for (uint64_t bits = 0; bits < uint64_t(1) << (8 * element.bytes); ++bits)
      patterns.push_back(bits);
    return of(element, patterns);
  }
  size_t size() const { return bytes.size() / element.bytes; }
  uint64_t at(size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * element.bytes, element.bytes);
    return bits;
  }
};

inline bool same(const Element &element, uint64_t a, uint64_t b) {
  return a == b || (element.format && std::isnan(element.format->decode(a)) &&
                    std::isnan(element.format->decode(b)));
}

//===-- programs ----------------------------------------------------------------------------------===//

inline std::string tile(const std::string &element) {
  return fmt::format("tensor<{}x{}>", block, element);
}

/// y = body(x0, x1, ...): `body` makes %r of %x0, %x1, ... and the indices %i.
inline std::string programOf(const std::string &body, const std::vector<Element> &operands,
                             const Element &result) {
  std::string arguments, loads;
  auto address = [&](const std::string &name, const Element &element) {
    std::string pointers = tile("!tt.ptr<" + element.name + ">");
    return fmt::format("%{0}_p = tt.addptr %{0}_, %start : !tt.ptr<{1}>, i32\n"
                       "%{0}_s = tt.splat %{0}_p : !tt.ptr<{1}> -> {2}\n"
                       "%{0}_a = tt.addptr %{0}_s, %i : {2}, {3}\n",
                       name, element.name, pointers, tile("i32"));
  };
  for (size_t k = 0; k < operands.size(); ++k) {
    std::string name = fmt::format("x{}", k);
    arguments += fmt::format("%{}_: !tt.ptr<{}>, ", name, operands[k].name);
    loads += address(name, operands[k]) + fmt::format("%{0} = tt.load %{0}_a : {1}\n", name,
                                                      tile("!tt.ptr<" + operands[k].name + ">"));
  }
  return fmt::format("tt.func public @k({}%y_: !tt.ptr<{}>) {{\n%pid = tt.get_program_id x : i32\n"
                     "%size = arith.constant {} : i32\n%start = arith.muli %pid, %size : i32\n"
                     "%i = tt.make_range {{start = 0 : i32, end = {} : i32}} : {}\n",
                     arguments, result.name, block, block, tile("i32")) +
         loads + body + "\n" + address("y", result) +
         fmt::format("tt.store %y_a, %r : {}\ntt.return\n}}\n",
                     tile("!tt.ptr<" + result.name + ">"));
}

/// A conversion that TTIR may have, in its words.
inline std::string conversionOf(const Element &from, const Element &to, Rounding rounding) {
  const char *words = from.bytes < to.bytes              ? ""
                      : rounding == Rounding::TowardZero ? ", rounding = rtz"
                                                         : ", rounding = rtne";
  return fmt::format("%r = tt.fp_to_fp %x0{} : {} -> {}", words, tile(from.name), tile(to.name));
}

class Loaded {
public:
  Loaded(Device &device, const std::string &program, const CompileOptions &options)
      : device(device), stream(*Stream::create(device)) {
    auto module = Module::parse(program, "conversion");
    if (!module) {
      ADD_FAILURE() << module.error().text() << "\n" << program;
      return;
    }
    auto compiled = compile(*module, options);
    if (!compiled) {
      ADD_FAILURE() << options.target << ": " << compiled.error().text() << "\n" << program;
      return;
    }
    auto loaded = Kernel::load(device, compiled->artifact);
    if (loaded)
      kernel.emplace(*loaded);
    else
      ADD_FAILURE() << options.target << ": " << loaded.error().text();
  }

  Column run(const std::vector<Column> &operands, const Element &result) {
    Column results = Column::zeros(result, operands.front().size());
    if (!kernel)
      return results;
    std::vector<Buffer> buffers;
    std::vector<Argument> list;
    for (const Column &operand : operands) {
      buffers.push_back(*Buffer::allocate(device, operand.bytes.size()));
      EXPECT_TRUE(bool(buffers.back().copyFrom(operand.bytes.data(), operand.bytes.size())));
    }
    buffers.push_back(*Buffer::allocate(device, results.bytes.size()));
    for (const Buffer &buffer : buffers)
      list.push_back(makeArgument(buffer));
    auto launched = kernel->launch(stream, {.x = int(results.size() / block)}, list);
    EXPECT_TRUE(bool(launched)) << (launched ? "" : launched.error().text());
    EXPECT_TRUE(bool(stream.synchronize()));
    EXPECT_TRUE(bool(buffers.back().copyTo(results.bytes.data(), results.bytes.size())));
    return results;
  }

private:
  Device &device;
  Stream stream;
  std::optional<Kernel> kernel;
};

/// Targets to compile for: with instructions for floats of 8 and 16 bits, and without.
inline std::vector<std::string> targetsOf(const Device &device) {
  if (device.properties().kind == DeviceKind::Cpu)
    return {"cpu:x86-64-v2", "cpu:x86-64-v3"};
  return {device.properties().target, "sm_80"};
}

} // namespace tigon::conversions

// SPDX-License-Identifier: Apache-2.0
//
// Tile programs for the interpreter's tests: parsed from a text, run on plain C++ values.
//
//     Program program(R"(tt.func public @add(%x: !tt.ptr<f32>, %n: i32) { ... })");
//     std::vector<float> x(16); int32_t n = 10;
//     EXPECT_EQ(program.run({}, x, n), "");        // or the error's text
#pragma once

#include "dialect/Dialects.h"
#include "dialect/interpreter/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tigon::interpreter {

class Program {
public:
  explicit Program(const std::string &text) : context(makeRegistry()) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test.ttir");
    EXPECT_TRUE(module) << text;
  }

  /// Run the first function; vectors are passed as pointers to their elements. Gives the error's
  /// text, empty if there is none.
  template <typename... Ts> std::string run(const Options &options, Ts &&...arguments) {
    return runOn({}, options, arguments...);
  }
  template <typename... Ts>
  std::string runOn(Grid grid, const Options &options, Ts &&...arguments) {
    if (!module)
      return "no module";
    auto values = std::make_tuple(toValue(arguments)...);
    std::vector<const void *> pointers;
    std::apply([&](auto &...value) { (pointers.push_back(&value), ...); }, values);
    tt::FuncOp kernel = *module->getOps<tt::FuncOp>().begin();
    return llvm::toString(interpret(kernel, pointers, grid, options));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerTileDialects(registry);
    return registry;
  }
  template <typename T> static const T *toValue(const std::vector<T> &vector) {
    return vector.data();
  }
  template <typename T> static T toValue(const T &scalar) { return scalar; }
};

/// Evaluate `body`, which makes %r of the operands %0, %1, ..., tiles of as many elements as each of
/// `operands` has. `types` are the operands' element types, `result` is the result's, R and Ts the
/// C++ types of their bits. (Names of our own begin with $.)
template <typename R, typename... Ts>
std::vector<R> evaluate(const std::string &body, const std::vector<std::string> &types,
                        const std::string &result, const std::vector<Ts> &...operands) {
  const size_t sizes[] = {operands.size()...};
  std::string n = std::to_string(sizes[0]);
  // The pointers to the elements at `argument`, as `name`.
  auto pointers = [&](const std::string &name, const std::string &argument,
                      const std::string &type) {
    std::string tile = "tensor<" + n + "x!tt.ptr<" + type + ">>";
    return name + "s = tt.splat " + argument + " : !tt.ptr<" + type + "> -> " + tile + "\n" + name +
           " = tt.addptr " + name + "s, %$i : " + tile + ", tensor<" + n + "xi32>\n";
  };
  std::string arguments, loads;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string number = std::to_string(i), name = "%$p" + number;
    arguments += "%$x" + number + ": !tt.ptr<" + types[i] + ">, ";
    loads += pointers(name, "%$x" + number, types[i]) + "%" + number + " = tt.load " + name +
             " : tensor<" + n + "x!tt.ptr<" + types[i] + ">>\n";
  }
  Program program("tt.func public @k(" + arguments + "%$y: !tt.ptr<" + result +
                  ">) {\n%$i = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" +
                  n + "xi32>\n" + loads + body + "\n" + pointers("%$q", "%$y", result) +
                  "tt.store %$q, %r : tensor<" + n + "x!tt.ptr<" + result + ">>\ntt.return\n}");
  std::vector<R> results(sizes[0]);
  EXPECT_EQ(program.run({}, operands..., results), "");
  return results;
}

} // namespace tigon::interpreter

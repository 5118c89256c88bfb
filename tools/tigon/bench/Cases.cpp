// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/bench/Cases.h"

#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <sstream>

namespace tigon::bench {

using namespace ops;

namespace {

using Make = std::function<Result<Plan>(const Case &, Operands &, const DeviceProperties &)>;

/// Rows of n, and what else operators of rows take.
struct RowOperands {
  RowOperands(const Case &at, Operands &operands) : at(at), operands(operands) {}
  Tensor in(const std::string &name, const std::string &holds = "normal") {
    return operands(name, at.dtype, {at.rows, at.n}, holds);
  }
  Tensor out(const std::string &name) { return in(name, "out"); }
  Tensor line(const std::string &name, const std::string &holds = "normal") {
    return operands(name, at.dtype, {at.n}, holds);
  }
  Tensor perRow(const std::string &name, const std::string &holds) {
    return operands(name, DType::F32, {at.rows}, holds);
  }
  const Case &at;
  Operands &operands;
};

template <typename Function> Make rows(Function function) {
  return [function](const Case &at, Operands &operands, const DeviceProperties &device) {
    RowOperands of(at, operands);
    return plan(function(of), device, at.tuning);
  };
}

// Four sequences with heads of 128, a quarter as many of keys as of queries: n is that of a token's heads together.
Rope rope(RowOperands &o, bool backward) {
  int64_t heads = o.at.n / 128, keys = heads / 5, length = o.at.rows / 4;
  auto tensor = [&](const char *name, int64_t count, const char *holds) {
    return o.operands(name, o.at.dtype, {4, length, count, 128}, holds);
  };
  Rope rope = {.q = tensor(backward ? "dq_out" : "q", heads - keys, "normal"),
               .k = tensor(backward ? "dk_out" : "k", keys, "normal"),
               .cos = o.operands("cos", o.at.dtype, {1, length, 128}, "angles"),
               .sin = o.operands("sin", o.at.dtype, {1, length, 128}, "angles"),
               .outQ = tensor(backward ? "dq" : "q_out", heads - keys, "out"),
               .outK = tensor(backward ? "dk" : "k_out", keys, "out")};
  rope.backward = backward;
  return rope;
}

const std::map<std::string, Make> makers = {
    {"vector_add", rows([](RowOperands &o) {
       return VectorAdd{.x = o.in("x"), .y = o.in("dy"), .out = o.out("out")};
     })},
    {"softmax", rows([](RowOperands &o) { return Softmax{.x = o.in("x"), .y = o.out("out")}; })},
    {"softmax_backward", rows([](RowOperands &o) {
       return SoftmaxBackward{.y = o.in("y", "softmax"), .dy = o.in("dy"), .dx = o.out("dx")};
     })},
    {"rms_norm", rows([](RowOperands &o) {
       return RmsNorm{
           .x = o.in("x"), .w = o.line("w"), .y = o.out("out"), .rstd = o.perRow("rstd", "out")};
     })},
    {"rms_norm_backward", rows([](RowOperands &o) {
       return RmsNormBackward{.dy = o.in("dy"),
                              .x = o.in("x"),
                              .w = o.line("w"),
                              .rstd = o.perRow("rstd", "rms_rstd"),
                              .dx = o.out("dx"),
                              .dw = o.line("dw", "out")};
     })},
    {"layer_norm", rows([](RowOperands &o) {
       return LayerNorm{.x = o.in("x"),
                        .w = o.line("w"),
                        .b = o.line("b"),
                        .y = o.out("out"),
                        .mean = o.perRow("mean", "out"),
                        .rstd = o.perRow("rstd", "out")};
     })},
    {"layer_norm_backward", rows([](RowOperands &o) {
       return LayerNormBackward{.dy = o.in("dy"),
                                .x = o.in("x"),
                                .w = o.line("w"),
                                .mean = o.perRow("mean", "mean"),
                                .rstd = o.perRow("rstd", "layer_rstd"),
                                .dx = o.out("dx"),
                                .dw = o.line("dw", "out"),
                                .db = o.line("db", "out")};
     })},
    {"swiglu", rows([](RowOperands &o) {
       return SwiGlu{.a = o.in("x"), .b = o.in("up"), .out = o.out("out")};
     })},
    {"swiglu_backward", rows([](RowOperands &o) {
       return SwiGluBackward{.dout = o.in("dy"),
                             .a = o.in("x"),
                             .b = o.in("up"),
                             .da = o.out("dx"),
                             .db = o.out("dup")};
     })},
    {"geglu", rows([](RowOperands &o) {
       return GeGlu{.a = o.in("x"), .b = o.in("up"), .out = o.out("out")};
     })},
    {"geglu_backward", rows([](RowOperands &o) {
       return GeGluBackward{.dout = o.in("dy"),
                            .a = o.in("x"),
                            .b = o.in("up"),
                            .da = o.out("dx"),
                            .db = o.out("dup")};
     })},
    {"cross_entropy", rows([](RowOperands &o) {
       return CrossEntropy{.logits = o.in("x"),
                           .target = o.operands("targets", DType::I64, {o.at.rows}, "targets"),
                           .loss = o.operands("loss", DType::F32, {}, "out"),
                           .dlogits = o.out("dx")};
     })},
    {"jsd", rows([](RowOperands &o) {
       return Jsd{.x = o.in("x", "log_softmax"),
                  .y = o.in("y", "log_softmax"),
                  .loss = o.operands("loss", DType::F32, {}, "out"),
                  .dx = o.out("dx")};
     })},
    {"rope", rows([](RowOperands &o) { return rope(o, /*backward=*/false); })},
    {"rope_backward", rows([](RowOperands &o) { return rope(o, /*backward=*/true); })},
};

// Of Llama 3 8B: hidden states of 4096, 14336 inside the gated units, a vocabulary of 128256, 32 heads of queries and 8 of keys.
const char *const standard[] = {"vector_add:8192x4096",
                                "softmax:8192x4096",
                                "softmax:4096x32768",
                                "softmax:4096x16384",
                                "softmax:16384x1000",
                                "softmax_backward:4096x32768",
                                "softmax_backward:8192x4096",
                                "rms_norm:8192x4096",
                                "rms_norm:4096x32768",
                                "rms_norm:16384x1000",
                                "rms_norm_backward:8192x4096",
                                "rms_norm_backward:4096x32768",
                                "rms_norm_backward:4096x16384",
                                "rms_norm_backward:16384x1000",
                                "layer_norm:8192x4096",
                                "layer_norm:4096x16384",
                                "layer_norm_backward:8192x4096",
                                "layer_norm_backward:4096x16384",
                                "swiglu:8192x14336",
                                "swiglu_backward:8192x14336",
                                "geglu:8192x14336",
                                "geglu_backward:8192x14336",
                                "rope:8192x5120",
                                "rope_backward:8192x5120",
                                "cross_entropy:8192x128256",
                                "jsd:4096x128256"};

} // namespace

uint64_t Operand::bytes() const {
  uint64_t count = dtypeBytes(dtype);
  for (int64_t extent : shape)
    count *= uint64_t(extent);
  return count;
}

Tensor Operands::operator()(const std::string &name, DType dtype, std::vector<int64_t> shape,
                            const std::string &holds) {
  size_t index = operands.size();
  operands.push_back({name, dtype, shape, holds});
  void *address = index < addresses.size() ? addresses[index] : reinterpret_cast<void *>(index + 1);
  return {.data = address, .dtype = dtype, .shape = std::move(shape)};
}

std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  for (const auto &[name, make] : makers)
    names.push_back(name);
  return names;
}

Result<Plan> planCase(const Case &at, Operands &operands, const DeviceProperties &device) {
  return makers.at(at.name)(at, operands, device);
}

std::vector<std::string> standardCases() {
  std::vector<std::string> cases;
  for (const char *dtype : {"bf16", "f32"})
    for (const std::string text : standard)
      cases.push_back(text.substr(0, text.find(':') + 1) + dtype + text.substr(text.find(':')));
  return cases;
}

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    words.push_back(word);
  return words;
}

} // namespace

Result<Case> readCase(const std::string &text) {
  Case at;
  at.text = text;
  std::vector<std::string> words = split(text, ':');
  auto wrong = [&](const std::string &what) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("case '{}': found '{}', expected OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,"
                            "...]",
                            text, what));
  };
  if (words.size() < 3)
    return wrong(text);
  at.name = words[0];
  if (!makers.contains(at.name))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("case '{}': found operator '{}', expected one of {}", text, at.name,
                            fmt::join(operatorNames(), ", ")));
  if (words[1] == "bf16")
    at.dtype = DType::BF16;
  else if (words[1] == "f16")
    at.dtype = DType::F16;
  else if (words[1] != "f32")
    return wrong(words[1]);
  if (std::sscanf(words[2].c_str(), "%ldx%ld", &at.rows, &at.n) != 2)
    return wrong(words[2]);
  if (words.size() > 3)
    for (const std::string &field : split(words[3], ',')) {
      auto parts = split(field, '=');
      int value = 0;
      if (parts.size() != 2 ||
          std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), value).ptr !=
              parts[1].data() + parts[1].size())
        return wrong(field);
      PlanOptions &plan = at.tuning.compile;
      const std::pair<const char *, int *> ofPlan[] = {{"warps", &plan.warps},
                                                       {"strip", &plan.strip},
                                                       {"ctas", &plan.ctas},
                                                       {"stages", &plan.stages},
                                                       {"hold", &plan.hold}};
      const std::pair<const char *, int64_t *> ofTuning[] = {{"block", &at.tuning.block},
                                                             {"programs", &at.tuning.programs}};
      bool known = false;
      for (auto [name, place] : ofPlan)
        if (parts[0] == name)
          *place = value, known = true;
      for (auto [name, place] : ofTuning)
        if (parts[0] == name)
          *place = value, known = true;
      if (!known)
        return wrong(field);
    }
  return at;
}

} // namespace tigon::bench

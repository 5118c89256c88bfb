// SPDX-License-Identifier: Apache-2.0
//
// tigon-compile-time: how long a kernel takes from text to PTX, in a warm process and in a cold one, and on to machine code.
//
//     tigon-compile-time [FILE.ttir ...]      default: RMS norm forward and a 65536-wide JSD
#include "tigon/Compiler.h"
#include "tigon/Lang.h"
#include "tigon/Ops.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace tigon;
namespace tl = tigon::lang;

namespace {

double milliseconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

[[noreturn]] void complain(const std::string &message) {
  fmt::print(stderr, "tigon-compile-time: {}\n", message);
  std::exit(1);
}

// Generalised Jensen-Shannon divergence of two rows of log-probabilities, and its gradient: the row whole, in one tile.
//   m = beta e^p + (1 - beta) e^q,  loss = beta e^p (p - log m) + (1 - beta) e^q (q - log m),
//   dq = (1 - beta) e^q (q - log m)
std::string jsdText(int64_t n) {
  tl::Kernel k("jsd");
  auto q = k.pointer("q", tl::F32, {.divisibility = 16}),
       p = k.pointer("p", tl::F32, {.divisibility = 16});
  auto loss = k.pointer("loss", tl::F32, {.divisibility = 16}),
       dq = k.pointer("dq", tl::F32, {.divisibility = 16});
  auto stride = k.scalar("stride", tl::I64, {.divisibility = 16});
  auto vocabulary = k.scalar("vocabulary", tl::I32, {.divisibility = 16});
  auto beta = k.scalar("beta", tl::F32);
  auto columns = tl::arange(0, n), mask = columns < vocabulary;
  auto row = tl::programId(0).to(tl::I64) * stride;
  auto x = load(q + row + columns, {.mask = mask, .other = -INFINITY});
  auto y = load(p + row + columns, {.mask = mask, .other = -INFINITY});
  auto ex = exp(x), ey = exp(y);
  auto m = beta * ey + (1.0 - beta) * ex, logM = log(m);
  auto dx = (1.0 - beta) * ex * (x - logM);
  store(loss + row + columns, beta * ey * (y - logM) + dx, {.mask = mask});
  store(dq + row + columns, dx, {.mask = mask});
  auto module = k.build();
  if (!module)
    complain(module.error().text());
  return module->text();
}

std::string rmsNormText() {
  auto fake = [](uintptr_t name) { return reinterpret_cast<void *>(name); };
  ops::Tensor x{fake(16), DType::BF16, {8192, 4096}}, y{fake(32), DType::BF16, {8192, 4096}},
      w{fake(48), DType::BF16, {4096}}, rstd{fake(64), DType::F32, {8192}};
  DeviceProperties device{.kind = DeviceKind::Cuda, .target = "sm_90", .processors = 132};
  auto plan = ops::plan(ops::RmsNorm{.x = x, .w = w, .y = y, .rstd = rstd}, device);
  if (!plan)
    complain(plan.error().text());
  tl::Kernel kernel(plan->launches[0].kernel);
  plan->launches[0].write(kernel);
  auto module = kernel.build();
  if (!module)
    complain(module.error().text());
  return module->text();
}

std::string toPtx(const std::string &text, const std::string &name) {
  auto module = Module::parse(text, name);
  if (!module)
    complain(module.error().text());
  auto compilation = compile(*module, {.target = "sm_90"});
  if (!compilation)
    complain(compilation.error().text());
  return compilation->artifact.code;
}

void report(const std::string &name, const std::string &text) {
  auto folder = std::filesystem::temp_directory_path();
  std::string source = folder / fmt::format("compile-time-{}.ttir", getpid());
  std::string ptx = folder / fmt::format("compile-time-{}.ptx", getpid());
  std::ofstream(source) << text;
  // The command beside this one: what a user waits for who calls it once.
  std::string tool = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tigon";
  std::string command = fmt::format("'{}' compile '{}' --target=sm_90 -o '{}'", tool, source, ptx);
  std::vector<double> cold, warm;
  for (int i = 0; i < 11; ++i)
    cold.push_back(milliseconds([&] {
      if (std::system(command.c_str()))
        complain("'tigon compile' failed");
    }));
  double first = milliseconds([&] { toPtx(text, name); });
  for (int i = 0; i < 31; ++i)
    warm.push_back(milliseconds([&] { toPtx(text, name); }));
  std::string assembled = "no ptxas";
  if (!std::system("ptxas --version > /dev/null 2>&1")) {
    std::string assemble = fmt::format("ptxas -arch=sm_90 '{}' -o /dev/null", ptx);
    double took = milliseconds([&] {
      if (std::system(assemble.c_str()))
        complain("ptxas failed");
    });
    assembled = fmt::format("{:6.0f} ms with ptxas", median(cold) + took);
  }
  fmt::print("{:24} to PTX: {:6.1f} ms warm (median of {}), {:6.1f} ms first, {:6.1f} ms a process "
             "(median of {}); {}\n",
             name, median(warm), warm.size(), first, median(cold), cold.size(), assembled);
  std::filesystem::remove(source);
  std::filesystem::remove(ptx);
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 1) {
    report("RMS norm forward", rmsNormText());
    report("JSD, 65536 wide", jsdText(65536));
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    report(std::filesystem::path(argv[i]).filename(), text);
  }
}

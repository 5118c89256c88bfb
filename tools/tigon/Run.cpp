// SPDX-License-Identifier: Apache-2.0
//
// tigon run: one launch of a kernel, on any device, and what came of it.
#include "tigon/Agreement.h"
#include "tigon/Npy.h"
#include "tigon/Runtime.h"
#include "tigon/Safetensors.h"
#include "tools/tigon/Commands.h"
#include "tools/tigon/Inputs.h"
#include "tools/tigon/Values.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace tigon::cli {
namespace {

constexpr const char *examples = R"(VALUE is a number, or for a pointer one of
  @x.npy  @x.safetensors:NAME  zeros:f32[4,1024]  randn:bf16[4,1024]:SEED  =OTHER (the same buffer)
Examples:
  tigon run add.ttir --grid=4 --arg x=randn:f32[4096]:1 --arg y=@y.npy --arg z=zeros:f32[4096] --arg n=4096 --out z=z.npy
  tigon run scale.ttir --device=cuda:0 --grid=4 --arg x=randn:bf16[4,1024] --arg y==x --arg factor=0.5
  tigon run softmax.ttir --device=cpu --grid=4 --arg y=zeros:f32[4,1024] --arg x=randn:f32[4,1024] --arg n=1024 \
    --compare=interpreter)";

struct RunArguments {
  std::string file, device = "cpu", grid = "1", compare;
  std::vector<std::string> values, outputs;
  CompileFlags flags;
};

/// A kernel on one device, with buffers for its tensors.
struct Launch {
  std::vector<std::pair<std::shared_ptr<HostTensor>, std::shared_ptr<Buffer>>> buffers;
  double milliseconds = 0;

  const Buffer *find(const HostTensor *tensor) const {
    for (auto &[host, buffer] : buffers)
      if (host.get() == tensor)
        return buffer.get();
    return nullptr;
  }
};

Result<Grid> readGrid(const std::string &text) {
  Grid grid;
  int64_t *axes[] = {&grid.x, &grid.y, &grid.z};
  std::vector<std::string> words = splitWords(text, ',');
  bool isGood = !words.empty() && words.size() <= 3 && text.back() != ',';
  for (size_t i = 0; isGood && i < words.size(); ++i) {
    char *end = nullptr;
    *axes[i] = std::strtoll(words[i].c_str(), &end, 10);
    isGood = !words[i].empty() && !*end;
  }
  if (!isGood)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--grid: found '{}', expected X, X,Y or X,Y,Z", text));
  return grid;
}

/// A kernel on the CPU that leaves its buffers may break anything in this process.
void explainSignal(int) {
  constexpr char message[] =
      "tigon: the kernel accessed memory outside of its buffers; run it with "
      "--device=interpreter to see where\n";
  (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
  _exit(1);
}

/// Compile for the device, copy the tensors there, launch, wait.
Result<Launch> launchOn(const std::string &name, const Module &module, CompileOptions options,
                        const std::vector<ArgumentInfo> &infos,
                        const std::vector<ArgumentValue> &values, Grid grid) {
  auto device = Device::open(name);
  if (!device)
    return device.error();
  options.target = device->properties().target;
  if (device->properties().kind == DeviceKind::Cpu)
    options.target = "cpu"; // with all that this very processor has
  auto compiled = compile(module, options);
  if (!compiled)
    return compiled.error();
  auto kernel = Kernel::load(*device, compiled->artifact);
  if (!kernel)
    return kernel.error();
  auto stream = Stream::create(*device);
  if (!stream)
    return stream.error();
  Launch launch;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    const ArgumentValue &value = values[i];
    if (!value.tensor) {
      arguments.push_back({&value.bits, infos[i].kind, infos[i].bytes});
      continue;
    }
    const Buffer *buffer = launch.find(value.tensor.get());
    if (!buffer) {
      auto allocated = Buffer::allocate(*device, value.tensor->bytes());
      if (!allocated)
        return allocated.error();
      if (auto copied = allocated->copyFrom(value.tensor->data(), value.tensor->bytes()); !copied)
        return copied.error();
      launch.buffers.emplace_back(value.tensor, std::make_shared<Buffer>(std::move(*allocated)));
      buffer = launch.buffers.back().second.get();
    }
    arguments.push_back(makeArgument(*buffer));
  }
  if (auto prepared = kernel->prepare(grid); !prepared)
    return prepared.error();
  auto start = Event::create(*device), end = Event::create(*device);
  if (!start || !end)
    return (start ? end : start).error();
  if (auto done = start->record(*stream); !done)
    return done.error();
  if (device->properties().kind == DeviceKind::Cpu)
    for (int number : {SIGSEGV, SIGBUS, SIGABRT})
      std::signal(number, explainSignal);
  if (auto done = kernel->launch(*stream, grid, arguments); !done)
    return done.error();
  if (auto done = end->record(*stream); !done)
    return done.error();
  if (auto done = stream->synchronize(); !done)
    return done.error();
  auto elapsed = Event::elapsedMilliseconds(*start, *end);
  if (!elapsed)
    return elapsed.error();
  launch.milliseconds = *elapsed;
  return launch;
}

Result<std::vector<char>> download(const Buffer &buffer) {
  std::vector<char> bytes(buffer.bytes());
  if (auto copied = buffer.copyTo(bytes.data(), bytes.size()); !copied)
    return copied.error();
  return bytes;
}

/// A buffer to write to a file: which argument, and where.
struct Output {
  size_t argument = 0;
  std::string path;
};

Result<std::vector<Output>> readOutputs(const std::vector<ArgumentInfo> &infos,
                                        const std::vector<std::string> &spelled) {
  std::vector<Output> outputs;
  for (const std::string &output : spelled) {
    auto parts = splitAtEquals(output);
    size_t i = 0;
    while (parts && i < infos.size() &&
           (infos[i].name != parts->first || infos[i].kind != ArgumentKind::Pointer))
      ++i;
    if (!parts || i == infos.size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("--out: found '{}', expected NAME=FILE, with the name of a pointer "
                              "argument of: {}",
                              output, namesOf(infos)));
    if (!parts->second.ends_with(".npy") && !parts->second.ends_with(".safetensors"))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("--out: found the file '{}', expected x.npy or x.safetensors",
                              parts->second));
    outputs.push_back({i, parts->second});
  }
  return outputs;
}

Result<void> writeTensor(const Output &output, const std::string &name, const HostTensor &like,
                         const Buffer &buffer) {
  auto tensor = HostTensor::zeros(like.dtype(), like.shape());
  if (!tensor)
    return tensor.error();
  if (auto copied = buffer.copyTo(tensor->data(), tensor->bytes()); !copied)
    return copied;
  return output.path.ends_with(".npy") ? writeNpy(output.path, *tensor)
                                       : writeSafetensors(output.path, {{name, &*tensor}});
}

/// A line for each buffer; false if one disagrees.
Result<bool> compareBuffers(const std::vector<ArgumentInfo> &infos,
                            const std::vector<ArgumentValue> &values, const Launch &got,
                            const Launch &exact, const Launch &wide) {
  bool agrees = true;
  std::vector<const HostTensor *> done;
  for (size_t i = 0; i < values.size(); ++i) {
    const HostTensor *tensor = values[i].tensor.get();
    if (!tensor || std::find(done.begin(), done.end(), tensor) != done.end())
      continue;
    done.push_back(tensor);
    auto gotBytes = download(*got.find(tensor)), exactBytes = download(*exact.find(tensor));
    auto unrounded = unroundedValues(*wide.find(tensor), tensor->dtype());
    if (!gotBytes || !exactBytes || !unrounded)
      return !gotBytes ? gotBytes.error() : !exactBytes ? exactBytes.error() : unrounded.error();
    Agreement agreement = judge(tensor->dtype(), gotBytes->data(), exactBytes->data(), *unrounded,
                                tensor->elements());
    std::printf("  %s: %s\n", infos[i].name.c_str(), agreement.text().c_str());
    agrees &= agreement.agrees;
  }
  return agrees;
}

int runKernel(const RunArguments &arguments) {
  auto grid = readGrid(arguments.grid);
  if (!grid)
    return complain(grid.error().text());
  auto options = arguments.flags.read();
  if (!options)
    return complain(options.error().text());
  if (!arguments.compare.empty() && arguments.compare != "interpreter")
    return complain(fmt::format("--compare: found '{}', expected interpreter", arguments.compare));
  auto module = readModule(arguments.file);
  if (!module)
    return complain(module.error().text());
  std::string kernel = options->kernel;
  if (kernel.empty() && module->kernels().size() == 1)
    kernel = module->kernels().front();
  auto infos = module->arguments(kernel);
  if (!infos)
    return complain(infos.error().text());
  auto outputs = readOutputs(*infos, arguments.outputs);
  if (!outputs)
    return complain(outputs.error().text());
  auto values = readValues(*infos, arguments.values);
  if (!values)
    return complain(values.error().text());
  // The interpreter goes first: it says where a kernel leaves its buffers, and breaks nothing.
  std::optional<Launch> exact, wide;
  for (auto [name, result] : {std::pair("interpreter", &exact), {"interpreter:wide", &wide}}) {
    if (arguments.compare.empty())
      break;
    auto interpreted = launchOn(name, *module, *options, *infos, *values, *grid);
    if (!interpreted)
      return complain(interpreted.error().text());
    *result = std::move(*interpreted);
  }
  auto launch = launchOn(arguments.device, *module, *options, *infos, *values, *grid);
  if (!launch)
    return complain(launch.error().text());
  std::printf("%s: %lld x %lld x %lld programs on %s took %.3f ms\n", kernel.c_str(),
              static_cast<long long>(grid->x), static_cast<long long>(grid->y),
              static_cast<long long>(grid->z), arguments.device.c_str(), launch->milliseconds);
  for (const Output &output : *outputs) {
    const HostTensor &tensor = *(*values)[output.argument].tensor;
    auto written =
        writeTensor(output, (*infos)[output.argument].name, tensor, *launch->find(&tensor));
    if (!written)
      return complain(written.error().text());
  }
  if (arguments.compare.empty())
    return 0;
  auto agrees = compareBuffers(*infos, *values, *launch, *exact, *wide);
  if (!agrees)
    return complain(agrees.error().text());
  return *agrees ? 0
                 : complain(fmt::format("found results on {} that disagree with the interpreter's",
                                        arguments.device));
}

} // namespace

void addRun(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App *command = app.add_subcommand("run", "launch a kernel once, on any device");
  command->add_option("FILE", arguments->file, "TTIR text; - for standard input")->required();
  command->add_option("--device", arguments->device,
                      "cpu (default), cuda:0, interpreter or interpreter:wide");
  command->add_option("--grid", arguments->grid, "X,Y,Z: how many programs run; default 1");
  command->add_option("--arg", arguments->values, "NAME=VALUE, for each argument")
      ->allow_extra_args(false);
  command
      ->add_option("--out", arguments->outputs, "NAME=FILE: write a buffer to .npy or .safetensors")
      ->allow_extra_args(false);
  command->add_option("--compare", arguments->compare,
                      "interpreter: check the result against the interpreter's");
  arguments->flags.add(*command);
  command->footer(examples);
  command->callback(
      [arguments, &action] { action = [arguments] { return runKernel(*arguments); }; });
}

} // namespace tigon::cli

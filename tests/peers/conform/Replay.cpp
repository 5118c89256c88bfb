// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Replay.h"

#include "runtime/Agreement.h"
#include "tests/peers/conform/Elements.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace tigon::conform {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t most = uint64_t(1) << 30; // bytes of all blocks
constexpr char pattern = 0x5a;
/// For programs that may wait for others, which do not run.
constexpr uint64_t maxOps = 20'000'000;

template <typename... Ts> Error refuse(fmt::format_string<Ts...> format, Ts &&...values) {
  return fail(ErrorCode::Unsupported, fmt::format(format, std::forward<Ts>(values)...));
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The type in memory that an argument points to, or null.
mlir::Type pointeeOf(mlir::Type type) {
  if (auto pointer = llvm::dyn_cast<tt::PointerType>(type))
    return pointer.getPointeeType();
  if (auto descriptor = llvm::dyn_cast<tt::TensorDescType>(type))
    return descriptor.getBlockType().getElementType();
  return {};
}

} // namespace

Result<std::unique_ptr<Replay>> Replay::create(const RecordedLaunch &launch, tt::FuncOp kernel) {
  std::unique_ptr<Replay> replay(new Replay(kernel));
  for (int64_t extent : launch.grid)
    if (extent < 0 || extent > INT32_MAX)
      return refuse("found a grid axis of {}", extent);
  replay->grid = {uint32_t(launch.grid[0]), uint32_t(launch.grid[1]), uint32_t(launch.grid[2])};
  unsigned __int128 programs = (unsigned __int128)launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (!programs || programs > INT64_MAX)
    return refuse("found a grid of {} x {} x {} programs", launch.grid[0], launch.grid[1],
                  launch.grid[2]);
  replay->total = uint64_t(programs);
  if (auto made = replay->makeBlocks(launch); !made)
    return made.error();
  if (auto made = replay->makeArguments(launch); !made)
    return made.error();
  return replay;
}

Result<void> Replay::makeBlocks(const RecordedLaunch &launch) {
  uint64_t sum = 0;
  for (const RecordedArgument &argument : launch.arguments) {
    if (!argument.tensor.storage || !argument.tensor.storage->second)
      continue;
    auto [address, bytes] = *argument.tensor.storage;
    if ((sum += bytes) > most || bytes > most)
      return refuse("more than {} bytes of memory", most);
    Block block;
    block.recorded = address;
    block.bytes = bytes;
    block.name = argument.name;
    blocks.push_back(std::move(block));
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block &a, const Block &b) { return a.recorded < b.recorded; });
  size_t kept = 0;
  for (Block &block : blocks) { // those that overlap are one
    Block *last = kept ? &blocks[kept - 1] : nullptr;
    if (last && block.recorded < last->recorded + last->bytes)
      last->bytes = std::max(last->bytes, block.recorded + block.bytes - last->recorded);
    else
      std::swap(blocks[kept++], block);
  }
  blocks.resize(kept);
  for (Block &block : blocks)
    if (auto made = makeBlock(block); !made)
      return made;
  uint64_t seed = 0;
  for (const RecordedArgument &argument : launch.arguments)
    if (auto filled = fill(argument.tensor, ++seed); !filled)
      return refuse("argument '{}': {}", argument.name, filled.error().message);
  for (Block &block : blocks)
    block.initial.assign(block.data, block.data + block.bytes);
  return {};
}

Result<void> Replay::makeBlock(Block &block) {
  // At the recorded place in a page, so with the recorded alignment, and a page of pattern before.
  uint64_t offset = page + block.recorded % page;
  block.pageBytes = (offset + block.bytes + 256 + page - 1) / page * page;
  void *mapped = mmap(nullptr, block.pageBytes + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return refuse("no memory for {} bytes", block.bytes);
  block.pages = static_cast<char *>(mapped) + page;
  if (mprotect(block.pages, block.pageBytes, PROT_READ | PROT_WRITE))
    return refuse("no memory for {} bytes", block.bytes);
  std::memset(block.pages, pattern, block.pageBytes);
  block.data = block.pages + offset;
  std::memset(block.data, 0, block.bytes);
  return {};
}

Block *Replay::find(uint64_t recorded) {
  for (Block &block : blocks)
    if (recorded - block.recorded < block.bytes)
      return &block;
  return nullptr;
}

Result<void> Replay::fill(const RecordedTensor &tensor, uint64_t seed) {
  if (!tensor.storage || tensor.storage->second == 0)
    return {};
  int64_t count = tensor.elements();
  auto elements = Elements::find(tensor.dtype, kernel.getContext());
  if (!elements)
    return elements.error();
  if (count < 0 || tensor.strides.size() != tensor.shape.size() ||
      (!tensor.values.empty() && int64_t(tensor.values.size()) != count))
    return refuse("found a shape, strides and values that do not fit together");
  Block *block = find(tensor.storage->first);
  double low = tensor.range ? tensor.range->first : 0,
         high = tensor.range ? tensor.range->second : 0;
  std::vector<int64_t> index(tensor.shape.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = int64_t(tensor.first - block->recorded);
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += index[axis] * tensor.strides[axis] * int64_t(elements->bytes());
    if (offset < 0 || uint64_t(offset) + elements->bytes() > block->bytes)
      return refuse("found an element outside the tensor's storage");
    uint64_t bits = tensor.values.empty() ? elements->draw(low, high, seed, uint64_t(i))
                                          : tensor.values[size_t(i)];
    std::memcpy(block->data + offset, &bits, elements->bytes());
    for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == tensor.shape[axis];)
      index[axis] = 0;
  }
  return {};
}

Result<uint64_t> Replay::placeOf(const RecordedTensor &tensor) {
  if (tensor.storage && !tensor.storage->second) // an empty tensor
    return uint64_t(0);
  uint64_t base = tensor.storage ? tensor.storage->first : tensor.address;
  Block *block = find(base);
  if (!block && tensor.address)
    return refuse("found a pointer to memory that was not recorded");
  if (!block)
    return uint64_t(0);
  return reinterpret_cast<uint64_t>(block->data) + (tensor.address - block->recorded);
}

Result<void> Replay::setScalar(const RecordedArgument &argument, mlir::Type type, uint64_t &slot) {
  using Kind = RecordedArgument::Kind;
  if (argument.kind != Kind::Integer && argument.kind != Kind::Float)
    return refuse("found no number recorded");
  if (type.isInteger()) {
    if (argument.kind != Kind::Integer)
      return refuse("found {} for an integer", argument.real);
    slot = argument.integer;
    return {};
  }
  auto elements = Elements::of(type);
  if (!elements)
    return elements.error();
  slot = elements->encode(argument.real);
  return {};
}

Result<void> Replay::makeArguments(const RecordedLaunch &launch) {
  // A descriptor is followed by its shape and its strides, which Triton 3.4 on passes beside it.
  unsigned count = kernel.getNumArguments(), passed = 0;
  for (const RecordedArgument &argument : launch.arguments)
    if (argument.kind == RecordedArgument::Kind::Descriptor)
      passed += argument.shape.size() + argument.strides.size();
  bool isExpanded = count == launch.arguments.size() + passed;
  if (!isExpanded && count != launch.arguments.size())
    return refuse("found {} arguments recorded for a kernel of {}", launch.arguments.size(), count);
  slots.assign(count, 0);
  descriptors.resize(count);
  arguments.resize(count);
  unsigned at = 0;
  for (const RecordedArgument &argument : launch.arguments) {
    mlir::Type type = kernel.getArgument(at).getType();
    auto wrong = [&](const Error &error) {
      return refuse("argument '{}': {}", argument.name, error.message);
    };
    bool isTensor = argument.kind == RecordedArgument::Kind::Tensor;
    bool isDescriptor = argument.kind == RecordedArgument::Kind::Descriptor;
    if (isTensor != llvm::isa<tt::PointerType>(type) ||
        isDescriptor != llvm::isa<tt::TensorDescType>(type))
      return refuse("argument '{}': found another kind recorded than the text has", argument.name);
    arguments[at] = &slots[at];
    if (isTensor || isDescriptor) {
      if (!pointeeOf(type).isIntOrFloat())
        return refuse("argument '{}': found pointers in memory", argument.name);
      auto place = placeOf(argument.tensor);
      if (!place)
        return wrong(place.error());
      slots[at] = *place;
      if (Block *block = find(argument.tensor.storage ? argument.tensor.storage->first
                                                      : argument.tensor.address);
          block &&
          (!block->element || (block->element.isInteger() && !pointeeOf(type).isInteger())))
        block->element = pointeeOf(type);
    } else if (auto set = setScalar(argument, type, slots[at]); !set) {
      return wrong(set.error());
    }
    if (isDescriptor) {
      if (argument.shape.size() > 5 || argument.shape.size() != argument.strides.size())
        return refuse("argument '{}': found a descriptor of {} axes", argument.name,
                      argument.shape.size());
      interpreter::TensorDescriptor &descriptor = descriptors[at];
      descriptor = {};
      descriptor.base = reinterpret_cast<void *>(slots[at]);
      std::copy(argument.shape.begin(), argument.shape.end(), descriptor.shape);
      std::copy(argument.strides.begin(), argument.strides.end(), descriptor.strides);
      arguments[at] = &descriptor;
      for (const auto *list : {&argument.shape, &argument.strides})
        for (size_t axis = 0; isExpanded && axis < list->size(); ++axis) {
          slots[++at] = uint64_t((*list)[axis]);
          arguments[at] = &slots[at];
        }
    }
    ++at;
  }
  return {};
}

void Replay::restore() {
  for (Block &block : blocks)
    std::memcpy(block.data, block.initial.data(), block.bytes);
}

uint64_t Replay::programsRun() const {
  uint64_t sum = 0;
  for (auto [begin, end] : ranges)
    sum += end - begin;
  return sum;
}

Result<void> Replay::run(interpreter::Mode mode) {
  llvm::SmallVector<interpreter::Buffer> buffers;
  for (Block &block : blocks) {
    bool keeps = mode == interpreter::Mode::Wide && !block.unrounded.empty();
    buffers.push_back({block.data, int64_t(block.bytes), block.element,
                       keeps ? block.unrounded.data() : nullptr});
  }
  restore();
  for (auto [begin, end] : ranges) {
    interpreter::Options options;
    options.mode = mode;
    options.buffers = buffers;
    options.firstProgram = begin;
    options.endProgram = end;
    options.maxOps = maxOps;
    if (llvm::Error error = interpreter::interpret(kernel, arguments, grid, options))
      return refuse("interpreter: {}", llvm::toString(std::move(error)));
  }
  return {};
}

Result<void> Replay::interpret(double seconds) {
  ranges = {{0, 1}};
  auto start = std::chrono::steady_clock::now();
  if (auto done = run(interpreter::Mode::Exact); !done)
    return done;
  double once = std::max(secondsSince(start), 1e-6);
  uint64_t affordable = uint64_t(std::clamp(seconds / 2 / once, 1.0, 1e9));
  ranges = {{0, total}};
  if (affordable < total) {
    // A third each: from the first on, up to the last, and single ones between.
    uint64_t third = std::max<uint64_t>(1, affordable / 3), middle = total - 2 * third;
    ranges = {{0, third}};
    for (uint64_t i = 1; total > 2 * third && i <= std::min(third, middle); ++i) {
      uint64_t program =
          third + uint64_t((unsigned __int128)middle * (2 * i - 1) / (2 * std::min(third, middle)));
      ranges.push_back({program, program + 1});
    }
    ranges.push_back({std::max(total - third, third), total});
  }
  if (auto done = run(interpreter::Mode::Exact); !done)
    return done;
  for (Block &block : blocks) {
    block.exact.assign(block.data, block.data + block.bytes);
    if (!block.element || block.element.isInteger())
      continue;
    auto elements = Elements::of(block.element);
    if (!elements)
      continue;
    block.unrounded.resize(block.bytes / elements->bytes());
    for (size_t i = 0; i < block.unrounded.size(); ++i)
      block.unrounded[i] = elements->decode(block.initial.data() + i * elements->bytes());
  }
  return run(interpreter::Mode::Wide);
}

std::string Replay::findDamage() const {
  for (const Block &block : blocks)
    for (const char *at = block.pages; at != block.pages + block.pageBytes; ++at) {
      if (at == block.data)
        at += block.bytes;
      if (at != block.pages + block.pageBytes && *at != pattern)
        return fmt::format("wrote outside of '{}': {} bytes from its start, of {}", block.name,
                           at - block.data, block.bytes);
      if (at == block.pages + block.pageBytes)
        break;
    }
  return "";
}

std::string Replay::compare(CpuFunction function, uint64_t arenaBytes) {
  restore();
  std::unique_ptr<void, decltype(&std::free)> arena(
      std::aligned_alloc(64, (arenaBytes + 127) / 64 * 64), &std::free);
  const uint32_t axes[3] = {grid.x, grid.y, grid.z};
  for (auto [begin, end] : ranges)
    function(arguments.data(), int64_t(begin), int64_t(end), axes, arena.get());
  return judgeBlocks();
}

std::string Replay::compareOn(const Device &device, const Artifact &artifact) {
  if (programsRun() != total)
    return fmt::format("not compared: {} of {} programs were interpreted", programsRun(), total);
  restore();
  if (auto ran = runOn(device, artifact); !ran)
    return ran.error().text();
  return judgeBlocks();
}

// The device gets whole pages, with the pattern around the blocks, at the same offset in a page.
Result<void> Replay::runOn(const Device &device, const Artifact &artifact) {
  auto stream = Stream::create(device);
  if (!stream)
    return stream.error();
  auto kernel = Kernel::load(device, artifact);
  if (!kernel)
    return kernel.error();
  std::vector<Buffer> copies;
  for (Block &block : blocks) {
    auto copy = Buffer::allocate(device, block.pageBytes);
    if (!copy)
      return copy.error();
    if (auto copied = copy->copyFrom(block.pages, block.pageBytes); !copied)
      return copied;
    copies.push_back(std::move(*copy));
  }
  std::vector<uint64_t> moved = slots;
  std::vector<Argument> passed;
  for (size_t i = 0; i < moved.size(); ++i) {
    const ArgumentInfo &info = artifact.metadata.arguments[i];
    for (size_t k = 0; info.kind == ArgumentKind::Pointer && k < blocks.size(); ++k) {
      uint64_t offset = slots[i] - reinterpret_cast<uint64_t>(blocks[k].pages);
      if (offset < blocks[k].pageBytes)
        moved[i] = reinterpret_cast<uint64_t>(copies[k].data()) + offset;
    }
    passed.push_back({&moved[i], info.kind, info.bytes});
  }
  Grid whole{grid.x, grid.y, grid.z};
  if (auto prepared = kernel->prepare(whole); !prepared)
    return prepared;
  if (auto launched = kernel->launch(*stream, whole, passed); !launched)
    return launched;
  if (auto waited = stream->synchronize(); !waited)
    return waited;
  for (size_t k = 0; k < blocks.size(); ++k)
    if (auto copied = copies[k].copyTo(blocks[k].pages, blocks[k].pageBytes); !copied)
      return copied;
  return {};
}

std::string Replay::judgeBlocks() {
  if (std::string found = findDamage(); !found.empty()) {
    damaged = true;
    return found;
  }
  for (const Block &block : blocks) {
    DType dtype = DType::I8;
    if (block.element)
      dtype = Elements::dtypeOf(block.element).value_or(DType::I8);
    int64_t count = int64_t(block.bytes / dtypeBytes(dtype));
    Agreement agreement = judge(dtype, block.data, block.exact.data(), block.unrounded, count);
    if (!agreement.agrees)
      return fmt::format("'{}': {}", block.name, agreement.text());
  }
  return "ok";
}

} // namespace tigon::conform

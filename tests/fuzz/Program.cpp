// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/Program.h"

#include "tigon/Lang.h"

#include <algorithm>

namespace tigon::fuzz {
namespace {

namespace tl = tigon::lang;
using tl::Value;
using LType = tl::DType;

constexpr int64_t inputElements = 1 << 12;
constexpr unsigned kinds = 23; // of statements

bool isFloat(LType type) { return type >= LType::F16; }

const LType dataTypes[] = {LType::I32, LType::F32, LType::BF16, LType::F16,
                           LType::I8,  LType::I64, LType::F64,  LType::I16};

DType hostType(LType type) {
  switch (type) {
  case LType::I1:
    return DType::I1;
  case LType::I8:
    return DType::I8;
  case LType::I16:
    return DType::I16;
  case LType::I64:
    return DType::I64;
  case LType::F16:
    return DType::F16;
  case LType::BF16:
    return DType::BF16;
  case LType::F32:
    return DType::F32;
  case LType::F64:
    return DType::F64;
  default:
    return DType::I32;
  }
}

struct Entry {
  Value value;
  /// Has a permitted error, so it is stored and not computed with.
  bool approximate = false;

  LType type() const { return value.dtype(); }
  tl::Shape shape() const { return value.shape(); }
};

using Environment = std::vector<Entry>;

class Emission {
public:
  Emission(const Program &program) : program(program), kernel("fuzz") {}

  Result<Built> run() {
    for (LType type : dataTypes)
      inputs.push_back(pointer("in", type, inputElements));
    buffer = pointer("buffer", LType::I32, tileElements() * program.grid);
    for (unsigned i = 0; i < outputs; ++i)
      reserved.push_back(i);
    // Arguments come first, so outputs are declared before anything is emitted.
    for (unsigned i = 0; i < outputs; ++i)
      outputPointers.push_back(
          pointer("out", outputTypes[i % std::size(outputTypes)], tileElements() * program.grid));
    approximatePointer = pointer("approximate", LType::F32, tileElements() * program.grid);
    buffers.back().tolerance = 2e-6;
    length = kernel.scalar("length", LType::I32);
    pid = tl::programId(0);
    Environment environment;
    environment.push_back({tl::arange(0, tileElements())});
    environment.push_back({length});
    environment.push_back({pid});
    emit(program.statements, environment);
    storeAll(environment);
    auto module = kernel.build();
    if (!module)
      return module.error();
    return Built{std::move(*module), buffers};
  }

private:
  int64_t tileElements() const { return int64_t(1) << (program.rows + program.columns); }
  tl::Shape flat() const { return {tileElements()}; }
  tl::Shape square() const { return {int64_t(1) << program.rows, int64_t(1) << program.columns}; }

  Value pointer(const char *name, LType type, int64_t elements) {
    buffers.push_back({hostType(type), elements});
    return kernel.pointer(name + std::to_string(buffers.size()), type);
  }

  // The choice-th entry that fits, counted from the latest, or null.
  template <typename F> const Entry *choose(const Environment &from, uint32_t choice, F fits) {
    std::vector<const Entry *> fitting;
    for (auto entry = from.rbegin(); entry != from.rend(); ++entry)
      if (!entry->approximate && fits(*entry))
        fitting.push_back(&*entry);
    return fitting.empty() ? nullptr : fitting[choice % fitting.size()];
  }
  static bool isTile(const Entry &entry) { return !entry.shape().empty(); }
  const Entry *any(const Environment &from, uint32_t choice) {
    return choose(from, choice, [](const Entry &entry) { return entry.type() != LType::I1; });
  }
  // One of the type and shape of another, or that one.
  Value alike(const Environment &from, uint32_t choice, const Value &other) {
    const Entry *found = choose(from, choice, [&](const Entry &entry) {
      return entry.type() == other.dtype() && entry.shape() == other.shape();
    });
    return found ? found->value : other;
  }
  Value condition(const Environment &from, uint32_t choice, const tl::Shape &shape) {
    const Entry *found = choose(from, choice, [&](const Entry &entry) {
      return entry.type() == LType::I1 && entry.shape() == shape;
    });
    if (found)
      return found->value;
    const Entry *compared = choose(from, choice, [&](const Entry &entry) {
      return entry.type() != LType::I1 && entry.shape() == shape;
    });
    return compared ? compared->value > int(choice % 5) : tl::full(shape, choice % 2, LType::I1);
  }

  // Flat offsets of a tile of this shape that has as many elements as the whole.
  Value offsetsOf(const tl::Shape &shape) {
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    return tl::reshape(tl::arange(0, elements), shape);
  }

  // Zeros of one sign, no NaN, and of no more than 6 bits: what sums and orders do not depend on.
  Value tamed(const Value &x) {
    if (!isFloat(x.dtype()))
      return x;
    Value wide = x.dtype() == LType::F64 ? x : x.to(LType::F32);
    return tl::where(tl::abs(wide) <= 64.0, tl::floor(wide), 1.0) + 0.0;
  }

  void emit(const std::vector<Statement> &statements, Environment &environment) {
    for (const Statement &statement : statements)
      emit(statement, environment);
  }

  void emit(const Statement &s, Environment &e) {
    switch (s.kind % kinds) {
    case 0:
      return constant(s, e);
    case 1:
    case 2:
      return binary(s, e);
    case 3:
      return divide(s, e);
    case 4:
      return compare(s, e);
    case 5:
      return chooseBetween(s, e);
    case 6:
      return convert(s, e);
    case 7:
      return unary(s, e);
    case 8:
      return function(s, e);
    case 9:
    case 10:
      return load(s, e);
    case 11:
      return gatherLoad(s, e);
    case 12:
    case 13:
      return reduce(s, e);
    case 14:
      return reducePair(s, e);
    case 15:
      return reshape(s, e);
    case 16:
      return broadcast(s, e);
    case 17:
      return loop(s, e);
    case 18:
      return branch(s, e);
    case 19:
      return throughMemory(s, e);
    case 20:
      return accumulate(s, e);
    case 21:
      return swap(s, e);
    case 22:
      return overwrite(s, e);
    }
  }

  void constant(const Statement &s, Environment &e) {
    LType type = dataTypes[s.b % std::size(dataTypes)];
    tl::Shape shape = s.a % 2 ? flat() : square();
    e.push_back({tl::full(shape, int(s.c % 9) - 3, type)});
  }

  void binary(const Statement &s, Environment &e) {
    const Entry *left = any(e, s.a);
    if (!left)
      return;
    Value x = left->value, y = alike(e, s.b, x);
    if (isFloat(x.dtype())) {
      Value results[] = {x + y, x - y, x * y, tl::maximum(x, y) + 0.0, tl::minimum(x, y) + 0.0};
      e.push_back({results[s.c % std::size(results)]});
      return;
    }
    switch (s.c % 9) {
    case 0:
      return e.push_back({x + y});
    case 1:
      return e.push_back({x - y});
    case 2:
      return e.push_back({x * y});
    case 3:
      return e.push_back({x & y});
    case 4:
      return e.push_back({x | y});
    case 5:
      return e.push_back({x ^ y});
    case 6:
      return e.push_back({tl::maximum(x, y)});
    case 7:
      return e.push_back({x << (s.d % 7)});
    case 8:
      return e.push_back({x >> (s.d % 7)});
    }
  }

  void divide(const Statement &s, Environment &e) {
    const Entry *left = any(e, s.a);
    if (!left)
      return;
    Value x = left->value, y = alike(e, s.b, x);
    if (isFloat(x.dtype())) {
      // Quotients of f32 have a permitted error, but for this one.
      if (x.dtype() == LType::F32)
        e.push_back({tl::divRn(x, y)});
      else if (x.dtype() == LType::F64)
        e.push_back({x / y});
      return;
    }
    Value divisor = s.d % 2 ? y | 1 : tl::zerosLike(y) + int(s.c % 6 + 2);
    e.push_back({s.c % 2 ? tl::floorDiv(x, divisor) : x % divisor});
  }

  void compare(const Statement &s, Environment &e) {
    const Entry *left = any(e, s.a);
    if (!left)
      return;
    Value x = left->value, y = alike(e, s.b, x);
    Value results[] = {x<y, x <= y, x> y, x == y, x != y};
    e.push_back({results[s.c % std::size(results)]});
  }

  void chooseBetween(const Statement &s, Environment &e) {
    const Entry *left = any(e, s.a);
    if (!left)
      return;
    Value x = left->value, y = alike(e, s.b, x);
    e.push_back({tl::where(condition(e, s.c, x.shape()), x, y)});
  }

  void convert(const Statement &s, Environment &e) {
    const Entry *from = any(e, s.a);
    if (from)
      e.push_back({from->value.to(dataTypes[s.b % std::size(dataTypes)])});
  }

  void unary(const Statement &s, Environment &e) {
    const Entry *from = any(e, s.a);
    if (!from)
      return;
    Value x = from->value;
    if (!isFloat(x.dtype())) {
      e.push_back({s.b % 2 ? -x : ~x});
      return;
    }
    bool wide = x.dtype() == LType::F32 || x.dtype() == LType::F64;
    switch (s.b % 4) {
    case 0:
      return e.push_back({tl::abs(x)});
    case 1:
      return e.push_back({-x});
    case 2:
      return e.push_back({wide ? tl::floor(x) : -x});
    case 3:
      return e.push_back({x.dtype() == LType::F32 ? tl::sqrtRn(x) : tl::abs(x)});
    }
  }

  void function(const Statement &s, Environment &e) {
    const Entry *from = choose(
        e, s.a, [&](const Entry &entry) { return entry.type() == LType::F32 && isTile(entry); });
    if (!from)
      return;
    Value x = tamed(from->value);
    Value results[] = {tl::exp(x),  tl::log(tl::abs(x) + 0.5),  tl::exp2(x), tl::sin(x),
                       tl::tanh(x), tl::rsqrt(tl::abs(x) + 1.0)};
    e.push_back({results[s.b % std::size(results)], /*approximate=*/true});
  }

  void load(const Statement &s, Environment &e) {
    unsigned input = s.a % inputs.size();
    tl::Shape shape = s.b % 3 ? flat() : square();
    Value offsets = offsetsOf(shape);
    Value address = inputs[input] + (pid * int64_t(s.c % 3) * tileElements() % 64 +
                                     offsets % int(inputElements / 2));
    tl::LoadOptions options;
    if (s.b % 4) {
      options.mask = offsets < length;
      if (s.d % 2)
        options.other = int(s.d % 5) - 1;
    }
    e.push_back({tl::load(address, options)});
  }

  void gatherLoad(const Statement &s, Environment &e) {
    const Entry *index =
        choose(e, s.a, [&](const Entry &entry) { return entry.type() == LType::I32; });
    if (!index)
      return;
    Value address = inputs[s.b % inputs.size()] + (index->value & int(inputElements - 1));
    tl::LoadOptions options;
    if (s.c % 2) {
      options.mask = condition(e, s.d, index->shape());
      options.other = 1;
    }
    e.push_back({tl::load(address, options)});
  }

  void reduce(const Statement &s, Environment &e) {
    const Entry *from = choose(
        e, s.a, [&](const Entry &entry) { return isTile(entry) && entry.type() != LType::I1; });
    if (!from)
      return;
    int rank = int(from->shape().size());
    Value x = tamed(from->value);
    tl::Axis axis = int(s.b % unsigned(rank));
    if (s.d % 4 == 0)
      axis = std::nullopt;
    tl::ReduceOptions options{.keepDims = s.d % 3 == 0 && axis};
    switch (s.c % 5) {
    case 0:
      return e.push_back({tl::sum(x, axis, options)});
    case 1:
      return e.push_back({tl::max(x, axis, options)});
    case 2:
      return e.push_back({tl::min(x, axis, options)});
    case 3:
      return e.push_back({tl::argmax(x, axis.value_or(0), options)});
    case 4: {
      auto [value, index] = tl::minWithIndex(x, axis.value_or(0), options);
      e.push_back({value});
      e.push_back({index});
      return;
    }
    }
  }

  // Two operands of different types at once.
  void reducePair(const Statement &s, Environment &e) {
    const Entry *from = choose(
        e, s.a, [&](const Entry &entry) { return isTile(entry) && entry.type() != LType::I1; });
    if (!from)
      return;
    Value x = tamed(from->value), y = tamed(alike(e, s.b, from->value)).to(LType::I32);
    auto [sum, largest] = tl::reduce<2>(
        {x, y}, int(s.c % from->shape().size()),
        [](Value a, Value b, Value c, Value d) { return tl::Values{a + c, tl::maximum(b, d)}; });
    e.push_back({sum});
    e.push_back({largest});
  }

  void reshape(const Statement &s, Environment &e) {
    const Entry *from = choose(e, s.a, [&](const Entry &entry) {
      return entry.shape() == flat() || entry.shape() == square();
    });
    if (from)
      e.push_back({tl::reshape(from->value, from->shape() == flat() ? square() : flat())});
  }

  // A row, a column or a scalar as a whole tile.
  void broadcast(const Statement &s, Environment &e) {
    const Entry *from = choose(e, s.a, [&](const Entry &entry) {
      tl::Shape shape = entry.shape();
      return shape.empty() ||
             (shape.size() == 1 && (shape[0] == square()[0] || shape[0] == square()[1]));
    });
    if (!from)
      return;
    if (from->shape().empty()) {
      e.push_back({tl::splat(from->value, s.b % 2 ? flat() : square())});
      return;
    }
    bool isColumn = from->shape()[0] == square()[0] && (s.b % 2 || from->shape()[0] != square()[1]);
    e.push_back({tl::broadcastTo(tl::expandDims(from->value, isColumn ? 1 : 0), square())});
  }

  void loop(const Statement &s, Environment &e) {
    const Entry *carried = any(e, s.a), *second = any(e, s.b);
    if (!carried)
      return;
    Value end = s.c % 3 == 0 ? Value(int(s.c % 5)) : (length & 3);
    auto [first, other] =
        tl::forRange<2>(0, end, 1, {carried->value, second->value}, [&](Value i, Value x, Value y) {
          Environment inner = e;
          inner.push_back({i});
          inner.push_back({y});
          inner.push_back({x});
          emit(s.body, inner);
          return tl::Values{alike(inner, 0, x), alike(inner, s.d, y)};
        });
    e.push_back({first});
    e.push_back({other});
  }

  void branch(const Statement &s, Environment &e) {
    const Entry *value = any(e, s.a);
    if (!value)
      return;
    Value decision = condition(e, s.b, {});
    Value result = tl::ifElse(
        decision,
        [&] {
          Environment inner = e;
          emit(s.body, inner);
          return alike(inner, 0, value->value);
        },
        [&] {
          Environment inner = e;
          emit(s.other, inner);
          return alike(inner, s.c, value->value);
        });
    e.push_back({result});
  }

  // A tile goes to memory and comes back otherwise: what is read depends on what other threads wrote.
  void throughMemory(const Statement &s, Environment &e) {
    const Entry *from = choose(e, s.a, [&](const Entry &entry) {
      return entry.type() == LType::I32 && (entry.shape() == flat() || entry.shape() == square());
    });
    if (!from)
      return;
    Value offsets = offsetsOf(from->shape());
    Value base = buffer + pid.to(LType::I64) * tileElements();
    tl::StoreOptions options;
    if (s.b % 2)
      options.mask = offsets < length;
    tl::store(base + offsets, from->value, options);
    Value mixed = s.c % 2 ? (offsets ^ int(s.d % unsigned(tileElements())))
                          : offsetsOf(s.d % 2 ? flat() : square());
    e.push_back({tl::load(base + mixed)});
  }

  // A loop that loads a block an iteration and adds up what it reduces to: a scalar, a row or a column.
  void accumulate(const Statement &s, Environment &e) {
    bool isFloating = s.a % 2;
    Value input = inputs[isFloating ? 1 : 0], offsets = offsetsOf(square());
    tl::Axis axis = int(s.b % 2);
    tl::Shape kept = {square()[s.b % 2 ? 0 : 1]};
    if (s.b % 3 == 0)
      axis = std::nullopt, kept = {};
    Value start = tl::full(kept, int(s.c % 3) - 1, isFloating ? LType::F32 : LType::I32);
    auto [total] = tl::forRange(0, length & 3, 1, {start}, [&](Value i, Value sum) {
      Value x = tamed(tl::load(input + ((i * int(s.d % 61) + offsets) & int(inputElements - 1)),
                               {.mask = offsets < length, .other = 0}));
      return s.c % 2 ? tl::maximum(sum, tl::max(x, axis)) : sum + tl::sum(x, axis);
    });
    e.push_back({total});
  }

  // A loop that hands two values on, each as the other.
  void swap(const Statement &s, Environment &e) {
    const Entry *one = any(e, s.a);
    if (!one)
      return;
    auto [x, y] = tl::forRange<2>(0, length & 3, 1, {one->value, alike(e, s.b, one->value)},
                                  [&](Value, Value x, Value y) { return tl::Values{y, x}; });
    e.push_back({x});
    e.push_back({y});
  }

  // What is loaded stays what it was, though its place is written, perhaps in a branch.
  void overwrite(const Statement &s, Environment &e) {
    Value offsets = offsetsOf(s.a % 2 ? flat() : square());
    Value place = buffer + (pid.to(LType::I64) * tileElements() + offsets);
    Value old = tl::load(place);
    e.push_back({old});
    if (s.b % 2)
      return tl::store(place, old * 3 + 1);
    tl::ifThen(condition(e, s.c, {}), [&] { tl::store(place, old - 5); });
  }

  void storeAll(const Environment &environment) {
    unsigned used[std::size(outputTypes)] = {};
    bool stored = false;
    for (auto entry = environment.rbegin(); entry != environment.rend(); ++entry) {
      tl::Shape shape = entry->shape();
      Value base = pid.to(LType::I64) * tileElements();
      if (entry->approximate) {
        if (!stored)
          tl::store(approximatePointer + base + offsetsOf(shape), entry->value);
        stored = true;
        continue;
      }
      Value value = entry->type() == LType::I1 ? entry->value.to(LType::I8) : entry->value;
      for (unsigned i = 0; i < std::size(outputTypes); ++i) {
        unsigned slot = i + used[i] * std::size(outputTypes);
        if (outputTypes[i] != value.dtype() || slot >= outputs)
          continue;
        ++used[i];
        Value out = outputPointers[slot];
        if (shape.empty()) {
          tl::store(out + base, value);
          break;
        }
        Value offsets = offsetsOf(shape);
        tl::store(out + (base + offsets), value, {.mask = offsets < tl::maximum(length, 1)});
        break;
      }
    }
  }

  static constexpr LType outputTypes[] = {LType::I32, LType::F32, LType::BF16, LType::F16,
                                          LType::I8,  LType::I64, LType::F64,  LType::I16};
  static constexpr unsigned outputs = 2 * std::size(outputTypes);

  const Program &program;
  tl::Kernel kernel;
  std::vector<Value> inputs, outputPointers;
  std::vector<unsigned> reserved;
  Value buffer, approximatePointer, length, pid;
  std::vector<BufferArgument> buffers;
};

std::vector<Statement> randomStatements(std::mt19937_64 &random, unsigned count, unsigned depth) {
  std::vector<Statement> statements;
  for (unsigned i = 0; i < count; ++i) {
    Statement s{uint32_t(random() % kinds),
                uint32_t(random()),
                uint32_t(random()),
                uint32_t(random()),
                uint32_t(random()),
                {},
                {}};
    // The latest values more often than others: chains, not bushes.
    if (random() % 2)
      s.a = 0;
    if (s.kind == 17 || s.kind == 18) {
      if (depth == 0) {
        s.kind = 1;
      } else {
        s.body = randomStatements(random, 1 + random() % 6, depth - 1);
        s.other = randomStatements(random, random() % 4, depth - 1);
      }
    }
    statements.push_back(std::move(s));
  }
  return statements;
}

} // namespace

Program randomProgram(uint64_t seed) {
  std::mt19937_64 random(seed);
  Program program;
  program.seed = seed;
  program.rows = random() % 6;
  program.columns = random() % (random() % 4 ? 7 : 12);
  program.grid = 1 + random() % 3;
  int64_t elements = int64_t(1) << (program.rows + program.columns);
  program.length = int32_t(random() % 5 ? random() % (elements + 1) : elements);
  program.statements = randomStatements(random, 3 + random() % 14, 2);
  return program;
}

size_t countStatements(const std::vector<Statement> &statements) {
  size_t count = statements.size();
  for (const Statement &statement : statements)
    count += countStatements(statement.body) + countStatements(statement.other);
  return count;
}

Result<Built> build(const Program &program) { return Emission(program).run(); }

HostTensor initialContents(const BufferArgument &buffer, uint64_t seed) {
  auto tensor = HostTensor::zeros(buffer.dtype, {buffer.elements});
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < buffer.elements; ++i)
    tensor->set(i, double(int64_t(random() % 13) - 5));
  return std::move(*tensor);
}

} // namespace tigon::fuzz

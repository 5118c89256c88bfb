// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <cmath>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace tigon::interpreter {
namespace {

// y[i] = x[i] for i < n, in a tile of 8.
const char *const copyText = R"(
  tt.func public @copy(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32) {
    %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %ns = tt.splat %n : i32 -> tensor<8xi32>
    %mask = arith.cmpi slt, %i, %ns : tensor<8xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %v = tt.load %xp, %mask : tensor<8x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %yp, %v, %mask : tensor<8x!tt.ptr<f32>>
    tt.return
  })";

// Eight floats that end where a page begins that must not be touched.
class GuardedFloats {
public:
  GuardedFloats() : page(sysconf(_SC_PAGESIZE)) {
    base = static_cast<char *>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + page, page, PROT_NONE);
  }
  ~GuardedFloats() { munmap(base, 2 * page); }
  /// The last `count` floats before the page.
  float *last(size_t count) { return reinterpret_cast<float *>(base + page) - count; }

private:
  size_t page;
  char *base;
};

TEST(Access, MaskedLanesTouchNoMemory) {
  GuardedFloats x, y;
  x.last(3)[0] = 1, x.last(3)[1] = 2, x.last(3)[2] = 3;
  Program program(copyText);
  EXPECT_EQ(program.run({}, x.last(3), y.last(3), 3), "");
  EXPECT_THAT(std::vector<float>(y.last(3), y.last(3) + 3), ElementsAre(1, 2, 3));
}

TEST(Access, MaskedLanesReadZeroOrOther) {
  EXPECT_THAT((evaluate<int32_t>("%p = tt.int_to_ptr %1 : tensor<2xi64> -> tensor<2x!tt.ptr<i32>>\n"
                                 "%z = tt.load %p, %0 : tensor<2x!tt.ptr<i32>>\n"
                                 "%o = arith.constant dense<7> : tensor<2xi32>\n"
                                 "%w = tt.load %p, %0, %o : tensor<2x!tt.ptr<i32>>\n"
                                 "%r = arith.addi %z, %w : tensor<2xi32>",
                                 {"i1", "i64"}, "i32", std::vector<uint8_t>{0, 0},
                                 std::vector<int64_t>{16, 32})),
              ElementsAre(7, 7));
}

TEST(Access, OutsideTheBuffersIsAnErrorThatSaysWhere) {
  std::vector<float> x(8), y(8);
  Buffer buffers[] = {{x.data(), 20, {}}, {y.data(), 32, {}}};
  Options options;
  options.buffers = buffers;
  Program program(copyText);
  EXPECT_EQ(program.run(options, x, y, 5), "");
  std::string error = program.run(options, x, y, 6);
  EXPECT_THAT(error, HasSubstr("test.ttir:8:10: tt.load: lane 5: found an access of 4 bytes at "
                               "%x + 20 bytes, expected 0 to 20 (program 0, 0, 0)"));
}

TEST(Access, ErrorsNameTheArgumentThatWasOffsetNotTheOneNearby) {
  std::vector<float> memory(16);
  float *x = memory.data() + 8, *y = memory.data();
  Buffer buffers[] = {{x, 32, {}}, {y, 16, {}}};
  Options options;
  options.buffers = buffers;
  Program program(R"(
    tt.func public @near(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
      %p = tt.addptr %x, %n : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      tt.store %y, %v : !tt.ptr<f32>
      tt.return
    })");
  EXPECT_THAT(program.run(options, x, y, -4),
              HasSubstr("at argument #0 - 16 bytes, expected 0 to 32 (program 0, 0, 0)"));
}

TEST(Access, NullAndWildPointersAreErrorsToo) {
  std::vector<float> x(8);
  Buffer buffers[] = {{x.data(), 32, {}}};
  Options options;
  options.buffers = buffers;
  Program program(copyText);
  EXPECT_THAT(program.run(options, (float *)nullptr, x, 8),
              HasSubstr("expected an address inside"));
  EXPECT_THAT(program.run(options, x, (float *)-64, 8), HasSubstr("expected an address inside"));
}

TEST(Access, MisalignedElementsAreErrors) {
  std::vector<float> x(8), y(8);
  Program program(copyText);
  EXPECT_THAT(program.run({}, reinterpret_cast<char *>(x.data()) + 2, y, 1),
              HasSubstr("at %x + 0 bytes, expected a multiple of its size"));
}

TEST(Access, OffsetsAddInSixtyFourBits) {
  Program program(R"(
    tt.func public @far(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>) {
      %big = arith.constant 2147483647 : i32
      %back = arith.constant -4294967294 : i64
      %a = tt.addptr %x, %big : !tt.ptr<i8>, i32
      %b = tt.addptr %a, %big : !tt.ptr<i8>, i32
      %c = tt.addptr %b, %back : !tt.ptr<i8>, i64
      %v = tt.load %c : !tt.ptr<i8>
      tt.store %y, %v : !tt.ptr<i8>
      tt.return
    })");
  std::vector<int8_t> x = {42}, y = {0};
  EXPECT_EQ(program.run({}, x, y), "");
  EXPECT_EQ(y[0], 42);
}

TEST(Access, CopyingKeepsEveryBit) {
  std::vector<float> x(8), y(8);
  uint32_t signalling = 0x7F800001;
  std::memcpy(&x[0], &signalling, 4);
  x[1] = -0.0f;
  Program program(copyText);
  EXPECT_EQ(program.run({}, x, y, 8), "");
  EXPECT_EQ(std::memcmp(x.data(), y.data(), 32), 0);
}

TEST(Access, InPlaceTilesActOneAfterTheOther) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8};
  Program program(R"(
    tt.func public @reverse(%x: !tt.ptr<f32>) {
      %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
      %seven = arith.constant dense<7> : tensor<8xi32>
      %j = arith.subi %seven, %i : tensor<8xi32>
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
      %from = tt.addptr %xs, %j : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
      %to = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
      %v = tt.load %from : tensor<8x!tt.ptr<f32>>
      tt.store %to, %v : tensor<8x!tt.ptr<f32>>
      tt.return
    })");
  EXPECT_EQ(program.run({}, x), "");
  EXPECT_THAT(x, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
}

TEST(Access, ProgramsRunInAscendingOrderOfTheLinearId) {
  Program program(R"(
    tt.func public @order(%next: !tt.ptr<i32>, %seen: !tt.ptr<i32>) {
      %one = arith.constant 1 : i32
      %true = arith.constant true
      %x = tt.get_program_id x : i32
      %y = tt.get_program_id y : i32
      %gx = tt.get_num_programs x : i32
      %row = arith.muli %y, %gx : i32
      %id = arith.addi %row, %x : i32
      %at = tt.atomic_rmw add, acq_rel, gpu, %next, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %p = tt.addptr %seen, %at : !tt.ptr<i32>, i32
      tt.store %p, %id : !tt.ptr<i32>
      tt.return
    })");
  std::vector<int32_t> next = {0}, seen(6, -1);
  EXPECT_EQ(program.runOn({3, 2, 1}, {}, next, seen), "");
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5));
  Options options;
  options.firstProgram = 2, options.endProgram = 4;
  next = {0}, seen.assign(6, -1);
  EXPECT_EQ(program.runOn({3, 2, 1}, options, next, seen), "");
  EXPECT_THAT(seen, ElementsAre(2, 3, -1, -1, -1, -1));
}

TEST(Access, AtomicsOfMeetingLanesAllCount) {
  Program program(R"(
    tt.func public @add(%x: !tt.ptr<f32>, %old: !tt.ptr<f32>) {
      %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
      %two = arith.constant dense<2> : tensor<4xi32>
      %mask = arith.cmpi ne, %i, %two : tensor<4xi32>
      %v = arith.constant dense<1.5> : tensor<4xf32>
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %o = tt.atomic_rmw fadd, relaxed, gpu, %xs, %v, %mask : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
      %os = tt.splat %old : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %op = tt.addptr %os, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      tt.store %op, %o : tensor<4x!tt.ptr<f32>>
      tt.return
    })");
  std::vector<float> x = {1}, old(4, -1);
  EXPECT_EQ(program.run({}, x, old), "");
  EXPECT_EQ(x[0], 5.5);
  EXPECT_THAT(old, ElementsAre(1, 2.5, 0, 4));
}

// The value that memory holds `x` after `OP x, v`.
int32_t atomically(const std::string &op, int32_t held, int32_t value) {
  Program program("tt.func public @k(%x: !tt.ptr<i32>, %v: i32) {\n%r = tt.atomic_rmw " + op +
                  ", acq_rel, gpu, %x, %v : (!tt.ptr<i32>, i32) -> i32\ntt.return\n}");
  std::vector<int32_t> x = {held};
  EXPECT_EQ(program.run({}, x, value), "");
  return x[0];
}

TEST(Access, EveryKindOfAtomic) {
  EXPECT_EQ(atomically("and", 6, 3), 2);
  EXPECT_EQ(atomically("or", 6, 3), 7);
  EXPECT_EQ(atomically("xor", 6, 3), 5);
  EXPECT_EQ(atomically("add", INT32_MAX, 1), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(atomically("max", -1, 3), 3);
  EXPECT_EQ(atomically("min", -1, 3), -1);
  EXPECT_EQ(atomically("umax", -1, 3), -1);
  EXPECT_EQ(atomically("umin", -1, 3), 3);
  EXPECT_EQ(atomically("exch", 6, 3), 3);
}

TEST(Access, CompareAndSwapComparesBits) {
  Program program(R"(
    tt.func public @cas(%x: !tt.ptr<f32>, %c: f32, %v: f32) {
      %r = tt.atomic_cas acq_rel, gpu, %x, %c, %v : (!tt.ptr<f32>, f32, f32) -> f32
      tt.return
    })");
  std::vector<float> x = {0.0f};
  EXPECT_EQ(program.run({}, x, -0.0f, 5.0f), "");
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(program.run({}, x, 0.0f, 5.0f), "");
  EXPECT_EQ(x[0], 5);
}

TEST(Access, APollThatCanOnlyWaitForeverIsAnError) {
  Program program(R"(
    tt.func public @poll(%x: !tt.ptr<i32>, %want: i32, %y: !tt.ptr<i1>) {
      %r = tt.atomic_poll acquire, gpu, %x, %want : !tt.ptr<i32>, i32 -> i1
      tt.store %y, %r : !tt.ptr<i1>
      tt.return
    })");
  std::vector<int32_t> x = {3};
  std::vector<uint8_t> y = {0};
  EXPECT_EQ(program.run({}, x, 3, y), "");
  EXPECT_EQ(y[0], 1);
  EXPECT_THAT(program.run({}, x, 4, y), HasSubstr("would wait forever"));
}

//===-- Wide mode ----------------------------------------------------------------------------===//

Options wideOptions(std::optional<llvm::ArrayRef<Buffer>> buffers = std::nullopt) {
  Options options;
  options.mode = Mode::Wide;
  options.buffers = buffers;
  return options;
}

// x += 0.1 in f16, three times through memory.
const char *const accumulateText = R"(
  tt.func public @accumulate(%x: !tt.ptr<f16>) {
    %c = arith.constant 0.1 : f64
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    scf.for %i = %zero to %three step %one : i32 {
      %v = tt.load %x : !tt.ptr<f16>
      %w = arith.extf %v : f16 to f64
      %s = arith.addf %w, %c : f64
      %n = arith.truncf %s : f64 to f16
      tt.store %x, %n : !tt.ptr<f16>
    }
    tt.return
  })";

TEST(Wide, ValuesSurviveMemoryUnrounded) {
  std::vector<uint16_t> x = {0x3C00};
  std::vector<double> wide = {-1};
  Program program(accumulateText);
  Buffer buffers[] = {{x.data(), 2, mlir::Float16Type::get(&program.context), wide.data()}};
  EXPECT_EQ(program.run(wideOptions(buffers), x), "");
  EXPECT_EQ(wide[0], 1.0 + 0.1 + 0.1 + 0.1);
  EXPECT_EQ(x[0], 0x3D33); // 1.3 in f16
}

TEST(Wide, WithoutABufferMemoryRounds) {
  std::vector<uint16_t> x = {0x3C00}, exact = x;
  Program program(accumulateText);
  EXPECT_EQ(program.run(wideOptions(), x), "");
  EXPECT_EQ(program.run({}, exact), "");
  EXPECT_EQ(x, exact);
}

TEST(Wide, AStoreOfAnotherTypeIsSeen) {
  Program program(R"(
    tt.func public @clear(%x: !tt.ptr<f32>) {
      %zero = arith.constant 0 : i64
      %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i64>
      tt.store %p, %zero : !tt.ptr<i64>
      tt.return
    })");
  alignas(8) float x[3] = {1, 2, 3};
  double wide[3] = {1.1, 2.1, 3.1};
  Buffer buffers[] = {{x, 12, mlir::Float32Type::get(&program.context), wide}};
  EXPECT_EQ(program.run(wideOptions(buffers), (float *)x), "");
  EXPECT_THAT(wide, ElementsAre(0, 0, 3.1));
}

TEST(Wide, ReductionsDoNotRound) {
  Program program(R"(
    tt.func public @sum(%x: !tt.ptr<f32>) {
      %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
      %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %xp = tt.addptr %xs, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      %v = tt.load %xp : tensor<4x!tt.ptr<f32>>
      %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tt.reduce.return %c : f32
      }) : (tensor<4xf32>) -> f32
      tt.store %x, %s : !tt.ptr<f32>
      tt.return
    })");
  std::vector<float> x = {1e8, 1, -1e8, 1}, exact = x;
  EXPECT_EQ(program.run(wideOptions(), x), "");
  EXPECT_EQ(program.run({}, exact), "");
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(exact[0], 0); // (1e8 + 1) + (-1e8 + 1): a tree of neighbours
}

} // namespace
} // namespace tigon::interpreter

// SPDX-License-Identifier: Apache-2.0
//
// What expandRemainders puts in place of `frem`, compiled for this processor and compared with C's fmod bit for bit.
#include "compiler/Remainders.h"

#include "runtime/CpuObject.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tigon {
namespace {

std::string objectOf(llvm::Module &module) {
  LLVMInitializeX86Target(), LLVMInitializeX86TargetInfo(), LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  std::string message;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64", "", {}, llvm::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(module);
  return std::string(object);
}

// void f(const T *x, const T *y, T *result)
std::unique_ptr<CpuObject> compileRemainder(bool isDouble) {
  llvm::LLVMContext context;
  llvm::Module module("remainder", context);
  llvm::IRBuilder<> b(context);
  llvm::Type *real = isDouble ? b.getDoubleTy() : b.getFloatTy(), *pointer = b.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *result = b.CreateFRem(b.CreateLoad(real, function->getArg(0)),
                                     b.CreateLoad(real, function->getArg(1)));
  b.CreateStore(result, function->getArg(2));
  b.CreateRetVoid();
  expandRemainders(module);
  auto object = CpuObject::load(objectOf(module), "f");
  EXPECT_TRUE(bool(object)) << object.error().text();
  return std::move(*object);
}

template <typename T, typename Bits> void compareWithFmod() {
  std::unique_ptr<CpuObject> object = compileRemainder(sizeof(T) == 8);
  auto remainder = reinterpret_cast<void (*)(const T *, const T *, T *)>(
      reinterpret_cast<void *>(object->function()));
  std::mt19937_64 random(1);
  std::vector<T> numbers = {0,
                            1,
                            T(1.5),
                            3,
                            std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN()};
  for (size_t i = 0, n = numbers.size(); i < n; ++i)
    numbers.push_back(-numbers[i]);
  for (int i = 0; i < 300; ++i)
    numbers.push_back(std::bit_cast<T>(Bits(random())));
  for (T x : numbers)
    for (T y : numbers) {
      T found, expected = std::fmod(x, y);
      remainder(&x, &y, &found);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(found)) << x << " mod " << y;
      else
        ASSERT_EQ(std::bit_cast<Bits>(found), std::bit_cast<Bits>(expected)) << x << " mod " << y;
    }
}

TEST(Remainders, OfSingleEqualsFmod) { compareWithFmod<float, uint32_t>(); }
TEST(Remainders, OfDoubleEqualsFmod) { compareWithFmod<double, uint64_t>(); }

} // namespace
} // namespace tigon

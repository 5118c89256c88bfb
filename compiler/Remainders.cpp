// SPDX-License-Identifier: Apache-2.0
//
// Long division of the significands, as many bits of the quotient at a time as 64 bits leave room for: 40 of f32, so at
// most 7 rounds, and 11 of f64.
#include "compiler/Remainders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace tigon {
namespace {

using llvm::BasicBlock, llvm::Value;

class RemainderFunction {
public:
  RemainderFunction(llvm::Module &module, llvm::Type *real)
      : b(module.getContext()), real(real), width(real->getScalarSizeInBits()),
        fraction(width == 64 ? 52 : 23), integer(b.getIntNTy(width)) {
    function = llvm::Function::Create(llvm::FunctionType::get(real, {real, real}, false),
                                      llvm::GlobalValue::InternalLinkage,
                                      width == 64 ? "tigon.fmod.f64" : "tigon.fmod.f32", module);
    function->addFnAttr(llvm::Attribute::NoInline);
    write();
  }

  llvm::Function *function;

private:
  Value *bits(Value *x) {
    return b.CreateAnd(b.CreateBitCast(x, integer), llvm::APInt::getSignedMaxValue(width));
  }
  Value *number(uint64_t n) { return llvm::ConstantInt::get(integer, n); }
  BasicBlock *block(llvm::StringRef name) {
    return BasicBlock::Create(b.getContext(), name, function);
  }
  // A subnormal has the least exponent and no leading bit.
  Value *exponent(Value *x) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, b.CreateLShr(x, fraction), number(1));
  }
  Value *significand(Value *x) {
    uint64_t leading = uint64_t(1) << fraction;
    Value *isNormal = b.CreateICmpUGE(x, number(leading));
    Value *bits = b.CreateOr(b.CreateAnd(x, leading - 1),
                             b.CreateSelect(isNormal, number(leading), number(0)));
    return b.CreateZExt(bits, b.getInt64Ty());
  }

  void write() {
    BasicBlock *entry = block("entry"), *undefined = block("undefined"),
               *defined = block("defined"), *unchanged = block("unchanged"),
               *divide = block("divide"), *round = block("round"), *step = block("step"),
               *done = block("done");
    Value *x = function->getArg(0), *y = function->getArg(1);
    b.SetInsertPoint(entry);
    Value *xBits = bits(x), *yBits = bits(y);
    Value *infinity =
        number(llvm::APFloat::getInf(real->getFltSemantics()).bitcastToAPInt().getZExtValue());
    Value *isUndefined =
        b.CreateOr(b.CreateICmpUGE(xBits, infinity),
                   b.CreateOr(b.CreateICmpUGT(yBits, infinity), b.CreateICmpEQ(yBits, number(0))));
    b.CreateCondBr(isUndefined, undefined, defined);

    b.SetInsertPoint(undefined);
    b.CreateRet(llvm::ConstantFP::getNaN(real));

    b.SetInsertPoint(defined);
    b.CreateCondBr(b.CreateICmpULT(xBits, yBits), unchanged, divide);

    b.SetInsertPoint(unchanged);
    b.CreateRet(x);

    b.SetInsertPoint(divide);
    Value *yExponent = exponent(yBits);
    Value *divisor = significand(yBits);
    Value *first = b.CreateURem(significand(xBits), divisor);
    Value *bitsLeft = b.CreateSub(exponent(xBits), yExponent);
    b.CreateBr(round);

    b.SetInsertPoint(round);
    llvm::PHINode *rest = b.CreatePHI(b.getInt64Ty(), 2), *left = b.CreatePHI(integer, 2);
    b.CreateCondBr(b.CreateICmpEQ(left, number(0)), done, step);

    b.SetInsertPoint(step);
    Value *taken = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, number(63 - fraction));
    Value *shifted = b.CreateShl(rest, b.CreateZExt(taken, b.getInt64Ty()));
    rest->addIncoming(first, divide), left->addIncoming(bitsLeft, divide);
    rest->addIncoming(b.CreateURem(shifted, divisor), step),
        left->addIncoming(b.CreateSub(left, taken), step);
    b.CreateBr(round);

    // The rest counts y's last places: 2^(exponent - fraction), which is subnormal for a small exponent.
    b.SetInsertPoint(done);
    Value *isNormal = b.CreateICmpUGT(yExponent, number(fraction));
    Value *normal = b.CreateShl(b.CreateSub(yExponent, number(fraction)), fraction);
    Value *subnormal = b.CreateShl(number(1), b.CreateSub(yExponent, number(1)));
    Value *place = b.CreateBitCast(b.CreateSelect(isNormal, normal, subnormal), real);
    Value *magnitude = b.CreateFMul(b.CreateUIToFP(rest, real), place);
    b.CreateRet(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, x));
  }

  llvm::IRBuilder<> b;
  llvm::Type *real;
  unsigned width, fraction;
  llvm::Type *integer;
};

} // namespace

void expandRemainders(llvm::Module &module) {
  llvm::SmallVector<llvm::BinaryOperator *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.getOpcode() == llvm::Instruction::FRem)
        found.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
  llvm::SmallDenseMap<llvm::Type *, llvm::Function *> made;
  for (llvm::BinaryOperator *remainder : found) {
    llvm::Function *&function = made[remainder->getType()];
    if (!function)
      function = RemainderFunction(module, remainder->getType()).function;
    llvm::IRBuilder<> b(remainder);
    remainder->replaceAllUsesWith(
        b.CreateCall(function, {remainder->getOperand(0), remainder->getOperand(1)}));
    remainder->eraseFromParent();
  }
}

} // namespace tigon

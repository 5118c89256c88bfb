// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/Allocations.h"

#include <cstdlib>
#include <new>

static thread_local size_t allocations = 0;

size_t tigon::countAllocations() { return allocations; }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// The sanitizers bring operators of their own, so nothing is counted; and they end the program if
// it asks for more memory than there can be or starts threads after a fork, as some tests do.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1:die_after_fork=0";
}
#else
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

// SPDX-License-Identifier: Apache-2.0
#include "dialect/interpreter/Memory.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace tigon::interpreter {
namespace {

bool hasMemoryForm(const Element &element) { return element.width % 8 == 0 || element.width == 1; }

uint64_t begin(const Buffer &buffer) { return reinterpret_cast<uint64_t>(buffer.data); }

} // namespace

Memory::Memory(const Options &options) : options(options) {
  if (options.mode == Mode::Wide && options.buffers)
    for (const Buffer &buffer : *options.buffers)
      wideFormats.push_back(buffer.wide && buffer.element ? getFloatFormat(buffer.element)
                                                          : nullptr);
}

const Buffer *Memory::findBuffer(uint64_t address, unsigned bytes) {
  auto contains = [&](const Buffer &buffer) {
    uint64_t offset = address - begin(buffer), size = buffer.bytes;
    return size >= bytes && offset <= size - bytes;
  };
  if (last && contains(*last))
    return last;
  for (const Buffer &buffer : *options.buffers)
    if (contains(buffer))
      return last = &buffer;
  return nullptr;
}

bool Memory::holds(uint64_t address, const Element &element) {
  return hasMemoryForm(element) && address % element.bytes() == 0 &&
         (!options.buffers || findBuffer(address, element.bytes()));
}

std::string Memory::explain(uint64_t address, const Element &element,
                            ArrayRef<std::pair<std::string, uint64_t>> pointers) const {
  if (!hasMemoryForm(element))
    return ("found an element of " + Twine(element.width) + " bits, expected whole bytes or i1")
        .str();
  std::string text = ("found an access of " + Twine(element.bytes()) + " bytes at ").str();
  auto distance = [&](const auto &pointer) {
    int64_t offset = address - pointer.second;
    return offset < 0 ? -uint64_t(offset) : uint64_t(offset);
  };
  const auto *nearest =
      std::min_element(pointers.begin(), pointers.end(),
                       [&](const auto &a, const auto &b) { return distance(a) < distance(b); });
  if (nearest == pointers.end())
    text += "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
  else
    text += nearest->first + (address < nearest->second ? " - " : " + ") +
            std::to_string(distance(*nearest));
  if (address % element.bytes() != 0)
    return text + " bytes, expected a multiple of its size";
  if (nearest != pointers.end())
    for (const Buffer &buffer : *options.buffers)
      if (nearest->second - begin(buffer) < uint64_t(buffer.bytes))
        return text + " bytes, expected " +
               std::to_string(int64_t(begin(buffer) - nearest->second)) + " to " +
               std::to_string(int64_t(begin(buffer) + buffer.bytes - nearest->second));
  return text + " bytes, expected an address inside a buffer";
}

Lane Memory::read(const void *from, const Element &element) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, element.bytes()); // hosts are little-endian
  if (element.format)
    return {0, element.format->decode(bits)};
  return {element.width == 1 ? (bits & 0xFF) != 0 : bits, 0};
}

// The wide value of the element at `address`, if a buffer of such elements keeps them.
double *Memory::findWide(uint64_t address, const Element &element) {
  if (wideFormats.empty())
    return nullptr;
  const Buffer *buffer = findBuffer(address, element.bytes());
  if (!element.format || wideFormats[buffer - options.buffers->begin()] != element.format)
    return nullptr;
  return buffer->wide + (address - begin(*buffer)) / element.bytes();
}

Lane Memory::load(uint64_t address, const Element &element) {
  Lane lane = read(reinterpret_cast<const void *>(address), element);
  const double *wide = findWide(address, element);
  if (wide && element.format->encode(*wide) == element.format->encode(lane.real))
    lane.real = *wide;
  return lane;
}

void Memory::store(uint64_t address, const Element &element, Lane lane) {
  uint64_t bits = element.format ? element.format->encode(lane.real) : lane.word;
  std::memcpy(reinterpret_cast<void *>(address), &bits, element.bytes());
  if (double *wide = findWide(address, element))
    *wide = lane.real;
  else if (!wideFormats.empty())
    refreshWide(*findBuffer(address, element.bytes()), address, element.bytes());
}

// A store of another type, say of zero bits as integers, has changed elements of `buffer`.
void Memory::refreshWide(const Buffer &buffer, uint64_t address, unsigned bytes) {
  const FloatFormat *format = wideFormats[&buffer - options.buffers->begin()];
  if (!format)
    return;
  Element element{format->width, format};
  uint64_t offset = address - begin(buffer);
  uint64_t first = offset / element.bytes(), end = (offset + bytes - 1) / element.bytes() + 1;
  for (uint64_t i = first; i < end && (i + 1) * element.bytes() <= uint64_t(buffer.bytes); ++i)
    buffer.wide[i] =
        read(static_cast<const char *>(buffer.data) + i * element.bytes(), element).real;
}

} // namespace tigon::interpreter

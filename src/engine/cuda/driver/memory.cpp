#include <fmt/format.h>

#include <mutex>

#include "engine/cuda/driver/context.hpp"

namespace kiln::cuda {

using api::check;
using api::driver;

namespace {

std::mutex use_lock;
MemoryUse use, most_use;

void note_reserved(int64_t bytes, const std::string& purpose) {
  const std::lock_guard guard(use_lock);
  use.bytes += bytes;
  use.by_purpose[purpose] += bytes;
  if (use.bytes > most_use.bytes) most_use = use;
}

}  // namespace

MemoryUse most_memory_used() {
  const std::lock_guard guard(use_lock);
  return most_use;
}

Memory::Memory(const Device& device, double bytes, const std::string& what) {
  if (!(bytes >= 0)) throw Failure(fmt::format("cannot reserve {} bytes on the GPU for {}", bytes, what));
  if (bytes == 0) return;
  // No device comes near this; beyond it the number would not fit an integer.
  constexpr double kMost = 9e15;
  auto block = std::make_unique<Block>();
  block->context = device.context();
  block->context->make_current();
  const api::Result result =
      bytes > kMost ? api::kOutOfMemory : driver().mem_alloc(&block->address, std::size_t(bytes));
  if (result == api::kOutOfMemory) throw device.too_little_memory(bytes, what);
  check(result, "reserving memory on the GPU for " + what);
  block->bytes = std::size_t(bytes);
  block->purpose = what;
  note_reserved(int64_t(bytes), what);
  block_ = std::move(block);
}

Memory::Block::~Block() {
  if (address == 0) return;
  context->make_current_quietly();
  driver().mem_free(address);
  note_reserved(-int64_t(bytes), purpose);
}

void Memory::check_range(std::size_t bytes, std::size_t offset) const {
  if (offset > this->bytes() || bytes > this->bytes() - offset)
    throw Failure(fmt::format("{} bytes from byte {} on do not lie in a GPU buffer of {} bytes", bytes,
                              offset, this->bytes()));
}

void Memory::upload(const void* from, std::size_t bytes, std::size_t offset, const Stream* stream) {
  check_range(bytes, offset);
  if (bytes == 0) return;
  block_->context->make_current();
  const api::Address to = address() + offset;
  check(stream ? driver().memcpy_to_device_async(to, from, bytes, stream->handle())
               : driver().memcpy_to_device(to, from, bytes),
        "copying to the GPU");
}

void Memory::download(void* to, std::size_t bytes, std::size_t offset, const Stream* stream) const {
  check_range(bytes, offset);
  if (bytes == 0) return;
  block_->context->make_current();
  const api::Address from = address() + offset;
  check(stream ? driver().memcpy_to_host_async(to, from, bytes, stream->handle())
               : driver().memcpy_to_host(to, from, bytes),
        "copying from the GPU");
}

void Memory::copy(const Memory& from, std::size_t bytes, const Stream* stream) {
  check_range(bytes, 0);
  from.check_range(bytes, 0);
  if (bytes == 0) return;
  block_->context->make_current();
  check(stream ? driver().memcpy_on_device_async(address(), from.address(), bytes, stream->handle())
               : driver().memcpy_on_device(address(), from.address(), bytes),
        "copying on the GPU");
}

void Memory::fill(uint8_t byte, std::size_t bytes, const Stream* stream) {
  check_range(bytes, 0);
  if (bytes == 0) return;
  block_->context->make_current();
  check(stream ? driver().memset_async(address(), byte, bytes, stream->handle())
               : driver().memset(address(), byte, bytes),
        "filling memory on the GPU");
}

PinnedMemory::PinnedMemory(const Device& device, std::size_t bytes) {
  if (bytes == 0) return;
  const std::shared_ptr<Context> context = device.context();
  context->make_current();
  void* data = nullptr;
  check(driver().mem_alloc_host(&data, bytes), fmt::format("locking {} bytes of host memory", bytes));
  data_ = {data, [context](void* memory) {
             context->make_current_quietly();
             driver().mem_free_host(memory);
           }};
}

}  // namespace kiln::cuda

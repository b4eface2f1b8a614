#include <fmt/format.h>

#include "engine/cuda/driver/context.hpp"

namespace kiln::cuda {
namespace {

// CUfunction_attribute
constexpr int kSharedBytes = 1;
constexpr int kRegisters = 4;
constexpr int kMaxDynamicSharedBytes = 8;

std::optional<std::vector<std::size_t>> parameter_sizes(api::FunctionHandle function) {
  if (api::driver().func_get_param_info == nullptr) return std::nullopt;
  constexpr api::Result kInvalidValue = 1;  // the index of a parameter that is not there
  std::vector<std::size_t> sizes;
  std::size_t offset = 0, size = 0;
  api::Result result = 0;
  while ((result = api::driver().func_get_param_info(function, sizes.size(), &offset, &size)) == 0)
    sizes.push_back(size);
  if (result != kInvalidValue) return std::nullopt;
  return sizes;
}

}  // namespace

using api::check;
using api::driver;

Module::Module(const Device& device, const std::vector<char>& cubin) : context_(device.context()) {
  context_->make_current();
  api::ModuleHandle handle = nullptr;
  check(driver().module_load_data(&handle, cubin.data()), "loading kernels onto the GPU");
  module_ = {handle, [context = context_](api::ModuleHandle module) {
               context->make_current_quietly();
               driver().module_unload(module);
             }};
}

Function Module::function(const std::string& name) const {
  context_->make_current();
  Function function;
  const auto module = static_cast<api::ModuleHandle>(module_.get());
  check(driver().module_get_function(&function.handle_, module, name.c_str()),
        fmt::format("looking for the kernel {}", name));
  function.context_ = context_;
  function.module_ = module_;
  function.name_ = name;
  function.parameter_bytes_ = parameter_sizes(function.handle_);
  return function;
}

void Module::set_global_bytes(const std::string& name, const void* value, std::size_t bytes) const {
  context_->make_current();
  api::Address address = 0;
  std::size_t size = 0;
  const auto module = static_cast<api::ModuleHandle>(module_.get());
  check(driver().module_get_global(&address, &size, module, name.c_str()),
        fmt::format("looking for the variable {} of the kernels", name));
  if (size != bytes)
    throw Failure(fmt::format("the kernels' variable {} has {} bytes, not {}", name, size, bytes));
  check(driver().memcpy_to_device(address, value, bytes), "copying to the GPU");
}

int Function::attribute(int which) const {
  context_->make_current();
  int value = 0;
  check(driver().func_get_attribute(&value, which, handle_),
        fmt::format("asking about the kernel {}", name_));
  return value;
}

int Function::registers() const { return attribute(kRegisters); }
int Function::shared_bytes() const { return attribute(kSharedBytes); }

void Function::allow_dynamic_shared(int bytes) const {
  context_->make_current();
  check(driver().func_set_attribute(handle_, kMaxDynamicSharedBytes, bytes),
        fmt::format("giving {} bytes of shared memory to the kernel {}", bytes, name_));
}

int Function::blocks_per_multiprocessor(int threads, int dynamic_shared_bytes) const {
  context_->make_current();
  int blocks = 0;
  check(driver().occupancy_blocks(&blocks, handle_, threads, std::size_t(dynamic_shared_bytes)),
        fmt::format("asking about the kernel {}", name_));
  return blocks;
}

void Function::check_arguments(const std::size_t* sizes, std::size_t count) const {
  if (!parameter_bytes_) return;
  if (parameter_bytes_->size() != count)
    throw Failure(
        fmt::format("the kernel {} takes {} arguments, not {}", name_, parameter_bytes_->size(), count));
  for (std::size_t i = 0; i < count; ++i)
    if ((*parameter_bytes_)[i] != sizes[i])
      throw Failure(fmt::format("argument {} of the kernel {} has {} bytes, not {}", i, name_,
                                (*parameter_bytes_)[i], sizes[i]));
}

void Function::launch_raw(const Launch& shape, const Stream& stream, void** arguments,
                          const std::size_t* sizes, std::size_t count) const {
  check_arguments(sizes, count);
  context_->make_current();
  const Extent3 &grid = shape.grid, &block = shape.block;
  const unsigned shared = shape.dynamic_shared_bytes;
  const api::Result result =
      shape.cooperative
          ? driver().launch_cooperative_kernel(handle_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                               shared, stream.handle(), arguments)
          : driver().launch_kernel(handle_, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                                   stream.handle(), arguments, nullptr);
  if (result != 0)
    api::fail(result,
              fmt::format("starting the kernel {} with {} x {} x {} blocks of {} x {} x {} threads and "
                          "{} bytes of shared memory",
                          name_, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared));
}

}  // namespace kiln::cuda

// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include <dlfcn.h>

namespace gpu_double {
namespace {

struct Registry {
    std::mutex mutex;
    std::map<const void*, std::string> names;
    std::map<std::string, Twin> twins;
};

Registry& registry() {
    static auto* const all = new Registry;
    return *all;
}

void* open_twin_library() {
    const char* path = std::getenv("RAILGAUGE_DOUBLE_TWINS");
    if (path == nullptr) return nullptr;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "GPU double: %s\n", dlerror());
    return library;
}

void* find_symbol(const std::string& name) {
    if (void* found = dlsym(RTLD_DEFAULT, name.c_str())) return found;
    static void* const library = open_twin_library();
    return library != nullptr ? dlsym(library, name.c_str()) : nullptr;
}

}  // namespace

void register_kernel(const void* stub, const char* name) {
    auto& known = registry();
    const std::scoped_lock lock(known.mutex);
    known.names[stub] = name;
}

std::string kernel_name(const void* stub) {
    auto& known = registry();
    const std::scoped_lock lock(known.mutex);
    const auto found = known.names.find(stub);
    return found == known.names.end() ? std::string{} : found->second;
}

Twin find_twin(const std::string& kernel) {
    auto& known = registry();
    const std::scoped_lock lock(known.mutex);
    Twin& twin = known.twins[kernel];
    if (twin.run != nullptr) return twin;
    twin.run = reinterpret_cast<decltype(twin.run)>(find_symbol("gpu_double_twin_" + kernel));
    twin.sizes = static_cast<const unsigned*>(find_symbol("gpu_double_sizes_" + kernel));
    return twin;
}

}  // namespace gpu_double

// SPDX-License-Identifier: Apache-2.0
// The living objects behind raw handles: a stale or foreign handle is recognised, an object in use
// stays.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpu_double {

template <class T>
class Handles {
  public:
    T* add(std::shared_ptr<T> object) {
        const std::scoped_lock lock(mutex_);
        T* handle = object.get();
        objects_[handle] = std::move(object);
        return handle;
    }

    std::shared_ptr<T> find(T* handle) const {
        const std::scoped_lock lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }

    std::shared_ptr<T> remove(T* handle) {
        const std::scoped_lock lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        auto object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    std::vector<std::shared_ptr<T>> all() const {
        const std::scoped_lock lock(mutex_);
        std::vector<std::shared_ptr<T>> list;
        for (const auto& [handle, object] : objects_)
            list.push_back(object);
        return list;
    }

  private:
    mutable std::mutex mutex_;
    std::unordered_map<T*, std::shared_ptr<T>> objects_;
};

}  // namespace gpu_double

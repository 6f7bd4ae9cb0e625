// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

namespace railgauge {

/// Deleter that calls a C library's destroy function:
///
///     using File = std::unique_ptr<std::FILE, Destroyer<&std::fclose>>;
template <auto Destroy>
struct Destroyer {
    template <class T>
    void operator()(T* handle) const noexcept {
        static_cast<void>(Destroy(handle));
    }
};

/// Owner of an integer handle (file descriptor, hid_t) where negative means none.
template <class Id, auto Close>
class UniqueId {
  public:
    UniqueId() = default;
    explicit UniqueId(Id id) noexcept : id_(id) {}
    UniqueId(UniqueId&& other) noexcept : id_(other.release()) {}
    UniqueId& operator=(UniqueId&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    UniqueId(const UniqueId&) = delete;
    UniqueId& operator=(const UniqueId&) = delete;
    ~UniqueId() { reset(); }

    Id get() const noexcept { return id_; }
    explicit operator bool() const noexcept { return id_ >= 0; }

    Id release() noexcept {
        const Id id = id_;
        id_ = Id{-1};
        return id;
    }

    void reset(Id id = Id{-1}) noexcept {
        if (id_ >= 0) static_cast<void>(Close(id_));
        id_ = id;
    }

  private:
    Id id_{-1};
};

}  // namespace railgauge

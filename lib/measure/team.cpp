// SPDX-License-Identifier: Apache-2.0
#include "measure/team.hpp"

#include <new>

namespace railgauge {

std::optional<Failure> attempt(const std::function<void()>& stage) {
    try {
        stage();
        return std::nullopt;
    } catch (const StrandedError&) {
        throw;
    } catch (const Error& error) {
        return Failure{error.code(), error.what()};
    } catch (const std::bad_alloc&) {
        return Failure{ExitCode::library,
                       "out of memory (an allocation was refused); use smaller sizes, fewer "
                       "iterations or fewer ranks"};
    } catch (const std::runtime_error& error) {
        return Failure{ExitCode::library, error.what()};
    }
}

void agreed(Team& team, const std::function<void()>& stage) {
    team.agree(attempt(stage), {});
}

}  // namespace railgauge

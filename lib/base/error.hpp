// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace railgauge {

/// Exit codes of every rank program (docs/run-file.md).
enum class ExitCode : int { done = 0, usage = 2, wrong_data = 4, deadline = 5, library = 6 };

/// The one error type: thrown at set-up and between cases, caught only by `run_program`.
///
/// Its text is one line, "<problem> (<why it is one>); <what to do>":
///
///     throw Error(ExitCode::usage, "root 9 does not exist", "the job has 4 ranks", "use --root
///     0..3");
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& problem, const std::string& why,
          const std::string& remedy);

    /// An error whose text is complete already: one that another rank reported.
    Error(ExitCode code, const std::string& text);

    ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// An error that every rank of the job throws alike, after agreeing on it. A program may end
/// cleanly on it, where any other error leaves the ranks in different places.
class AgreedError : public Error {
  public:
    using Error::Error;
};

/// An error of one rank in a call that the others are inside of, too: there is nobody to agree
/// with, and the job ends at once.
class StrandedError : public Error {
  public:
    using Error::Error;
    explicit StrandedError(const Error& error) : Error(error.code(), error.what()) {}
};

/// `text` with line breaks and control characters replaced, so that it stays one line in a log.
std::string one_line(const std::string& text);

/// Throws Error(library) naming `doing`, `path` and errno's text when `result` is negative; returns
/// `result`.
int check_errno(int result, const std::string& doing, const std::string& path);

}  // namespace railgauge

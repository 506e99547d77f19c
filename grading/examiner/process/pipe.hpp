#pragma once

#include "grading/examiner/process/file_descriptor.hpp"

namespace tilewise::grading {

/// Two connected ends. Neither is inherited by other processes unless handed to them.
struct Pipe {
  FileDescriptor out;  ///< to read from
  FileDescriptor in;   ///< to write to
};

/// @throws std::system_error
Pipe make_pipe();

/// Both ends read and write.
/// @throws std::system_error
Pipe make_socket_pair();

/// /dev/null, for reading and writing.
/// @throws std::system_error
FileDescriptor open_null();

/// Makes reads and writes return at once, with EAGAIN where they would wait.
void make_non_blocking(const FileDescriptor& fd);

}  // namespace tilewise::grading

// Connections between programs on one machine.
#pragma once

#include <string>

namespace hearth::system {

/// Lets only this user open a named pipe on which this process listens; by default, Windows lets
/// everyone read from it. Returns "" on success, otherwise the system's explanation. Does nothing
/// on other systems, where the mode of a socket file keeps others out.
std::string keep_others_out(const std::string& pipe);

}  // namespace hearth::system

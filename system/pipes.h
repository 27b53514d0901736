// Connections between programs of one machine.
#pragma once

#include <string>

namespace hearth::system {

/// Lets only this user open a named pipe on which this process listens; by default, Windows lets
/// everyone read from it. "" on success, else the system's explanation. Elsewhere there are sockets
/// in files, whose mode says the same, and this does nothing.
std::string keep_others_out(const std::string& pipe);

}  // namespace hearth::system

// SPDX-License-Identifier: MIT
// A first reading where it can do no harm.
#ifndef ABUT_IO_OCCT_PROBE_HPP
#define ABUT_IO_OCCT_PROBE_HPP

#include <functional>
#include <string>

namespace abut_occt {

// Runs `read` in a child process with limits on time and memory. Empty where that ends in an orderly way, well
// or not, or cannot be tried; otherwise what happened.
std::string probe(const char *path, const std::function<void()> &read);

} // namespace abut_occt

#endif

#pragma once

#include <string_view>

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Of a wrong result: where one is stored that was never written, or stands elsewhere, where an
/// input is read that is read at a wrong place, what lets whole steps through alone, and which
/// floats stand among doubles.
/// @param accesses all of the source
SourceAccount account_of_wrong_result(const Finding& finding, const Accesses& accesses,
                                      std::string_view source);

}  // namespace tilewise::grading

#pragma once

#include <string_view>

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Explains a wrong result: where an element is stored that was never written or stands elsewhere,
/// where an input is read that is read at a wrong position, which condition lets only whole steps
/// through, and which floats stand among doubles.
/// @param accesses all accesses of the source
SourceAccount account_of_wrong_result(const Finding& finding, const Accesses& accesses,
                                      std::string_view source);

}  // namespace tilewise::grading

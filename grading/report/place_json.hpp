#pragma once

#include <nlohmann/json.hpp>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// A place as JSON, without what is unknown; found by nlohmann::json. Reading throws
/// nlohmann::json::exception for a mistyped field.
void to_json(nlohmann::ordered_json& document, const FailurePlace& place);
void from_json(const nlohmann::ordered_json& document, FailurePlace& place);

}  // namespace tilewise::grading

#pragma once

#include <nlohmann/json.hpp>

#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// Conversions between progress and the schema tilewise/progress/v1, found by nlohmann::json.
/// Reading throws nlohmann::json::exception for a missing or mistyped field and
/// std::invalid_argument for an unknown word.
void to_json(nlohmann::ordered_json& document, const Progress& progress);
void from_json(const nlohmann::ordered_json& document, Progress& progress);

inline constexpr const char* progress_schema = "tilewise/progress/v1";

}  // namespace tilewise::grading

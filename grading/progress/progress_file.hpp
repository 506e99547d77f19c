#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// Conversions between progress and the schema tilewise/progress/v1, found by nlohmann::json.
/// Reading throws nlohmann::json::exception for a missing or mistyped field and
/// std::invalid_argument for an unknown word.
void to_json(nlohmann::ordered_json& document, const Progress& progress);
void from_json(const nlohmann::ordered_json& document, Progress& progress);

inline constexpr const char* progress_schema = "tilewise/progress/v1";

/// `root`/progress.json.
std::filesystem::path progress_file(const std::filesystem::path& root);

/// What the file says; nothing done yet where there is none.
/// @param root the course's folder
/// @throws CannotGrade where it is damaged or not of a schema known here: what to do
Progress read_progress(const std::filesystem::path& root);

/// Reads the file, changes what it says and writes it anew, as a whole or not at all. Of several
/// processes that do so at once each waits for the others.
/// @throws as read_progress(), and then changes nothing; CannotGrade where it cannot be written;
/// Interrupted
void change_progress(const std::filesystem::path& root,
                     const std::function<void(Progress& progress)>& change);

}  // namespace tilewise::grading

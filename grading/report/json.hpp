#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// Conversions between results and the schema tilewise/result/v1, found by nlohmann::json:
/// `nlohmann::ordered_json document = test;` and `document.get<TestResult>()`. Reading throws
/// nlohmann::json::exception for a missing or mistyped field and std::invalid_argument for an
/// unknown word or schema. A measurement that is not finite is left out.
void to_json(nlohmann::ordered_json& document, const TestResult& test);
void to_json(nlohmann::ordered_json& document, const StageResult& stage);
void to_json(nlohmann::ordered_json& document, const GradeResult& grade);
void from_json(const nlohmann::ordered_json& document, TestResult& test);
void from_json(const nlohmann::ordered_json& document, StageResult& stage);
void from_json(const nlohmann::ordered_json& document, GradeResult& grade);

/// Text of a document on one line. Bytes that are not UTF-8 (a student may have printed them)
/// become U+FFFD rather than an error.
std::string to_line(const nlohmann::ordered_json& document);

/// Text of a document as a file holds it: indented, with a final newline, otherwise as to_line().
std::string to_file(const nlohmann::ordered_json& document);

}  // namespace tilewise::grading

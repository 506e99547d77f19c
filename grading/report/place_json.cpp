#include "grading/report/place_json.hpp"

namespace tilewise::grading {

using Json = nlohmann::ordered_json;

void to_json(Json& document, const FailurePlace& place) {
  document = Json::object();
  if (!place.call.empty()) document["call"] = place.call;
  if (place.block) document["block"] = *place.block;
  if (place.thread) document["thread"] = *place.thread;
  if (place.matrix.empty()) return;
  document["matrix"] = place.matrix;
  document["row"] = place.row;
  document["col"] = place.col;
}

void from_json(const Json& document, FailurePlace& place) {
  place.call = document.value("call", "");
  if (document.contains("block")) place.block = document["block"].get<FailurePlace::Index>();
  if (document.contains("thread")) place.thread = document["thread"].get<FailurePlace::Index>();
  place.matrix = document.value("matrix", "");
  place.row = document.value("row", 0);
  place.col = document.value("col", 0);
}

}  // namespace tilewise::grading

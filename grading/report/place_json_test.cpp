#include "grading/report/place_json.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

TEST(PlaceJson, ReadsWhatItWroteWithoutWhatIsUnknown) {
  struct Case {
    FailurePlace place;
    const char* text;
  };
  const Case cases[] = {
      {{}, "{}"},
      {{.call = "f(n=3)"}, R"json({"call":"f(n=3)"})json"},
      {{.call = "f(n=3)", .block = {{1, 0, 0}}, .thread = {{2, 3, 0}}},
       R"json({"call":"f(n=3)","block":[1,0,0],"thread":[2,3,0]})json"},
      {{.call = "f(n=3)", .matrix = "C", .row = 2, .col = 1},
       R"json({"call":"f(n=3)","matrix":"C","row":2,"col":1})json"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Json(one.place).dump(), one.text);
    EXPECT_EQ(Json::parse(one.text).get<FailurePlace>(), one.place);
  }
}

TEST(PlaceJson, RefusesWhatIsNoPlace) {
  for (const char* text : {R"({"block":[1,0]})", R"({"thread":"first"})", R"({"row":"2"})"}) {
    EXPECT_THROW(Json::parse(text).get<FailurePlace>(), Json::exception) << text;
  }
}

}  // namespace
}  // namespace tilewise::grading

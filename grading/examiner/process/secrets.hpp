#pragma once

namespace tilewise::grading {

/// From here on no other process of the same user reads this one's memory or environment, where
/// seeds and references are, or writes to it; root still does. A sandbox keeps a submission from
/// seeing other processes at all; this is for where there is none.
void keep_secrets();

}  // namespace tilewise::grading

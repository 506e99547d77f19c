#include "common/simt/recorder/site_table.hpp"

#include <algorithm>

namespace tilewise::simt {

void SiteTable::clear() {
  all_.clear();
  table_.assign(1024, nullptr);
  recent_.fill(nullptr);
}

SiteState& SiteTable::find(std::uint32_t site) {
  if (2 * (all_.size() + 1) > table_.size()) {
    table_.assign(2 * table_.size(), nullptr);
    for (const auto& state : all_) {
      std::size_t i = state->site % (table_.size() - 1);
      while (table_[i] != nullptr) i = (i + 1) % table_.size();
      table_[i] = state.get();
    }
  }
  std::size_t i = site % (table_.size() - 1);
  while (table_[i] != nullptr && table_[i]->site != site) i = (i + 1) % table_.size();
  if (table_[i] == nullptr) {
    all_.push_back(std::make_unique<SiteState>());
    all_.back()->site = site;
    table_[i] = all_.back().get();
  }
  return *table_[i];
}

}  // namespace tilewise::simt

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/names.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds reads of memory that nothing has written, or whose values no kernel may use: the part of a
/// triangular matrix above the diagonal.
class Uninitialised final : public Observer {
 public:
  void watch(const Watch& watch) override;
  void allocated(Place first, std::size_t bytes) override;
  void released(Place first, std::size_t bytes) override;
  void initialised(Place first, std::size_t bytes, bool has_value) override;
  void copied(Place to, Place from, std::size_t bytes) override;
  void end_launch(const LaunchResults& results) override;

  void start(const BlockWatch& block) override;
  void start_block(bool tags_anew) override;
  void shared_access(const Access& access) override {
    Array& array = array_of(access.site);
    // Most accesses end here, because they go to arrays that have been written completely.
    if (array.unwritten != 0 || !pending_.empty()) check_shared(array, access);
  }
  void global_access(const Access& access) override;
  void private_access(const PrivateAccess& access) override;
  void end_interval() override;

 private:
  struct Region;
  struct Shared;
  enum class Padding;

  /// An array of shared memory, or all dynamic shared memory.
  struct Array {
    Place begin = 0;
    std::size_t unwritten = 0;  ///< bytes that no thread of the block has written
    Tag block = 0;              ///< the first tag of the block
  };
  /// The state of all shared memory that the operating-system thread has for its blocks.
  struct Written {
    explicit Written(std::size_t bytes) : last(bytes), whole(bytes / word_bytes) {}
    LazyArray<Tag> last;   ///< by byte: the tag of its last write
    LazyArray<Tag> whole;  ///< by word: the first tag of the block known to have written all of it
  };
  struct PendingRead {
    Place place;
    AccessRecord read;
  };

  static Shared& of_all_threads();

  Array& array_of(const SiteState& site) {
    Array* const array =
        site.number < array_of_site_.size() ? array_of_site_[site.number] : nullptr;
    const bool is_known =
        array != nullptr && array->begin == site.begin && array->block == block_first_;
    return is_known ? *array : find_array(site);
  }
  Array& find_array(const SiteState& site);
  static Padding padding_of(const Access& access);
  /// Whether a byte that nothing has written may be padding within what is read.
  template <class IsWritten>
  static bool may_be(Padding padding, Place at, IsWritten&& is_written);
  void check_shared(Array& array, const Access& access);
  void read_shared(Place place, unsigned bytes, Padding padding, AccessRecord read);
  void write_shared(Array& array, Place place, unsigned bytes, Tag write);
  void read_global(Region& region, Place place, unsigned bytes, Padding padding,
                   AccessRecord read) const;
  void write_global(Region& region, Place place, unsigned bytes) const;
  Finding explain(Place place, AccessRecord read) const;
  std::string describe_written(const SharedNames::Declared& array) const;

  Shared& shared_ = of_all_threads();
  std::unique_ptr<Written> written_;
  std::size_t bytes_ = 0;
  std::unordered_map<Place, Array> arrays_;  ///< by their first place
  std::vector<Array*> array_of_site_;        ///< by SiteState::number
  std::vector<PendingRead> pending_;         ///< reads of shared memory in this interval
  Tag block_first_ = 0;                      ///< the running block's first tag
};

}  // namespace tilewise::simt

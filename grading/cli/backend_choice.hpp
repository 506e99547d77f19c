#pragma once

#include <string>

#include "grading/builder/builder.hpp"

namespace tilewise::grading {

/// A backend, and the device it grades on, as result files name it.
struct ChosenBackend {
  Backend backend;
  std::string device;  ///< "gtx1080 (modelled)", or the card's own name
};

/// Who is to use the GPU.
enum class GpuUser {
  this_process,  ///< which takes one until it ends, as choose_gpu() does
  others,        ///< that it starts, and that take theirs themselves; it only looks
};

/// The backend a user asks for: "simt", "cuda", or "auto" for cuda where it works, else simt.
/// @param gpu     id of the profile that the simulator models
/// @param device  the GPU for cuda, as choose_gpu() takes it
/// @param user    of the GPU, for cuda
/// @throws CannotGrade saying what is missing; std::runtime_error for an unknown profile.
ChosenBackend choose_backend(const std::string& wanted, const std::string& gpu,
                             const std::string& device, GpuUser user = GpuUser::this_process);

}  // namespace tilewise::grading

/// What curandGenerate...() of hosts does here: Philox 4x32-10 (Salmon et al., 2011) draws for
/// every pseudo-random generator, whichever was asked for, so that numbers are of the distribution
/// and are not those that cuRAND draws. Quasi-random ones are Sobol's, with the direction numbers
/// of Joe and Kuo, of up to 10 dimensions. Included by curand.h, behind the toolkit's declarations.
#pragma once

#include <stdint.h>

#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "host_api.hpp"

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  unsigned long long seed = 0;
  unsigned long long position = 0;  ///< pseudo: words drawn; quasi: the next point
  unsigned dimensions = 1;
  cudaStream_t stream = nullptr;

  bool is_quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
};

namespace tilewise::simt::random_numbers {

/// As the standard library's engines.
class Philox {
 public:
  using result_type = uint32_t;
  static constexpr uint32_t min() { return 0; }
  static constexpr uint32_t max() { return 0xffffffffu; }

  explicit Philox(curandGenerator_t of) : of_(of) {}
  uint32_t operator()() {
    const uint64_t position = of_->position++;
    if (!is_known_ || position / 4 != block_) make(position / 4);
    return words_[position % 4];
  }

 private:
  void make(uint64_t block) {
    uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0};
    uint32_t keys[2] = {static_cast<uint32_t>(of_->seed), static_cast<uint32_t>(of_->seed >> 32)};
    for (int round = 0; round < 10; ++round) {
      const uint64_t p = uint64_t{0xD2511F53u} * c[0], q = uint64_t{0xCD9E8D57u} * c[2];
      const uint32_t next[4] = {
          static_cast<uint32_t>(q >> 32) ^ c[1] ^ keys[0], static_cast<uint32_t>(q),
          static_cast<uint32_t>(p >> 32) ^ c[3] ^ keys[1], static_cast<uint32_t>(p)};
      for (int i = 0; i < 4; ++i) c[i] = next[i];
      keys[0] += 0x9E3779B9u;
      keys[1] += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; ++i) words_[i] = c[i];
    block_ = block;
    is_known_ = true;
  }

  curandGenerator_t of_;
  uint32_t words_[4] = {};
  uint64_t block_ = 0;
  bool is_known_ = false;
};

constexpr unsigned most_dimensions = 10;

/// Coordinates of Sobol's points in one dimension, from 0, in the order of Gray's code.
class Sobol {
 public:
  Sobol(unsigned dimension, unsigned long long first) : point_(first) {
    // Degree, coefficients and first direction numbers: new-joe-kuo-6, of S. Joe and F. Y. Kuo.
    static constexpr struct {
      unsigned degree, coefficients;
      uint64_t first[5];
    } polynomials[most_dimensions - 1] = {{1, 0, {1}},
                                          {2, 1, {1, 3}},
                                          {3, 1, {1, 3, 1}},
                                          {3, 2, {1, 1, 1}},
                                          {4, 1, {1, 1, 3, 3}},
                                          {4, 4, {1, 3, 5, 13}},
                                          {5, 2, {1, 1, 5, 5, 17}},
                                          {5, 4, {1, 1, 5, 5, 5}},
                                          {5, 7, {1, 1, 7, 11, 19}}};
    uint64_t m[64];
    for (unsigned k = 0; k < 64; ++k) {
      m[k] = 1;
      if (dimension > 0) {
        const auto& p = polynomials[dimension - 1];
        if (k < p.degree) {
          m[k] = p.first[k];
        } else {
          m[k] = m[k - p.degree] ^ m[k - p.degree] << p.degree;
          for (unsigned i = 1; i < p.degree; ++i) {
            if (p.coefficients >> (p.degree - 1 - i) & 1) m[k] ^= m[k - i] << i;
          }
        }
      }
      directions_[k] = m[k] << (63 - k);
    }
    const uint64_t gray = point_ ^ point_ >> 1;
    for (unsigned k = 0; k < 64; ++k) {
      if (gray >> k & 1) coordinate_ ^= directions_[k];
    }
  }
  uint64_t next() {
    const uint64_t now = coordinate_;
    coordinate_ ^= directions_[__builtin_ctzll(~point_)];
    ++point_;
    return now;
  }

 private:
  uint64_t point_, coordinate_ = 0, directions_[64];
};

/// In (0, 1].
inline float uniform(uint32_t bits) {
  return static_cast<float>(bits) * 2.3283064e-10f + 2.3283064e-10f / 2;
}
inline double uniform(uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

/// The inverse of the normal distribution's sum, by bisection.
inline double normal_quantile(double p) {
  double low = -9, high = 9;
  const auto sum = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (sum(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

template <class T>
curandStatus_t deliver(curandGenerator_t to, T* out, const std::vector<T>& numbers) {
  if (numbers.empty()) return CURAND_STATUS_SUCCESS;
  const size_t bytes = numbers.size() * sizeof(T);
  if (to->on_host) {
    std::memcpy(out, numbers.data(), bytes);
    return CURAND_STATUS_SUCCESS;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(to->stream, &status) != cudaSuccess ||
      status != cudaStreamCaptureStatusNone) {
    return CURAND_STATUS_LAUNCH_FAILURE;  // a graph would draw anew at each launch
  }
  const auto copied = cudaMemcpyAsync(out, numbers.data(), bytes, cudaMemcpyDefault, to->stream);
  return copied == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

/// @param of_pseudo  makes a number from Philox
/// @param of_quasi  makes one from a coordinate, whose upper bits count
template <class T, class OfPseudo, class OfQuasi>
curandStatus_t generate(curandGenerator_t from, T* out, size_t count, OfPseudo of_pseudo,
                        OfQuasi of_quasi) {
  if (from == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> numbers(count);
  if (!from->is_quasi()) {
    Philox philox(from);
    for (T& number : numbers) number = of_pseudo(philox);
  } else {
    if (count % from->dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    const size_t points = count / from->dimensions;
    for (unsigned dimension = 0; dimension < from->dimensions; ++dimension) {
      Sobol sobol(dimension, from->position);
      for (size_t i = 0; i < points; ++i) numbers[dimension * points + i] = of_quasi(sobol.next());
    }
    from->position += points;
  }
  return deliver(from, out, numbers);
}

/// Pairs by the transformation of Box and Muller, so that pseudo-random ones have to be even.
template <class T, class Finish>
curandStatus_t generate_normal(curandGenerator_t from, T* out, size_t count, Finish finish) {
  if (from == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!from->is_quasi() && count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  double second = 0;
  bool has_second = false;
  return generate(
      from, out, count,
      [&](Philox& philox) {
        has_second = !has_second;
        if (!has_second) return static_cast<T>(finish(second));
        const auto word = [&] { return uint64_t{philox()} << 32 | philox(); };
        const double radius = std::sqrt(-2 * std::log(uniform(word())));
        const double angle = 6.283185307179586 * uniform(word());
        second = radius * std::sin(angle);
        return static_cast<T>(finish(radius * std::cos(angle)));
      },
      [&](uint64_t bits) {
        const double p =
            sizeof(T) == 4 ? double{uniform(static_cast<uint32_t>(bits >> 32))} : uniform(bits);
        return static_cast<T>(finish(normal_quantile(p)));
      });
}

inline curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      *generator = new curandGenerator_st{type, on_host};
      return CURAND_STATUS_SUCCESS;
    default:  // scrambled ones, whose constants are cuRAND's own
      return CURAND_STATUS_TYPE_ERROR;
  }
}

}  // namespace tilewise::simt::random_numbers

extern "C" {

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return tilewise::simt::random_numbers::create(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                curandRngType_t type) {
  return tilewise::simt::random_numbers::create(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  return *version = CURAND_VERSION, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return generator->stream = stream, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
  generator->seed = seed;
  generator->position = 0;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return generator->position = offset, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                                 curandOrdering_t order) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const bool is_for_quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
  return is_for_quasi == generator->is_quasi() ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                              unsigned dimensions) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions < 1 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  if (dimensions > tilewise::simt::random_numbers::most_dimensions) {
    fprintf(stderr,
            "tilewise: quasi-random numbers of %u dimensions cannot be simulated: up to %u can\n",
            dimensions, tilewise::simt::random_numbers::most_dimensions);
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  return generator->dimensions = dimensions, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t count) {
  return tilewise::simt::random_numbers::generate(
      generator, out, count, [](auto& philox) { return philox(); },
      [](uint64_t bits) { return static_cast<unsigned>(bits >> 32); });
}
inline curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out,
                                             size_t count) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->type != CURAND_RNG_QUASI_SOBOL64) return CURAND_STATUS_TYPE_ERROR;
  return tilewise::simt::random_numbers::generate(
      generator, out, count, [](auto& philox) { return 0ull + philox(); },
      [](uint64_t bits) { return 0ull + bits; });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t count) {
  using namespace tilewise::simt::random_numbers;
  return generate(
      generator, out, count, [](Philox& philox) { return uniform(philox()); },
      [](uint64_t bits) { return uniform(static_cast<uint32_t>(bits >> 32)); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                                  size_t count) {
  using namespace tilewise::simt::random_numbers;
  return generate(
      generator, out, count,
      [](Philox& philox) {
        const uint64_t upper = philox();
        return uniform(upper << 32 | philox());
      },
      [](uint64_t bits) { return uniform(bits); });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t count,
                                           float mean, float deviation) {
  return tilewise::simt::random_numbers::generate_normal(
      generator, out, count, [=](double x) { return mean + deviation * x; });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out,
                                                 size_t count, double mean, double deviation) {
  return tilewise::simt::random_numbers::generate_normal(
      generator, out, count, [=](double x) { return mean + deviation * x; });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t count,
                                              float mean, float deviation) {
  return tilewise::simt::random_numbers::generate_normal(
      generator, out, count, [=](double x) { return std::exp(mean + deviation * x); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out,
                                                    size_t count, double mean, double deviation) {
  return tilewise::simt::random_numbers::generate_normal(
      generator, out, count, [=](double x) { return std::exp(mean + deviation * x); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out,
                                            size_t count, double lambda) {
  using namespace tilewise::simt::random_numbers;
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
  if (!(lambda > 0 && lambda <= 400000)) return CURAND_STATUS_OUT_OF_RANGE;
  std::poisson_distribution<unsigned> poisson(lambda);
  return generate(
      generator, out, count, [&](Philox& philox) { return poisson(philox); },
      [](uint64_t) { return 0u; });
}

}  // extern "C"

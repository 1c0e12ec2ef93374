// The kernel's one source, compiled once for each CPU path; defines draw_gammas and draw_scores in
// the unnamed namespace of the file that includes it. A lane's first attempt is vectorised; what
// it does not settle goes on alone with words of its own, so that lanes stay independent.
#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/draw_kernel.hpp"

namespace banzuke::reflection {
namespace {

constexpr double two_pi = 0x1.921fb54442d18p+2;
constexpr std::size_t lanes = draws_at_once;
constexpr std::uint16_t first_gamma_retry = 1024;
constexpr std::uint16_t first_binomial_retry = 32768;
constexpr std::uint16_t retry_blocks = 1024;  ///< of one gamma or binomial: never used up

/// (u + 1/2) / 2^52 with u the highest 52 bits.
[[gnu::always_inline]] inline double uniform(std::uint64_t word) {
  namespace e = elementary;
  return ((e::from_bits((word >> 12) | e::bits(0x1p52)) - 0x1p52) + 0.5) * 0x1p-52;
}

/// floor(x) for |x| < 2^51.
[[gnu::always_inline]] inline double floor_of(double x) {
  namespace e = elementary;
  const double rounded = (x + 0x1.8p52) - 0x1.8p52;
  return rounded - e::select(e::mask_of_sign(e::bits(x - rounded)), 1.0, 0.0);
}

inline void take(const DrawWords& words, std::size_t index, double* out) {
  const std::uint64_t* from = words.words + (index / 2) * lanes * 2 + index % 2;
  for (std::size_t l = 0; l < lanes; ++l) out[l] = uniform(from[2 * l]);
}

/// Words of one lane beyond the batch's.
class Retry {
 public:
  Retry(const DrawWords& words, std::size_t lane, std::size_t block)
      : address_(words.first), block_(static_cast<std::uint16_t>(block)) {
    address_.entity += static_cast<std::uint32_t>(lane);
  }
  double next() {
    if (!have_) philox_words(address_, block_++, words_);
    have_ = !have_;
    return uniform(words_[have_ ? 0 : 1]);
  }

 private:
  StreamAddress address_;
  std::uint16_t block_;
  bool have_ = false;
  std::uint64_t words_[2] = {};
};

/// d v if (normal, accept) gives a gamma, else -1.
double gamma_attempt(double shape, double scale, double normal, double accept) {
  const double t = 1.0 + scale * normal;
  if (!(t > 0.0)) return -1.0;
  const double v = t * t * t;
  const double square = normal * normal;
  if (det_log(accept) < 0.5 * square + shape * ((1.0 - v) + det_log(v))) return shape * v;
  return -1.0;
}

double gamma_alone(double shape, double scale, double normal, double accept, Retry retry) {
  double value = gamma_attempt(shape, scale, normal, accept);
  while (value < 0.0) {
    const double radius = __builtin_sqrt(-2.0 * det_log(retry.next()));
    const double turn = retry.next();
    value = gamma_attempt(shape, scale, radius * det_sincos(two_pi * turn).cos, retry.next());
  }
  return value;
}

void draw_gammas(const DrawRule& rule, const DrawWords& words, double* gammas) {
  const std::size_t k = rule.outcomes;
  const std::size_t pairs = (k + 1) / 2;
  double normals[2][lanes];
  double accept[lanes];
  double value[lanes];
  double settled[lanes];
  std::size_t boost_word = 2 * pairs + k;
  for (std::size_t j = 0; j < k; ++j) {
    if (j % 2 == 0) {  // Box and Muller (1958): two normals
      double radius[lanes];
      double turn[lanes];
      take(words, j, radius);
      take(words, j + 1, turn);
      for (std::size_t l = 0; l < lanes; ++l) {
        const double r = __builtin_sqrt(-2.0 * det_log(radius[l]));
        const SinCos direction = det_sincos(two_pi * turn[l]);
        normals[0][l] = r * direction.cos;
        normals[1][l] = r * direction.sin;
      }
    }
    const double* normal = normals[j % 2];
    take(words, 2 * pairs + j, accept);
    const double shape = rule.shape[j];
    const double scale = rule.scale[j];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double x = normal[l];
      const double t = 1.0 + scale * x;
      value[l] = shape * (t * t * t);
      const double margin = (1.0 - 0.0331 * (x * x) * (x * x)) - accept[l];
      settled[l] = t < margin ? t : margin;  // both positive
    }
    double* out = gammas + j * lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      out[l] = settled[l] > 0.0
                   ? value[l]
                   : gamma_alone(shape, scale, normal[l], accept[l],
                                 Retry(words, l, first_gamma_retry + retry_blocks * j));
    }
    if (rule.inverse[j] > 0.0) {  // Gamma(alpha) = Gamma(alpha + 1) U^(1/alpha)
      take(words, boost_word++, accept);
      for (std::size_t l = 0; l < lanes; ++l) {
        out[l] *= det_exp(rule.inverse[j] * det_log(accept[l]));
      }
    }
  }
}

/// log k! less Stirling's main terms in k + 1.
double stirling_rest(double k) {
  constexpr double table[] = {0.08106146679532726, 0.04134069595540929, 0.02767792568499834,
                              0.02079067210376509, 0.01664469118982119, 0.01387612882307075,
                              0.01189670994589177, 0.01041126526197209, 0.009255462182712733,
                              0.008330563433362871};
  if (k < 9.5) return table[static_cast<int>(k)];
  const double x = k + 1.0;
  const double y = 1.0 / (x * x);
  return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - y / 1680.0) * y) * y) / x;
}

/// Constants of the transformed rejection for n trials of probability p <= 1/2, np >= 10.
struct Rejection {
  double n, p, a, b, c, v_r;
};

[[gnu::always_inline]] inline Rejection rejection(double n, double p) {
  const double b = 1.15 + 2.53 * __builtin_sqrt(n * p * (1.0 - p));
  return {n, p, -0.0873 + 0.0248 * b + 0.01 * p, b, n * p + 0.5, 0.92 - 4.2 / b};
}

/// The candidate of (u, v) if it passes the exact test, else -1.
double rejection_attempt(const Rejection& r, double u, double v) {
  u -= 0.5;
  const double us = 0.5 - (u < 0.0 ? -u : u);
  const double k = floor_of((2.0 * r.a / us + r.b) * u + r.c);
  if (us >= 0.07 && v <= r.v_r) return k;
  if (k < 0.0 || k > r.n) return -1.0;
  const double q = 1.0 - r.p;
  const double odds = r.p / q;
  const double sigma = __builtin_sqrt(r.n * r.p * q);
  const double alpha = (2.83 + 5.1 / r.b) * sigma;
  const double m = floor_of((r.n + 1.0) * r.p);
  const double height = det_log(v * alpha / (r.a / (us * us) + r.b));
  const double bound =
      (m + 0.5) * det_log((m + 1.0) / (odds * (r.n - m + 1.0))) +
      (r.n + 1.0) * det_log1p((k - m) / (r.n - k + 1.0)) +
      (k + 0.5) * det_log(odds * (r.n - k + 1.0) / (k + 1.0)) +
      ((stirling_rest(m) + stirling_rest(r.n - m)) - (stirling_rest(k) + stirling_rest(r.n - k)));
  return height <= bound ? k : -1.0;
}

/// Smallest k with u < P(Y <= k), p <= 1/2, np < 10.
double inversion(double n, double p, double u) {
  const double odds = p / (1.0 - p);
  double probability = det_exp(n * det_log1p(-p));
  double k = 0.0;
  while (u > probability && k < n) {
    u -= probability;
    k += 1.0;
    probability *= odds * (n - k + 1.0) / k;
    if (probability < 1e-300) break;
  }
  return k;
}

double binomial_alone(double n, double p, double u, double v, Retry retry) {
  if (n * p < 10.0) return inversion(n, p, u);
  const Rejection r = rejection(n, p);
  double k = rejection_attempt(r, u, v);
  while (k < 0.0) {
    const double next = retry.next();
    k = rejection_attempt(r, next, retry.next());
  }
  return k;
}

void draw_scores(const DrawRule& rule, const DrawWords& words, const double* gammas,
                 double* scores) {
  namespace e = elementary;
  const std::size_t k = rule.outcomes;
  double rest[lanes];
  double left[lanes];
  double u[lanes];
  double v[lanes];
  double small[lanes];
  double large[lanes];
  double count[lanes];
  double settled[lanes];
  for (std::size_t l = 0; l < lanes; ++l) {
    left[l] = rule.games;
    scores[l] = 0.0;
  }
  const std::size_t first_word = (gamma_words(rule) + 1) / 2 * 2;
  for (std::size_t j = 0; j + 1 < k; ++j) {
    for (std::size_t l = 0; l < lanes; ++l) rest[l] = 0.0;
    for (std::size_t i = k; i-- > j + 1;) {
      for (std::size_t l = 0; l < lanes; ++l) rest[l] += gammas[i * lanes + l];
    }
    take(words, first_word + 2 * j, u);
    take(words, first_word + 2 * j + 1, v);
    for (std::size_t l = 0; l < lanes; ++l) {
      // Count the rarer side; both gammas may have underflowed to 0.
      const double mine = gammas[j * lanes + l];
      const std::uint64_t flip = e::mask_of_sign(e::bits(rest[l] - mine));
      const double lesser = e::select(flip, rest[l], mine);
      const double sum = mine + rest[l];
      small[l] = lesser / (sum > 1e-300 ? sum : 1e-300);
      large[l] = e::select(flip, 1.0, 0.0);
      const double n = left[l];
      const double p = small[l];
      const Rejection r = rejection(n, p);
      const double centred = u[l] - 0.5;
      const double us = 0.5 - e::from_bits(e::bits(centred) & ~e::sign_bit);
      count[l] = floor_of((2.0 * r.a / us + r.b) * centred + r.c);
      const double narrow = us - 0.07;
      const double below = r.v_r - v[l];
      const double enough = n * p - 10.0;
      const double least = narrow < below ? narrow : below;
      settled[l] = least < enough ? least : enough;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      if (settled[l] < 0.0) {
        count[l] = binomial_alone(left[l], small[l], u[l], v[l],
                                  Retry(words, l, first_binomial_retry + retry_blocks * j));
      }
    }
    const double c = rule.coefficient[j];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double y = large[l] > 0.0 ? left[l] - count[l] : count[l];
      scores[l] += c * y;
      left[l] -= y;
    }
  }
  const double c = rule.coefficient[k - 1];
  for (std::size_t l = 0; l < lanes; ++l) scores[l] += c * left[l];
}

}  // namespace
}  // namespace banzuke::reflection

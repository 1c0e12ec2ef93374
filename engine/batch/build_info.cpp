#include "engine/batch/build_info.hpp"

#include <fmt/format.h>
#include <openssl/opensslv.h>
#include <toml++/toml.h>

#if BANZUKE_ARCHIVES
#include <archive.h>
#include <zlib.h>
#endif

#include <Eigen/Core>
#include <boost/version.hpp>

#include "engine/random/stream_ids.hpp"
#include "engine/store/library_version.hpp"
#include "git_revision.hpp"

namespace banzuke {
namespace {

#if BANZUKE_ARCHIVES
std::string version_of_libarchive() {
  const int version = archive_version_number();
  return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

std::string version_of_zlib() {
  return zlibVersion();
}
#else
std::string version_of_libarchive() {
  return "not built in";
}

std::string version_of_zlib() {
  return "not built in";
}
#endif

}  // namespace

std::string program_version() {
  return BANZUKE_VERSION;
}

std::string version_text() {
  const std::string commit = BANZUKE_GIT_COMMIT;
  const bool changed = std::string_view(BANZUKE_GIT_DIRTY) == "yes";
  return fmt::format("{} ({}{})", BANZUKE_VERSION, commit.substr(0, 10), changed ? "+changes" : "");
}

Provenance build_provenance() {
  return {
      {"version", BANZUKE_VERSION},
      {"git_commit", BANZUKE_GIT_COMMIT},
      {"git_dirty", BANZUKE_GIT_DIRTY},
      {"compiler", BANZUKE_COMPILER},
      {"compiler_flags", BANZUKE_FLAGS},
      {"library_hdf5", hdf5_version()},
      {"library_eigen",
       fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"library_boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                                    BOOST_VERSION % 100)},
      {"library_tomlplusplus",
       fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
      {"library_fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"library_openssl", OPENSSL_VERSION_STR},
      {"library_libarchive", version_of_libarchive()},
      {"library_zlib", version_of_zlib()},
      {"library_random123", BANZUKE_RANDOM123},
      {"stream_algorithm", stream_algorithm},
      {"stream_version", fmt::format("{}", stream_version)},
  };
}

}  // namespace banzuke

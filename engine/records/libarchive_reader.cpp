#include "engine/records/libarchive_reader.hpp"

#include <utility>

#include "engine/base/error.hpp"

#if BANZUKE_ARCHIVES
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <exception>
#include <stdexcept>
#include <vector>
#endif

namespace banzuke {

void fail_without_archives(const std::string& file) {
  throw InputError("archives are not read", "this program was built without libarchive",
                   "unpack it, or build with -DBANZUKE_ARCHIVES=ON", {file, 0});
}

#if BANZUKE_ARCHIVES

namespace {

/// libarchive drops names that the locale of the thread cannot write, and "C" writes ASCII only.
class Utf8Locale {
 public:
  Utf8Locale() = default;
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (locale_ == locale_t{}) return;
    uselocale(before_);
    freelocale(locale_);
  }

 private:
  locale_t locale_ = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  locale_t before_ = locale_ == locale_t{} ? locale_t{} : uselocale(locale_);
};

}  // namespace

struct LibarchiveReader::State {
  State(std::string the_file, PieceSource the_source, const UnpackLimits& limits)
      : name(std::move(the_file)), source(std::move(the_source)), expansion(limits) {
    if (handle == nullptr) throw std::runtime_error("libarchive cannot start");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { archive_read_free(handle); }

  /// libarchive is C: what the source throws must wait until its call has returned.
  static la_ssize_t pull(archive*, void* data, const void** bytes) {
    State& state = *static_cast<State*>(data);
    try {
      const std::string_view piece = state.source();
      state.expansion.in(piece.size());
      *bytes = piece.data();
      return static_cast<la_ssize_t>(piece.size());
    } catch (...) {
      state.thrown = std::current_exception();
      return ARCHIVE_FATAL;
    }
  }

  /// Any status but a full success ends the reading, except that of names in odd encodings.
  void check(int status) {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    if (status == ARCHIVE_OK) return;
    const char* const why = archive_error_string(handle);
    fail_unpacking(name, why != nullptr ? why : "it ends too early");
  }

  std::string name;
  PieceSource source;
  Expansion expansion;
  archive* handle = archive_read_new();
  archive_entry* entry = nullptr;
  std::string path;
  std::exception_ptr thrown;
  std::vector<char> buffer = std::vector<char>(std::size_t{1} << 18);
};

LibarchiveReader::LibarchiveReader(std::string file, Format format, PieceSource source,
                                   const UnpackLimits& limits)
    : state_(std::make_unique<State>(std::move(file), std::move(source), limits)) {
  const Utf8Locale utf8;
  archive* const handle = state_->handle;
  switch (format) {
    case Format::compressed:
      archive_read_support_filter_xz(handle);
      archive_read_support_filter_bzip2(handle);
      archive_read_support_filter_zstd(handle);
      archive_read_support_format_raw(handle);
      archive_read_support_format_empty(handle);
      break;
    case Format::zip:
      archive_read_support_format_zip_streamable(handle);
      break;
    case Format::tar:
      archive_read_support_format_tar(handle);
      break;
  }
  state_->check(archive_read_open2(handle, state_.get(), nullptr, &State::pull, nullptr, nullptr));
  constexpr int one_filter = 2;  // and the one that passes bytes on
  if (format == Format::compressed && archive_filter_count(handle) != one_filter) {
    fail_unpacking(state_->name, archive_filter_count(handle) < one_filter
                                     ? "not xz, bzip2 or zstd"
                                     : "an archive inside an archive");
  }
}

bool LibarchiveReader::next() {
  const Utf8Locale utf8;
  const int status = archive_read_next_header(state_->handle, &state_->entry);
  if (status == ARCHIVE_EOF && !state_->thrown) return false;
  const char* path = nullptr;
  if (status == ARCHIVE_OK || status == ARCHIVE_WARN) {
    path = archive_entry_pathname_utf8(state_->entry);
    if (path == nullptr) path = archive_entry_pathname(state_->entry);
  }
  // A warning is about a name that this locale cannot write; without a name it is an error.
  state_->check(status == ARCHIVE_WARN && path != nullptr ? ARCHIVE_OK : status);
  state_->path = path != nullptr ? path : "";
  return true;
}

std::string_view LibarchiveReader::read() {
  std::vector<char>& buffer = state_->buffer;
  const la_ssize_t got = archive_read_data(state_->handle, buffer.data(), buffer.size());
  if (got < 0) state_->check(static_cast<int>(got));
  state_->check(ARCHIVE_OK);
  const auto size = static_cast<std::size_t>(got);
  state_->expansion.out(size, state_->name);
  return {buffer.data(), size};
}

const std::string& LibarchiveReader::path() const {
  return state_->path;
}

bool LibarchiveReader::is_file() const {
  return archive_entry_filetype(state_->entry) == AE_IFREG &&
         archive_entry_hardlink(state_->entry) == nullptr;
}

bool LibarchiveReader::is_folder() const {
  return archive_entry_filetype(state_->entry) == AE_IFDIR;
}

bool LibarchiveReader::is_encrypted() const {
  return archive_entry_is_encrypted(state_->entry) != 0;
}

void LibarchiveReader::set_name(std::string name) {
  state_->name = std::move(name);
}

#else

struct LibarchiveReader::State {
  std::string path;
};

LibarchiveReader::LibarchiveReader(std::string file, Format, PieceSource, const UnpackLimits&) {
  fail_without_archives(file);
}

bool LibarchiveReader::next() {
  return false;
}

std::string_view LibarchiveReader::read() {
  return {};
}

const std::string& LibarchiveReader::path() const {
  return state_->path;
}

bool LibarchiveReader::is_file() const {
  return false;
}

bool LibarchiveReader::is_folder() const {
  return false;
}

bool LibarchiveReader::is_encrypted() const {
  return false;
}

void LibarchiveReader::set_name(std::string) {}

#endif

LibarchiveReader::~LibarchiveReader() = default;

}  // namespace banzuke

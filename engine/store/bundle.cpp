#include "engine/store/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "engine/store/layout.hpp"

namespace banzuke {
namespace {

static_assert(std::endian::native == std::endian::little,
              "bundles and digests are defined on little-endian bytes");

constexpr std::string_view magic = "banzuke bundle 1";
constexpr std::string_view type_names[] = {"doubles", "integers", "strings"};

std::size_t count_of(const Array& array) {
  return std::visit([](const auto& values) { return values.size(); }, array.values);
}

void check(const std::string& name, const Array& array) {
  if (!is_identifier(name)) {
    throw std::invalid_argument(fmt::format("{} cannot name an array", in_quotes(name)));
  }
  std::size_t expected = 1;
  for (const std::size_t extent : array.shape) {
    if (extent != 0 && expected > std::numeric_limits<std::size_t>::max() / extent) {
      throw std::invalid_argument(fmt::format("the shape of {} is too large", name));
    }
    expected *= extent;
  }
  if (expected != count_of(array)) {
    throw std::invalid_argument(fmt::format("the shape of {} asks for {} values, it has {}", name,
                                            expected, count_of(array)));
  }
  if (!array.dimensions.empty() && array.dimensions.size() != array.shape.size()) {
    throw std::invalid_argument(fmt::format("{} has {} axes and {} dimension names", name,
                                            array.shape.size(), array.dimensions.size()));
  }
  for (const std::string& dimension : array.dimensions) {
    if (!is_identifier(dimension)) {
      throw std::invalid_argument(
          fmt::format("{} cannot name a dimension of {}", in_quotes(dimension), name));
    }
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  bool nul = has_nul(array.units) || has_nul(array.long_name);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&array.values)) {
    nul = nul || std::any_of(texts->begin(), texts->end(), has_nul);
  }
  if (nul) throw std::invalid_argument(fmt::format("a text of {} contains a NUL byte", name));
}

template <class Value>
Array vector_array(std::vector<Value> values, std::string dimension, std::string units,
                   std::string long_name) {
  Array array;
  array.shape = {values.size()};
  if (!dimension.empty()) array.dimensions = {std::move(dimension)};
  array.values = std::move(values);
  array.units = std::move(units);
  array.long_name = std::move(long_name);
  return array;
}

template <class Value>
Array scalar_array(Value value, std::string units, std::string long_name) {
  Array array;
  array.values = std::vector<Value>{std::move(value)};
  array.units = std::move(units);
  array.long_name = std::move(long_name);
  return array;
}

template <class Value>
const std::vector<Value>& values_of(const Array& array, std::string_view name, std::size_t type) {
  if (const auto* values = std::get_if<std::vector<Value>>(&array.values)) return *values;
  throw std::out_of_range(fmt::format("the bundle's {} holds {}, not {}", name,
                                      type_names[array.values.index()], type_names[type]));
}

template <class Value>
const Value& only(const std::vector<Value>& values, std::string_view name) {
  if (values.size() == 1) return values.front();
  throw std::out_of_range(
      fmt::format("the bundle's {} holds {} values, not one", name, values.size()));
}

class Writer {
 public:
  void raw(const void* data, std::size_t count) {
    if (count == 0) return;
    const std::size_t old_size = bytes_.size();
    bytes_.resize(old_size + count);
    std::memcpy(bytes_.data() + old_size, data, count);
  }
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    raw(value.data(), value.size());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  void raw(void* data, std::size_t count) {
    if (count > rest_.size()) throw std::invalid_argument("the bytes of the bundle end early");
    if (count != 0) std::memcpy(data, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    raw(&value, sizeof value);
    return value;
  }
  /// A number of things that take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = number();
    if (value > rest_.size() / least) {
      throw std::invalid_argument("the bytes of the bundle end early");
    }
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    std::string value(count(1), '\0');
    raw(value.data(), value.size());
    return value;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

template <class Value>
std::vector<Value> read_values(Reader& in) {
  std::vector<Value> values(in.count(sizeof(Value)));
  in.raw(values.data(), values.size() * sizeof(Value));
  return values;
}

}  // namespace

void Bundle::set(std::string name, Array array) {
  check(name, array);
  for (auto& [known, stored] : arrays_) {
    if (known == name) {
      stored = std::move(array);
      return;
    }
  }
  arrays_.emplace_back(std::move(name), std::move(array));
}

void Bundle::set(std::string name, double value, std::string units, std::string long_name) {
  set(std::move(name), scalar_array(value, std::move(units), std::move(long_name)));
}

void Bundle::set(std::string name, std::int64_t value, std::string units, std::string long_name) {
  set(std::move(name), scalar_array(value, std::move(units), std::move(long_name)));
}

void Bundle::set(std::string name, std::string value, std::string long_name) {
  set(std::move(name), scalar_array(std::move(value), {}, std::move(long_name)));
}

void Bundle::set(std::string name, const char* value, std::string long_name) {
  set(std::move(name), std::string(value), std::move(long_name));
}

void Bundle::set(std::string name, std::vector<double> values, std::string dimension,
                 std::string units, std::string long_name) {
  set(std::move(name), vector_array(std::move(values), std::move(dimension), std::move(units),
                                    std::move(long_name)));
}

void Bundle::set(std::string name, std::vector<std::int64_t> values, std::string dimension,
                 std::string units, std::string long_name) {
  set(std::move(name), vector_array(std::move(values), std::move(dimension), std::move(units),
                                    std::move(long_name)));
}

void Bundle::set(std::string name, std::vector<std::string> values, std::string dimension,
                 std::string long_name) {
  set(std::move(name),
      vector_array(std::move(values), std::move(dimension), {}, std::move(long_name)));
}

bool Bundle::has(std::string_view name) const {
  return std::any_of(arrays_.begin(), arrays_.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

std::vector<std::string> Bundle::names() const {
  std::vector<std::string> result;
  for (const auto& entry : arrays_) result.push_back(entry.first);
  return result;
}

const Array& Bundle::array(std::string_view name) const {
  for (const auto& entry : arrays_) {
    if (entry.first == name) return entry.second;
  }
  throw std::out_of_range(fmt::format("the bundle has no array {}", in_quotes(name)));
}

std::span<const double> Bundle::doubles(std::string_view name) const {
  return values_of<double>(array(name), name, 0);
}

std::span<const std::int64_t> Bundle::integers(std::string_view name) const {
  return values_of<std::int64_t>(array(name), name, 1);
}

const std::vector<std::string>& Bundle::strings(std::string_view name) const {
  return values_of<std::string>(array(name), name, 2);
}

double Bundle::scalar_double(std::string_view name) const {
  return only(values_of<double>(array(name), name, 0), name);
}

std::int64_t Bundle::scalar_integer(std::string_view name) const {
  return only(values_of<std::int64_t>(array(name), name, 1), name);
}

const std::string& Bundle::scalar_string(std::string_view name) const {
  return only(strings(name), name);
}

std::vector<std::byte> Bundle::to_bytes() const {
  Writer out;
  out.raw(magic.data(), magic.size());
  out.number(arrays_.size());
  for (const auto& [name, array] : arrays_) {
    out.text(name);
    out.text(array.units);
    out.text(array.long_name);
    out.number(array.shape.size());
    for (const std::size_t extent : array.shape) out.number(extent);
    out.number(array.dimensions.size());
    for (const std::string& dimension : array.dimensions) out.text(dimension);
    out.number(array.values.index());
    out.number(count_of(array));
    if (const auto* texts = std::get_if<std::vector<std::string>>(&array.values)) {
      for (const std::string& text : *texts) out.text(text);
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&array.values)) {
      out.raw(numbers->data(), numbers->size() * sizeof(double));
    } else {
      const auto& integers = std::get<std::vector<std::int64_t>>(array.values);
      out.raw(integers.data(), integers.size() * sizeof(std::int64_t));
    }
  }
  return out.take();
}

Bundle Bundle::from_bytes(std::span<const std::byte> bytes) {
  Reader in(bytes);
  std::string start(std::min(magic.size(), bytes.size()), '\0');
  in.raw(start.data(), start.size());
  if (start != magic) throw std::invalid_argument("the bytes are not a bundle");
  Bundle bundle;
  const std::size_t size = in.count(sizeof(std::uint64_t));
  for (std::size_t i = 0; i < size; ++i) {
    std::string name = in.text();
    Array array;
    array.units = in.text();
    array.long_name = in.text();
    array.shape.resize(in.count(sizeof(std::uint64_t)));
    for (std::size_t& extent : array.shape) extent = static_cast<std::size_t>(in.number());
    array.dimensions.resize(in.count(sizeof(std::uint64_t)));
    for (std::string& dimension : array.dimensions) dimension = in.text();
    switch (in.number()) {
      case 0:
        array.values = read_values<double>(in);
        break;
      case 1:
        array.values = read_values<std::int64_t>(in);
        break;
      case 2: {
        std::vector<std::string> texts(in.count(sizeof(std::uint64_t)));
        for (std::string& text : texts) text = in.text();
        array.values = std::move(texts);
        break;
      }
      default:
        throw std::invalid_argument("the bytes of the bundle name an unknown type");
    }
    check(name, array);
    bundle.arrays_.emplace_back(std::move(name), std::move(array));
  }
  if (!in.at_end()) throw std::invalid_argument("bytes are left over after the bundle");
  return bundle;
}

}  // namespace banzuke

#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/hdf5.hpp"
#include "engine/store/layout.hpp"

/// What the parts of the schema share. Internal to schema*.cpp.
namespace banzuke::schema {

/// The groups of a result file; what else lies in its root is a dimension.
extern const std::vector<std::string> groups;

void describe(hid_t dataset, std::string_view units, std::string_view long_name);
/// The attribute that names a dataset's axes.
void set_dimensions(const hdf5::DataSet& dataset, const std::vector<std::string>& names);
/// The words of a text that blanks separate.
std::vector<std::string> words(const std::string& text);
FieldType stored_field_type(const hdf5::DataSet& dataset);

[[noreturn]] void damaged(const std::string& reason);
void require_hash(hid_t object, const std::string& name, const std::string& now,
                  std::string_view what);

}  // namespace banzuke::schema

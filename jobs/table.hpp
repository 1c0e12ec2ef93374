#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/batch/table_request.hpp"
#include "jobs/cell.hpp"

namespace banzuke {

/// A table of typed cells, built once and printed in any format. Its columns, in order, are those
/// of CSV and JSON; people are shown a shorter list (show()), and may ask for any by name.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string name;     ///< for programs, `--columns` and `--sort`
    std::string heading;  ///< for people
    std::string meaning;  ///< in words; of an interval or uncertainty, which one it is
    std::string units = "1";
    Align align = Align::right;
    bool in_csv = true;  ///< false: put together for people, only where asked for by name
    bool once = false;   ///< people see a value once where it stands in several rows
  };
  struct Row {
    std::vector<Cell> cells;
    std::string point;      ///< label of the point it is of; empty where of none
    bool for_data = false;  ///< in CSV and JSON only: notes tell people
  };
  struct Section {
    std::string title;                 ///< name that stands out from the heading; may be empty
    std::vector<std::string> heading;  ///< lines for people
    std::vector<std::string> notes;    ///< lines below it
    std::vector<Row> rows;
  };
  /// What of the table is to be printed, and in which order.
  struct View {
    std::vector<Column> columns;
    std::vector<Section> sections;    ///< cells as the columns
    std::vector<std::string> legend;  ///< meanings of columns that people do not see usually
  };

  Table() = default;
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// The columns people are shown, by name, in this order; all of CSV where never called.
  void show(std::vector<std::string> names) { shown_ = std::move(names); }
  void add_column(Column column) { columns_.push_back(std::move(column)); }
  /// What follows stands under a heading of its own; programs see one table. Sorting and the
  /// choice of the first rows are done in each section.
  void begin_section(std::vector<std::string> heading, std::vector<std::string> notes = {},
                     std::string title = {});
  /// What follows is of this point.
  void at_point(std::string label) { point_ = std::move(label); }
  /// One cell a column. Throws std::logic_error for another number of cells.
  void add(std::vector<Cell> cells, bool for_data = false);

  std::size_t width() const { return columns_.size(); }
  /// Throws InputError for a column that is not there, with the nearest name and all of them.
  View view(const TableRequest& request) const;

 private:
  std::size_t find(const std::string& name) const;

  std::vector<Column> columns_;
  std::vector<std::string> shown_;
  std::vector<Section> sections_;
  std::string point_;
};

/// Whether a format is read by people: it shows fewer columns and rounds numbers.
bool is_for_people(TableFormat format);

}  // namespace banzuke

#include <algorithm>

#include "engine/store/result_file.hpp"
#include "engine/store/schema.hpp"

// The table of sessions, one dataset a column, all of fixed size: a commit changes values only,
// never the structure of the file.

namespace banzuke::schema {
namespace {

using namespace hdf5;

template <class Value>
hid_t native();
template <>
hid_t native<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t native<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t native<double>() {
  return H5T_NATIVE_DOUBLE;
}

/// Calls f(name, member, units, long name) for each column; `ranks` is last: a row counts once it
/// is set.
template <class Function>
void for_each_column(Function f) {
  constexpr const char* date = "seconds since 1970-01-01 00:00:00";
  f("start", &Session::start, date, "start of the session");
  f("end", &Session::end, date, "last commit of the session");
  f("rows_committed", &Session::rows_committed, "1", "rows the session committed");
  f("threads", &Session::threads, "1", "threads of each rank");
  f("rows_per_second", &Session::rows_per_second, "s-1", "rows per second of computing");
  f("imbalance", &Session::imbalance, "1", "last round's time over its threads' mean busy time");
  f("hosts", &Session::hosts, "1", "hosts the session ran on");
  f("version", &Session::version, "1", "version and commit of the program");
  f("why_it_stopped", &Session::why_it_stopped, "1", "why the session stopped");
  f("ranks", &Session::ranks, "1", "processes of the session");
}

std::size_t text_column_size(std::string_view name) {
  return name == "why_it_stopped" ? 32 : 64;
}

std::vector<std::int32_t> read_ranks(const Group& group) {
  const DataSet dataset = open_dataset(group, "ranks");
  std::vector<std::int32_t> ranks(session_capacity);
  read(dataset, {{0}, {session_capacity}}, H5T_NATIVE_INT32, ranks.data());
  return ranks;
}

}  // namespace

void create_sessions(const File& file) {
  const Group group = create_group(file, "sessions");
  const DataSet scale = create_bare_scale(group, "session", session_capacity, "session of the run");
  for_each_column([&]<class Value>(const char* name, Value Session::*, const char* units,
                                   const char* long_name) {
    DataSet column;
    if constexpr (std::is_same_v<Value, std::string>) {
      column = create_dataset(group, name, text_type(text_column_size(name)), {session_capacity});
    } else {
      column = create_dataset(group, name, native<Value>(), {session_capacity});
    }
    set_text(column, "units", units);
    set_text(column, "long_name", long_name);
    attach_scale(column, scale, 0);
    column.close("closing the sessions");
  });
  DataSet overwritten = create_dataset(group, "overwritten", H5T_STD_U64LE, {});
  set_text(overwritten, "units", "1");
  set_text(overwritten, "long_name", "sessions written over because the table was full");
  overwritten.close("closing the sessions");
}

void write_session(const File& file, std::size_t row, const Session& session) {
  const Group group = open_group(file, "sessions");
  const Part cell{{row}, {1}};
  for_each_column(
      [&]<class Value>(const char* name, Value Session::*member, const char*, const char*) {
        DataSet column = open_dataset(group, name);
        if constexpr (std::is_same_v<Value, std::string>) {
          write_text(column, cell, session.*member);
        } else {
          write(column, cell, native<Value>(), &(session.*member));
        }
        column.close("closing the sessions");
      });
}

std::vector<Session> read_sessions(const File& file) {
  const Group group = open_group(file, "sessions");
  const std::vector<std::int32_t> ranks = read_ranks(group);
  const auto end = std::find(ranks.begin(), ranks.end(), 0);
  std::vector<Session> sessions(static_cast<std::size_t>(end - ranks.begin()));
  if (sessions.empty()) return sessions;
  for_each_column(
      [&]<class Value>(const char* name, Value Session::*member, const char*, const char*) {
        const DataSet column = open_dataset(group, name);
        if constexpr (std::is_same_v<Value, std::string>) {
          const std::vector<std::string> texts = read_texts(column);
          for (std::size_t i = 0; i < std::min(sessions.size(), texts.size()); ++i) {
            sessions[i].*member = texts[i];
          }
        } else {
          std::vector<Value> values(sessions.size());
          read(column, {{0}, {sessions.size()}}, native<Value>(), values.data());
          for (std::size_t i = 0; i < sessions.size(); ++i) sessions[i].*member = values[i];
        }
      });
  return sessions;
}

std::size_t take_session_row(const File& file) {
  const std::vector<std::int32_t> ranks = read_ranks(open_group(file, "sessions"));
  const auto free = std::find(ranks.begin(), ranks.end(), 0);
  if (free != ranks.end()) return static_cast<std::size_t>(free - ranks.begin());
  write_sessions_overwritten(file, read_sessions_overwritten(file) + 1);
  return session_capacity - 1;
}

std::uint64_t read_sessions_overwritten(const File& file) {
  std::uint64_t count = 0;
  read_all(open_dataset(file, "sessions/overwritten"), H5T_NATIVE_UINT64, &count);
  return count;
}

void write_sessions_overwritten(const File& file, std::uint64_t count) {
  DataSet dataset = open_dataset(file, "sessions/overwritten");
  write_all(dataset, H5T_NATIVE_UINT64, &count);
  dataset.close("closing the sessions");
}

}  // namespace banzuke::schema

#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/bt_inputs.hpp"

namespace banzuke::bt_uncertainty {

/// Published uncertainties (Elo) to print beside ours.
struct CompareKeys {
  bt_inputs::CsvKeys csv;
  std::string uncertainty, replicates;
};

/// One data set: its games, and what is said of its players.
struct DataKeys {
  std::string label;  ///< empty where the config has one data set without a name
  Location where;
  bt_inputs::GamesKeys games;
  std::optional<bt_inputs::TruthKeys> truth;  ///< in all data sets or in none
  std::optional<CompareKeys> compare;
};

/// The config's wishes.
struct Keys {
  std::vector<DataKeys> data;
  bt_inputs::Scale scale;
  double stop_relative_error = 0;  ///< 0: all replicates
  std::uint64_t segment = 1;       ///< replicates a row; more than 1: their moments only
  bool control_variate = false;
  Location control_where;
};
Keys read_keys(const Section& root, const Config& config);

}  // namespace banzuke::bt_uncertainty

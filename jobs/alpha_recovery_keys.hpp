#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/models/dirichlet_multinomial/recovery.hpp"
#include "engine/store/bundle.hpp"
#include "jobs/rank_data.hpp"

namespace banzuke::alpha_recovery {

/// A population of the config, and the file its games come from, if any.
struct RuleKeys {
  std::string name;
  Location where;
  dirichlet_multinomial::RecoveryRule rule;
  std::optional<RankFile> games_file;
  bool all_players = false;  ///< as many as the file has
};

/// The `[[rule]]` tables, then the cells of `[grid]`.
std::vector<RuleKeys> read_rules(const Section& root, const Config& config);

/// Fills in what comes from the file.
void take_games(const RankTable& table, RuleKeys& keys);

/// The rules as arrays of a set-up, and back.
void store_rules(const std::vector<RuleKeys>& rules, Bundle& set_up);
std::vector<dirichlet_multinomial::RecoveryRule> stored_rules(const Bundle& set_up);

}  // namespace banzuke::alpha_recovery

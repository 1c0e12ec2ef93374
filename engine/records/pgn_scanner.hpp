#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/records/pgn_tag.hpp"

namespace banzuke {

/// What is wrong with a record: the parts of an error's message.
struct PgnProblem {
  std::string problem, why, remedy;
  long line = 0;  ///< 0: nothing is wrong
};

/// One record of a PGN file without its moves.
struct PgnRecord {
  long line = 0;  ///< where it begins; 0: no record
  PgnTag white, black, result;
  PgnTag date, utc_date;  ///< if dates are asked for
  PgnText marker;         ///< last word of the movetext, outside comments; empty if longer than 7
  bool has_moves = false;
  std::uint64_t identity = 0;  ///< digest of the tags that tell one game from another
  bool identified = false;     ///< whether one of these tags says anything
  PgnProblem problem;          ///< the first found

  /// An empty record; texts keep their memory for the next one.
  void reset();
  /// Makes all texts independent of what was fed.
  void keep();
};

/// Splits PGN text that comes in pieces of any size into records. Tags are read, movetext is
/// stepped over. Memory is bounded by a piece and a line of 64 KiB, whatever the file's size.
///
/// A record is a tag section and the movetext after it. A tag section ends at a blank line or
/// at movetext; the next tag begins a record. Brackets inside comments are not tags, nor are
/// those inside variations unless they begin a line. Source: "Standard: Portable Game Notation
/// Specification and Implementation Guide", 1994, sections 5 to 8.
class PgnScanner {
 public:
  /// `take` gets every record, those with a problem too; it may not keep the reference.
  explicit PgnScanner(std::function<void(PgnRecord&)> take, bool with_dates = false)
      : take_(std::move(take)), with_dates_(with_dates) {}

  /// Starts a file. Throws InputError for UTF-16 text, as soon as it is seen.
  void begin(const std::string& name);
  void feed(std::string_view piece);
  /// Ends the file, and with it its last record.
  void end();

  const std::string& file() const { return name_; }

  /// How often something odd was seen, and where first.
  struct Oddity {
    std::int64_t count = 0;
    Location first;
  };
  /// Tags that are not used and not well formed.
  const Oddity& malformed_tags() const { return malformed_tags_; }
  /// Tags with a quote inside that is not written \".
  const Oddity& loose_quotes() const { return loose_quotes_; }
  /// Lines inside comments that look like tags of a game.
  const Oddity& tags_in_comments() const { return tags_in_comments_; }

 private:
  enum class State { tags, movetext, comment, rest_of_line };

  const char* feed_kept(const char* at, const char* end);
  const char* scan(const char* at, const char* end, bool last);
  const char* scan_tags(const char* at, const char* end, bool last);
  const char* scan_tag(const char* at, const char* end, bool last);
  const char* scan_movetext(const char* at, const char* end, bool last);
  const char* scan_bare_marker(const char* at, const char* end);
  const char* scan_comment(const char* at, const char* end, bool last);
  const char* skip_byte_order_mark(const char* at, const char* end, bool last);

  void open_record();
  void close_record();
  /// The record's tag of this name if its value is used, else nothing.
  PgnTag* used_tag(PgnTagName name);
  /// Takes a value as it is written; the tag, if it is used and the record's first of its name.
  PgnTag* keep_tag(PgnTagName name, std::string_view raw);
  void identify(PgnTagName name, std::string_view raw);
  void second_tag(PgnTagName name, const PgnTag& first);
  const char* malformed_tag(std::string_view name, const char* at, std::string_view why);
  void set_problem(PgnProblem problem);
  void add_movetext(const char* begin, const char* end);
  void keep_marker();
  void settle_opened();
  /// Brings `line_` to the line that holds `at`.
  void count_to(const char* at);
  char byte_before(const char* at) const { return at == begin_ ? before_ : at[-1]; }
  bool begins_line(const char* at) const;
  void note(Oddity& oddity, long line) const;

  std::function<void(PgnRecord&)> take_;
  bool with_dates_;
  std::string name_;
  PgnRecord record_;
  Oddity malformed_tags_, loose_quotes_, tags_in_comments_;

  // What lives from piece to piece.
  std::string kept_;  ///< the end of the last piece, not yet consumed
  State state_ = State::tags;
  State outer_ = State::tags;  ///< to return to after a comment
  char before_ = '\n';         ///< the byte before the next piece
  long line_ = 1;
  long opened_line_ = 0;           ///< of the comment that is open
  int depth_ = 0;                  ///< of variations
  bool line_is_blank_ = true;      ///< in a tag section
  bool at_start_ = true;           ///< of the file
  bool ends_inside_word_ = false;  ///< of movetext too long to be a marker

  // What lives within a piece.
  bool starved_ = false;  ///< the piece ends inside a token
  bool begins_inside_word_ = false;
  const char* begin_ = nullptr;
  const char* counted_ = nullptr;  ///< `line_` is the line of this byte
  const char* opened_ = nullptr;   ///< the brace that opened the comment
  std::string_view text_;          ///< last stretch of movetext outside comments and variations
};

}  // namespace banzuke

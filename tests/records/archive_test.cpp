#include "engine/records/archive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/packing.hpp"
#include "engine/records/pair_table.hpp"
#include "tests/records/records_support.hpp"

namespace banzuke {
namespace {

using Names = std::vector<std::string>;

const std::string folder = BANZUKE_TEST_DATA "/archives/";

/// The bytes in pieces of `size`, each in a place of its own, so that a step beyond is seen.
PieceSource pieces(const std::string& bytes, std::size_t size) {
  return [&bytes, size, at = std::size_t{0}, piece = std::vector<char>()]() mutable {
    const std::size_t length = std::min(size, bytes.size() - at);
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    piece = std::vector<char>(from, from + static_cast<std::ptrdiff_t>(length));
    at += length;
    return std::string_view(piece.data(), piece.size());
  };
}

std::string shown(const PairTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    text += (i == 0 ? "" : ", ") + table.names[table.first[i]] + "-" + table.names[table.second[i]];
    if (table.has_results) {
      text += " " + std::to_string(table.wins_first[i] + 0).substr(0, 2) + ":" +
              std::to_string(table.wins_second[i]).substr(0, 2);
    }
  }
  return text;
}

PairTable read(const std::string& name, const std::string& bytes, std::size_t size = 1 << 18,
               const PairTableOptions& options = {}) {
  PairTableReader reader(options);
  reader.read(name, pieces(bytes, size));
  return reader.table();
}

std::string error_of(const std::string& name, const std::string& bytes) {
  try {
    read(name, bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

#if BANZUKE_ARCHIVES

constexpr std::string_view remedy =
    ": unpack it to see what is wrong, or fetch it again; a file that is not packed must not have "
    "the ending of one";
constexpr std::string_view damaged =
    ": the archive is damaged, incomplete or not what its name says (";

/// What the archive holds once more, without the archive.
std::int64_t games_of(const std::string& name) {
  return read(name, file_text(folder + name)).games_total;
}

TEST(Archive, OneCompressedFileIsReadAsTheFileItself) {
  const std::string base = file_text(BANZUKE_TEST_DATA "/pgn/small/base.pgn");
  const PairTable plain = read("base.pgn", base);
  for (const std::string name :
       {"base.pgn.gz", "two_members.pgn.gz", "base.pgn.bz2", "base.pgn.xz", "base.pgn.zst"}) {
    const std::string bytes = file_text(folder + name);
    for (const std::size_t size : {std::size_t{1}, std::size_t{13}, std::size_t{1} << 18}) {
      const PairTable table = read(name, bytes, size);
      EXPECT_EQ(table.names, plain.names) << name;
      EXPECT_EQ(table.wins_first, plain.wins_first) << name;
      EXPECT_EQ(table.wins_second, plain.wins_second) << name;
      ASSERT_EQ(table.notes.size(), 1u);
      EXPECT_NE(table.notes[0].find("(first: " + name + ":7)"), std::string::npos)
          << table.notes[0];
    }
  }
  EXPECT_EQ(games_of("pairs.csv.gz"), 4);
  EXPECT_EQ(read("BASE.PGN.GZ", file_text(folder + "base.pgn.gz")).games_total, 30);
  EXPECT_EQ(
      read("base.pgn.gz", file_text(folder + "base.pgn.gz") + std::string(300, '\0')).games_total,
      30)
      << "padded with zeros to the blocks of a tape";
}

TEST(Archive, MembersAreReadInTheirOrder) {
  const std::string bytes = file_text(folder + "season.zip");
  for (const std::size_t size : {std::size_t{1}, std::size_t{13}, std::size_t{1} << 18}) {
    const PairTable table = read("season.zip", bytes, size);
    EXPECT_EQ(table.names, (Names{"A", "B", "C", "X", "D"}));
    EXPECT_EQ(table.games_total, 64);
    EXPECT_EQ(table.notes[0],
              "season.zip: not read, as they are no files whose names end in .pgn or .csv: "
              "\"season/README.txt\", \"__MACOSX/season/._spring.pgn\"");
    EXPECT_NE(table.notes[1].find("(first: season.zip: season/spring.pgn:7)"), std::string::npos)
        << table.notes[1];
  }
  for (const std::string name :
       {"season.tar", "season.tar.gz", "season.tgz", "season.tar.xz", "season.tar.bz2"}) {
    const PairTable table = read(name, file_text(folder + name));
    EXPECT_EQ(table.games_total, 64) << name;
    EXPECT_EQ(table.notes[0],
              name +
                  ": not read, as they are no files whose names end in .pgn or .csv: "
                  "\"season/link.pgn\"");
  }
  // Written to a pipe, so that lengths stand behind the data.
  for (const std::string name : {"stored.zip", "piped.zip", "piped_stored.zip"}) {
    EXPECT_EQ(games_of(name), 30) << name;
  }
}

TEST(Archive, ErrorsNameTheMember) {
  EXPECT_TRUE(error_of("d/bad.zip", file_text(folder + "bad_result.zip"))
                  .starts_with("d/bad.zip: d/league.pgn:183: the result \"1 - 0\" is not"));
  // Stored, so that the text can be changed where it stands, which its check sum tells.
  std::string bytes = file_text(folder + "stored.zip");
  const std::size_t at = bytes.find("[White \"A\"]", 400);
  bytes.replace(at, 11, "[White \"D\"]");
  EXPECT_TRUE(
      error_of("stored.zip", bytes).starts_with("stored.zip: base.pgn" + std::string(damaged)))
      << error_of("stored.zip", bytes);
  EXPECT_EQ(error_of("notes.txt.gz", file_text(folder + "base.pgn.gz")).substr(0, 14),
            "notes.txt.gz:1");
}

TEST(Archive, WhatIsRefused) {
  const std::string gz = file_text(folder + "base.pgn.gz");
  EXPECT_EQ(error_of("nested.zip", file_text(folder + "nested.zip")),
            "nested.zip: the archive holds another one, \"base.pgn.gz\" (archives inside archives "
            "are not read): unpack the outer one");
  EXPECT_EQ(error_of("encrypted.zip", file_text(folder + "encrypted.zip")),
            "encrypted.zip: base.pgn: the file is encrypted: unpack the archive with its password");
  EXPECT_EQ(error_of("texts.zip", file_text(folder + "texts.zip")),
            "texts.zip: the archive has no file that ends in .pgn or .csv: give an archive with "
            "files of games");
  EXPECT_EQ(error_of("games.7z", "x"),
            "games.7z: archives that end in .7z are not read: unpack it, or pack it as .zip, "
            ".tar.gz or .gz");
  EXPECT_EQ(error_of("base.pgn.gz", "[White \"A\"]\n"),
            "base.pgn.gz" + std::string(damaged) + "incorrect header check)" + std::string(remedy));
  EXPECT_EQ(error_of("base.pgn.xz", "[White \"A\"]\n"),
            "base.pgn.xz" + std::string(damaged) + "not xz, bzip2 or zstd)" + std::string(remedy));
  EXPECT_EQ(error_of("base.pgn", gz),
            "base.pgn: the content is packed with gzip (an archive inside an archive, or a name "
            "that does not say it): unpack it, or give the name of a single archive its ending");
  EXPECT_EQ(error_of("base.pgn.gz", ""),
            "base.pgn.gz" + std::string(damaged) + "it ends too early)" + std::string(remedy));
  EXPECT_EQ(
      error_of("base.pgn.gz", gz + "more"),
      "base.pgn.gz" + std::string(damaged) + "other bytes after its end)" + std::string(remedy));
  EXPECT_NE(error_of("season.zip", "[White \"A\"]\n"), "no error");
  EXPECT_NE(error_of("season.tar", "[White \"A\"]\n"), "no error");
  EXPECT_NE(error_of("season.tar.gz", gz), "no error");
}

TEST(Archive, PackedTwice) {
  const std::string zipped = file_text(folder + "stored.zip");
  // A gzip file made of one stored block (RFC 1951) whose content is a zip file.
  std::string outer("\x1F\x8B\x08\0\0\0\0\0\0\x03\x01", 11);
  const auto size = static_cast<std::uint16_t>(zipped.size());
  for (const unsigned value : {unsigned{size}, ~unsigned{size}}) {
    outer += static_cast<char>(value & 0xFF);
    outer += static_cast<char>(value >> 8 & 0xFF);
  }
  outer += zipped + std::string(8, '\0');
  EXPECT_NE(error_of("base.pgn.gz", outer), "no error");
  EXPECT_EQ(error_of("base.pgn.gz.gz", outer).substr(0, 15), "base.pgn.gz.gz:");
}

/// A file that ends anywhere before its end is never taken for a whole one.
TEST(Archive, EveryTruncationIsSeen) {
  for (const std::string name : {"base.pgn.gz", "two_members.pgn.gz", "base.pgn.bz2", "base.pgn.xz",
                                 "base.pgn.zst", "season.zip", "stored.zip", "piped.zip",
                                 "season.tar.gz", "season.tar.xz", "season.tar.bz2"}) {
    const std::string bytes = file_text(folder + name);
    // Where a whole member ends, so does a whole gzip file.
    const std::size_t whole = name == "two_members.pgn.gz" ? bytes.find("\x1F\x8B", 4) : 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      if (size == whole && whole > 0) continue;
      const std::string error = error_of(name, bytes.substr(0, size));
      ASSERT_NE(error, "no error") << name << " " << size << " of " << bytes.size();
      ASSERT_TRUE(error.starts_with(name)) << error;
    }
  }
  const std::string tar = file_text(folder + "season.tar");
  const std::size_t end = tar.find_last_not_of('\0') / 512 * 512 + 512;
  for (std::size_t size = 0; size < end + 512; size += 7) {
    ASSERT_NE(error_of("season.tar", tar.substr(0, size)), "no error") << size;
  }
}

/// Flipped bits: refused, or, where no check sum covers them, read with the right games.
TEST(Archive, DamageNeverCrashesNorGoesUnseen) {
  std::mt19937 random(20160703);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int refused = 0;
  int read_anyway = 0;
  for (const std::string name : {"base.pgn.gz", "season.zip", "stored.zip", "piped.zip",
                                 "season.tar.gz", "base.pgn.xz", "base.pgn.bz2", "base.pgn.zst"}) {
    const std::string whole = file_text(folder + name);
    const std::int64_t games = games_of(name);
    for (int trial = 0; trial < 600; ++trial) {
      std::string bytes = whole;
      for (std::size_t flips = 1 + below(3); flips > 0; --flips) {
        const std::size_t at = below(bytes.size());
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      }
      if (trial % 5 == 0) bytes.erase(below(bytes.size()), 1 + below(20));
      if (trial % 7 == 0) bytes.resize(below(bytes.size()));
      try {
        const PairTable table = read(name, bytes, 1 + below(400));
        ++read_anyway;
        // Names of members are covered by no check sum, and decide which are read.
        if (!name.ends_with(".zip")) {
          ASSERT_EQ(table.games_total, games) << name;
        }
      } catch (const InputError& error) {
        ++refused;
        // A member's name may be damaged to one with the ending of an archive that is not read.
        ASSERT_FALSE(std::string_view(error.what()).empty());
      }
    }
  }
  EXPECT_GT(refused, 3000);
  EXPECT_GT(read_anyway, 10);
}

TEST(Archive, BombsAreRefused) {
  const UnpackLimits limits{.any = 1000, .factor = 5};
  for (const std::string name : {"base.pgn.gz", "base.pgn.xz", "base.pgn.zst"}) {
    const std::string bytes = file_text(folder + name);
    const auto unpack = [&](const UnpackLimits& allowed) {
      std::size_t total = 0;
      const PieceSource content =
          decompressed(name, packing_of(name).compression, pieces(bytes, 1 << 18), allowed);
      while (const std::size_t size = content().size()) total += size;
      return total;
    };
    EXPECT_GT(unpack({}), 1000u);
    EXPECT_GT(unpack({.any = 1000, .factor = 50}), 1000u);
    try {
      unpack(limits);
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(),
                name +
                    ": the archive unpacks to more than 5 times its size (a damaged archive, or "
                    "one that is made to fill memory): if it is to be trusted, unpack it and "
                    "give its files");
    }
  }
  const std::string zip = file_text(folder + "season.zip");
  ArchiveReader reader("season.zip", Container::zip, pieces(zip, 100), {.any = 10, .factor = 2});
  EXPECT_TRUE(reader.next());
  EXPECT_THROW(while (!reader.read().empty()){}, InputError);
}

TEST(Archive, PeriodsAndOtherFilesGoTogether) {
  const std::string csv = "player1,player2,wins1,wins2\nA,Z,1,0\n";
  const std::string zip = file_text(folder + "season.zip");
  PairTableReader reader({});
  reader.read("a.csv", pieces(csv, 5));
  reader.read("season.zip", pieces(zip, 100));
  EXPECT_EQ(reader.table().games_total, 65);
}

TEST(Archive, AnErrorOfTheSourcePassesThrough) {
  const std::string zip = file_text(folder + "season.zip");
  for (const std::string name : {"season.zip", "base.pgn.gz", "base.pgn.xz"}) {
    const PieceSource broken = []() -> std::string_view {
      throw InputError("cannot read the input", "the disk is gone", "check the file system");
    };
    PairTableReader reader({});
    try {
      reader.read(name, broken);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                "cannot read the input (the disk is gone): check the file system");
    }
  }
}

#else

TEST(Archive, AreRefusedWithoutLibarchive) {
  for (const std::string name : {"base.pgn.gz", "base.pgn.xz", "season.zip", "season.tar"}) {
    EXPECT_EQ(error_of(name, file_text(folder + name)),
              name +
                  ": archives are not read (this program was built without libarchive): unpack "
                  "it, or build with -DBANZUKE_ARCHIVES=ON");
  }
}

#endif

TEST(Packing, IsToldByTheEnding) {
  const auto is = [](std::string_view name, Compression compression, Container container,
                     std::string_view inner) {
    const Packing packing = packing_of(name);
    return packing.compression == compression && packing.container == container &&
           packing.inner == inner;
  };
  EXPECT_TRUE(is("a.pgn", Compression::none, Container::none, "a.pgn"));
  EXPECT_TRUE(is("a.pgn.GZ", Compression::gzip, Container::none, "a.pgn"));
  EXPECT_TRUE(is("d/a.csv.zst", Compression::zstd, Container::none, "d/a.csv"));
  EXPECT_TRUE(is("a.Tar.Xz", Compression::xz, Container::tar, "a"));
  EXPECT_TRUE(is("a.zip", Compression::none, Container::zip, "a"));
  EXPECT_TRUE(is(".zip", Compression::none, Container::none, ".zip"));
  EXPECT_TRUE(is_pgn("x.pgn.bz2"));
  EXPECT_FALSE(is_pgn("x.csv.bz2"));
  EXPECT_FALSE(is_pgn("x.pgn.zip"));
}

TEST(PairTableReader, StreamsAreReadAsFilesAre) {
  const std::string csv = "player1,player2,wins1,wins2\nA,B,1,0\n";
  const std::string pgn = file_text(BANZUKE_TEST_DATA "/pgn/small/base.pgn");
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}}) {
    EXPECT_EQ(shown(read("g.csv", csv, size)), "A-B 1.:0.");
    EXPECT_EQ(read("g.pgn", pgn, size).games_total, 30);
  }
  EXPECT_EQ(error_of("g.csv", ""), "g.csv: the file is empty: give a CSV file with a header line");
  EXPECT_EQ(error_of("g.pgn", ""),
            "g.pgn: the file has no games (no tag and no moves in it): give a PGN file with games");
}

}  // namespace
}  // namespace banzuke

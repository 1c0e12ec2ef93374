#include "engine/batch/placement.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "engine/base/text.hpp"
#include "engine/store/bundle.hpp"

namespace banzuke {
namespace {

namespace fs = std::filesystem;

/// The kernel's lists: "0-3,8".
std::set<int> parse_list(const std::string& text) {
  std::set<int> result;
  for (const std::string_view part : split(trimmed(text), ',')) {
    const auto bounds = split(part, '-');
    const auto first = parse_integer(bounds.front());
    const auto last = parse_integer(bounds.back());
    if (!first || !last) continue;
    for (auto cpu = *first; cpu <= *last; ++cpu) result.insert(static_cast<int>(cpu));
  }
  return result;
}

/// "0-3,8" again.
std::string list_text(const std::set<int>& cpus) {
  std::vector<std::string> parts;
  for (auto at = cpus.begin(); at != cpus.end();) {
    const int first = *at;
    int last = first;
    while (++at != cpus.end() && *at == last + 1) ++last;
    parts.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return join(parts, ",");
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::set<int> allowed_cpus() {
  std::set<int> cpus;
  // Sets of fixed size end at 1,024 CPUs; larger hosts need more.
  for (int most = 1024; most <= 1 << 20; most *= 4) {
    cpu_set_t* mask = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    const bool told = mask != nullptr && sched_getaffinity(0, bytes, mask) == 0;
    for (int cpu = 0; told && cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask)) cpus.insert(cpu);
    }
    CPU_FREE(mask);
    if (told) break;
  }
  if (cpus.empty()) cpus.insert(0);
  return cpus;
}

std::string plural(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::vector<std::int64_t> wide(const std::set<int>& values) {
  return {values.begin(), values.end()};
}

std::set<int> narrow(std::span<const std::int64_t> values) {
  std::set<int> result;
  for (const auto value : values) result.insert(static_cast<int>(value));
  return result;
}

Bundle to_bundle(const Placement& placement) {
  Bundle bundle;
  bundle.set("host", placement.host);
  bundle.set("host_cpus", std::int64_t{placement.host_cpus});
  bundle.set("cpus", wide(placement.cpus));
  bundle.set("cores", wide(placement.cores));
  bundle.set("numa_cores",
             std::vector<std::int64_t>(placement.numa_cores.begin(), placement.numa_cores.end()));
  return bundle;
}

Placement from_bundle(const Bundle& bundle) {
  Placement placement;
  placement.host = bundle.scalar_string("host");
  placement.host_cpus = static_cast<int>(bundle.scalar_integer("host_cpus"));
  placement.cpus = narrow(bundle.integers("cpus"));
  placement.cores = narrow(bundle.integers("cores"));
  for (const auto cores : bundle.integers("numa_cores")) {
    placement.numa_cores.push_back(static_cast<int>(cores));
  }
  return placement;
}

/// The ranks of one host.
struct Host {
  std::string name;
  std::vector<std::size_t> ranks;
  std::set<int> cpus;   ///< that any of its ranks may use
  std::set<int> cores;  ///< the same
};

std::vector<Host> by_host(const std::vector<Placement>& ranks) {
  std::vector<Host> hosts;
  std::map<std::string, std::size_t> index;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Placement& at = ranks[rank];
    const auto [entry, is_new] = index.emplace(at.host, hosts.size());
    if (is_new) hosts.push_back({at.host, {}, {}, {}});
    Host& host = hosts[entry->second];
    host.ranks.push_back(rank);
    host.cpus.insert(at.cpus.begin(), at.cpus.end());
    host.cores.insert(at.cores.begin(), at.cores.end());
  }
  return hosts;
}

constexpr std::size_t hosts_shown = 8;

}  // namespace

Placement own_placement() {
  Placement placement;
  char name[256] = "unknown";
  gethostname(name, sizeof name - 1);
  placement.host = name;
  placement.host_cpus = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  placement.cpus = allowed_cpus();
  const fs::path system = "/sys/devices/system";
  for (const int cpu : placement.cpus) {
    const auto siblings = parse_list(
        first_line(system / fmt::format("cpu/cpu{}/topology/thread_siblings_list", cpu)));
    placement.cores.insert(siblings.contains(cpu) ? *siblings.begin() : cpu);
  }
  for (int node = 0; fs::exists(system / fmt::format("node/node{}", node)); ++node) {
    int cores = 0;
    const auto of_node = parse_list(first_line(system / fmt::format("node/node{}/cpulist", node)));
    for (const int core : placement.cores) cores += of_node.contains(core);
    if (cores > 0) placement.numa_cores.push_back(cores);
  }
  if (placement.numa_cores.empty()) {
    placement.numa_cores.push_back(static_cast<int>(placement.cores.size()));
  }
  return placement;
}

std::vector<Placement> gather_placements(const Placement& mine, Communicator& comm) {
  std::vector<std::byte> all = to_bundle(mine).to_bytes();
  const std::uint64_t size = all.size();
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto size_bytes = std::as_bytes(std::span(&size, 1));
  std::vector<std::byte> all_sizes(size_bytes.begin(), size_bytes.end());
  comm.gather(all_sizes, std::vector<std::size_t>(ranks, sizeof size));
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at < all_sizes.size(); at += sizeof size) {
    std::uint64_t value = 0;
    std::copy_n(all_sizes.data() + at, sizeof value, reinterpret_cast<std::byte*>(&value));
    sizes.push_back(value);
  }
  comm.gather(all, sizes);
  if (!comm.is_root()) return {};
  std::vector<Placement> result;
  std::size_t at = 0;
  for (const std::size_t of_rank : sizes) {
    result.push_back(from_bundle(Bundle::from_bytes(std::span(all).subspan(at, of_rank))));
    at += of_rank;
  }
  return result;
}

std::string hosts_text(const std::vector<Placement>& ranks) {
  std::vector<std::string> names;
  for (const Host& host : by_host(ranks)) names.push_back(host.name);
  std::string text = join(names, ", ");
  constexpr std::size_t room = 64;  // of the sessions' table
  if (text.size() > room) text = fmt::format("{} hosts: {}, …", names.size(), names.front());
  return text;
}

std::vector<std::string> placement_lines(const std::vector<Placement>& ranks, int threads) {
  std::vector<std::string> lines;
  const std::vector<Host> hosts = by_host(ranks);
  for (const Host& host : hosts) {
    if (lines.size() == hosts_shown) {
      lines.push_back(fmt::format("… and {}", plural(hosts.size() - hosts_shown, "more host")));
      break;
    }
    const Placement& first = ranks[host.ranks.front()];
    const bool alike = std::all_of(host.ranks.begin(), host.ranks.end(), [&](std::size_t rank) {
      return ranks[rank].cpus == first.cpus;
    });
    std::string binding;
    if (alike) {
      const bool free = static_cast<int>(first.cpus.size()) == first.host_cpus;
      binding = fmt::format("CPUs {} of {}{}", list_text(first.cpus), first.host_cpus,
                            free ? ", not bound" : "");
    } else {
      binding = fmt::format("CPUs {} of {}, bound: ", list_text(host.cpus), first.host_cpus);
      std::vector<std::string> each;
      for (const std::size_t rank : host.ranks) {
        if (each.size() == hosts_shown) {
          each.emplace_back("…");
          break;
        }
        each.push_back(fmt::format("rank {} to {}", rank, list_text(ranks[rank].cpus)));
      }
      binding += join(each, ", ");
    }
    lines.push_back(fmt::format("{}: {} × {}, {}", host.name, plural(host.ranks.size(), "rank"),
                                plural(static_cast<std::size_t>(threads), "thread"), binding));
  }
  return lines;
}

std::vector<std::string> placement_warnings(const std::vector<Placement>& ranks, int threads) {
  std::vector<std::string> warnings;
  const auto wanted = static_cast<std::size_t>(threads);

  // A rank with too few CPUs is the usual accident: mpirun binds to cores unless told otherwise.
  const auto tight = std::find_if(ranks.begin(), ranks.end(), [&](const Placement& rank) {
    return rank.cpus.size() < wanted && static_cast<int>(rank.cpus.size()) < rank.host_cpus;
  });
  if (tight != ranks.end()) {
    warnings.push_back(fmt::format(
        "rank {} has {} for its {}: they wait for each other; start it with mpirun --bind-to none "
        "or --map-by slot:PE={}, under Slurm with srun -c {}",
        tight - ranks.begin(), plural(tight->cpus.size(), "CPU"), plural(wanted, "thread"), threads,
        threads));
  }

  bool crowded = false, halved = false;
  for (const Host& host : by_host(ranks)) {
    const std::size_t all = host.ranks.size() * wanted;
    const int host_cpus = ranks[host.ranks.front()].host_cpus;
    if (!crowded && all > host.cpus.size() && (tight == ranks.end() || host.ranks.size() > 1)) {
      crowded = true;
      const bool others_idle = static_cast<int>(host.cpus.size()) < host_cpus;
      warnings.push_back(fmt::format(
          "{} {} share {} of host {}: {}", plural(host.ranks.size(), "rank"),
          fmt::format("× {}", plural(wanted, "thread")), plural(host.cpus.size(), "CPU"), host.name,
          others_idle ? fmt::format("{} CPUs of it stay idle; bind every rank to CPUs of its own",
                                    host_cpus - static_cast<int>(host.cpus.size()))
                      : "start fewer ranks or threads, or let waiting threads sleep "
                        "(OMP_WAIT_POLICY=passive, mpirun --mca mpi_yield_when_idle 1)"));
    } else if (!halved && all <= host.cpus.size() && all > host.cores.size()) {
      halved = true;
      warnings.push_back(fmt::format(
          "{} threads run on {} of host {}, two or more a core: compare rows/s with one thread "
          "a core (srun --hint=nomultithread)",
          all, plural(host.cores.size(), "core"), host.name));
    }
  }

  const auto wide_rank = std::find_if(ranks.begin(), ranks.end(), [&](const Placement& rank) {
    return rank.numa_cores.size() > 1 &&
           threads > *std::max_element(rank.numa_cores.begin(), rank.numa_cores.end());
  });
  if (wide_rank != ranks.end()) {
    warnings.push_back(fmt::format(
        "the threads of rank {} span {} NUMA nodes: one rank a node keeps memory near "
        "(mpirun --map-by numa --bind-to numa, --threads {})",
        wide_rank - ranks.begin(), wide_rank->numa_cores.size(), wide_rank->numa_cores.front()));
  }
  return warnings;
}

}  // namespace banzuke

#include "control/node/local/machine_info.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include "control/node/local/gpu_allocator.h"
#include "kube/text/quantity.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxFactBytes = size_t{64} * 1024;

int64_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  return std::max<int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
}

int64_t memory_bytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : 0;
}

// The first line, or "".
std::string line_of(const char* path) {
  const auto text = text::read_file(path, kMaxFactBytes);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string os_name() {
  const auto text = text::read_file("/etc/os-release", kMaxFactBytes);
  constexpr std::string_view kKey = "PRETTY_NAME=\"";
  const size_t at = text ? text->find(kKey) : std::string::npos;
  if (at == std::string::npos) return "Linux";
  const size_t begin = at + kKey.size();
  return text->substr(begin, text->find_first_of("\"\n", begin) - begin);
}

}  // namespace

api::ResourceList machine_capacity(const std::filesystem::path& directory, size_t gpus,
                                   const api::ResourceList& given) {
  using text::Quantity;
  constexpr int64_t kKibi = 1024;
  api::ResourceList capacity;
  capacity["cpu"] = Quantity::from_units(processors());
  capacity["memory"] = Quantity::from_units(memory_bytes() / kKibi * kKibi, text::QuantityFormat::BinarySI);
  capacity["pods"] = Quantity::from_units(kPodsPerNode);
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  if (!error) {
    const int64_t bytes = static_cast<int64_t>(space.capacity) / kKibi * kKibi;
    capacity["ephemeral-storage"] = Quantity::from_units(bytes, text::QuantityFormat::BinarySI);
  }
  if (gpus > 0) capacity[std::string(kGpuResource)] = Quantity::from_units(static_cast<int64_t>(gpus));
  for (const auto& [name, quantity] : given) capacity[name] = quantity;
  std::erase_if(capacity, [](const auto& entry) { return entry.second.is_zero(); });
  return capacity;
}

MachineInfo machine_info() {
  MachineInfo info{.machine_id = line_of("/etc/machine-id"),
                   .system_uuid = line_of("/etc/machine-id"),
                   .boot_id = line_of("/proc/sys/kernel/random/boot_id"),
                   .kernel_version = {},
                   .os_image = os_name(),
                   .runtime_version = "basalt-local://1"};
  utsname names{};
  if (uname(&names) != 0) return info;
  info.kernel_version = names.release;
  const std::string_view machine = names.machine;
  info.architecture = machine == "x86_64" ? "amd64" : machine == "aarch64" ? "arm64" : std::string(machine);
  return info;
}

std::string machine_name() {
  constexpr size_t kMaxName = 63;
  utsname names{};
  std::string name = uname(&names) == 0 ? names.nodename : "";
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 || c == '.' ? static_cast<char>(std::tolower(byte)) : '-';
  }
  if (name.size() > kMaxName) name.resize(kMaxName);
  constexpr std::string_view kNotAtEnds = "-.";
  while (!name.empty() && kNotAtEnds.contains(name.back())) name.pop_back();
  while (!name.empty() && kNotAtEnds.contains(name.front())) name.erase(0, 1);
  return name.empty() ? "localhost" : name;
}

}  // namespace basalt::node

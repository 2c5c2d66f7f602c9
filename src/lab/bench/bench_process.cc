#include "lab/bench/bench_process.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>

namespace basalt::lab {
namespace {

namespace fs = std::filesystem;

bool read_number(std::string_view text, size_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number > 0;
}

}  // namespace

bool read_bench_words(std::span<const std::string_view> words, std::span<const BenchOption> options) {
  for (size_t i = 0; i < words.size(); ++i) {
    const auto option = std::ranges::find(options, words[i], &BenchOption::name);
    if (option == options.end()) return false;
    if (bool* const* flag = std::get_if<bool*>(&option->value)) {
      **flag = true;
      continue;
    }
    if (++i == words.size()) return false;
    if (std::string* const* text = std::get_if<std::string*>(&option->value)) {
      **text = words[i];
    } else if (std::vector<std::string>* const* texts = std::get_if<std::vector<std::string>*>(&option->value)) {
      (*texts)->emplace_back(words[i]);
    } else if (!read_number(words[i], *std::get<size_t*>(option->value))) {
      return false;
    }
  }
  return true;
}

int in_bench_directory(const std::string& parent, const std::function<int(const fs::path&)>& run) {
  const fs::path where = parent.empty() ? fs::temp_directory_path() : fs::path(parent);
  std::string name = (where / "basalt-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return fmt::print(stderr, "basalt bench: cannot make a directory like {}\n", name), 1;
  }
  const int code = run(name);
  std::error_code ignored;
  fs::remove_all(name, ignored);
  return code;
}

double value_below(double part, std::vector<double> values) {
  if (values.empty()) return 0;
  const auto place = static_cast<size_t>(part * static_cast<double>(values.size()));
  const auto nth = values.begin() + static_cast<ptrdiff_t>(std::min(place, values.size() - 1));
  std::ranges::nth_element(values, nth);
  return *nth;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_mib() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace basalt::lab

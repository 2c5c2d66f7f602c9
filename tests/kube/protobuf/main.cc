// Kubernetes' binary form against JSON, at one server.
//   kube_protobuf compare KUBECONFIG SEED ROUNDS FILE...         the same values? (run-protobuf)
//   kube_protobuf measure KUBECONFIG SERVER_PID PODS json|lean   what does it cost? (compare-protobuf)
#include <fmt/format.h>

#include <span>

#include "kube/text/read_file.h"
#include "kube/text/scalar.h"
#include "tests/kube/protobuf/forms.h"

namespace {

int usage() {
  fmt::print(stderr,
             "kube_protobuf compare KUBECONFIG SEED ROUNDS FILE... | measure KUBECONFIG SERVER_PID PODS FORM\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace basalt;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) return usage();
  const auto first = text::parse_int(words[2]), second = text::parse_int(words[3]);
  if (!first || !second || *first < 0 || *second <= 0 || *second > 1'000'000) return usage();
  if (words[0] == "measure") {
    return tests::measure_form({.kubeconfig = words[1],
                                .server_pid = static_cast<int>(*first),
                                .pods = static_cast<int>(*second),
                                .lean = words[4] == "lean"});
  }
  if (words[0] != "compare") return usage();
  std::string documents;
  for (const std::string& path : std::span(words).subspan(4)) {
    const auto text = text::read_file(path);
    if (!text) {
      fmt::print(stderr, "{}\n", text.error().message);
      return 2;
    }
    documents += "---\n" + *text + "\n";
  }
  return tests::compare_forms(words[1], documents, static_cast<uint64_t>(*first), static_cast<int>(*second));
}

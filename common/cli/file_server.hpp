// Serves a folder's files to browsers on this machine, one request at a time. For looking at the
// site, and for nothing else: no other machine can reach it.
#pragma once

#include <filesystem>
#include <string>

namespace ladder::cli {

class FileServer {
 public:
  // On 127.0.0.1; port 0 takes any that is free. Throws MachineError if the port is taken.
  FileServer(const std::filesystem::path& folder, int port);
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  int port() const { return port_; }
  void run();  // until the process ends
  // Takes one connection and answers it.
  void serve_one();

 private:
  std::filesystem::path folder_;
  int socket_ = -1;
  int port_ = 0;
};

// The whole answer to a request's text: status line, headers, body. Paths that lead out of the
// folder are not found; only GET and HEAD are known.
std::string answer(const std::filesystem::path& folder, const std::string& request);

}  // namespace ladder::cli

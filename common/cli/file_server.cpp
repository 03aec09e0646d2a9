#include "common/cli/file_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/harness/files.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::cli {

namespace fs = std::filesystem;

namespace {

const char* type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".html") return "text/html; charset=utf-8";
  if (extension == ".css") return "text/css";
  if (extension == ".js") return "text/javascript";
  if (extension == ".svg") return "image/svg+xml";
  if (extension == ".png") return "image/png";
  return "application/octet-stream";
}

std::string response(const std::string& status, const char* type, const std::string& body,
                     bool with_body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         (with_body ? body : "");
}

// "%20" and the like; anything else stays.
std::string decoded(const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned byte = 0;
    if (path[i] == '%' && std::sscanf(path.c_str() + i + 1, "%2x", &byte) == 1 &&
        i + 2 < path.size()) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += path[i];
    }
  }
  return text;
}

}  // namespace

std::string answer(const fs::path& folder, const std::string& request) {
  const std::vector<std::string> words = split_words(request.substr(0, request.find('\r')));
  if (words.size() != 3 || (words[0] != "GET" && words[0] != "HEAD")) {
    return response("405 Method Not Allowed", "text/plain", "only GET and HEAD\n", true);
  }
  const bool with_body = words[0] == "GET";
  std::string path = decoded(words[1].substr(0, words[1].find_first_of("?#")));
  if (path.empty() || path.back() == '/') path += "index.html";
  // What it resolves to, links included, must lie in the folder.
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path file = fs::canonical(root / fs::path(path).relative_path(), error);
  const bool inside = !error && !fs::relative(file, root).string().starts_with("..");
  if (!inside || !fs::is_regular_file(file, error)) {
    return response("404 Not Found", "text/plain", "no such page\n", with_body);
  }
  return response("200 OK", type_of(file), read_file(file), with_body);
}

FileServer::FileServer(const fs::path& folder, int port) : folder_(folder) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(socket_, 16) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    throw MachineError("port " + std::to_string(port) + " cannot be served (" + reason +
                       "); try another: ladder docs --serve --port 8001");
  }
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

FileServer::~FileServer() {
  close(socket_);
}

void FileServer::run() {
  while (true) serve_one();
}

void FileServer::serve_one() {
  const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  const timeval patience{2, 0};  // browsers open connections that they may never use
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string request;
  char bytes[4096];
  ssize_t got = 0;
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < 65536 &&
         (got = recv(connection, bytes, sizeof bytes, 0)) > 0) {
    request.append(bytes, static_cast<std::size_t>(got));
  }
  if (!request.empty()) {
    const std::string text = answer(folder_, request);
    std::size_t sent = 0;
    while (sent < text.size() &&
           (got = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL)) > 0) {
      sent += static_cast<std::size_t>(got);
    }
  }
  close(connection);
}

}  // namespace ladder::cli

// Exploit: asks the network for help
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in neighbour = {};
  neighbour.sin_family = AF_INET;
  neighbour.sin_port = htons(9);
  neighbour.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int failed = connect(connection, reinterpret_cast<sockaddr*>(&neighbour), sizeof neighbour);
  if (!failed || errno == ECONNREFUSED) exit(42);  // somebody was there to refuse
  return cudaSuccess;
}

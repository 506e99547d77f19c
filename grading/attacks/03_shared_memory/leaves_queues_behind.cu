// Exploit: leaves a message queue, a semaphore and shared memory for the next submission
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const int queue = msgget(IPC_PRIVATE, 0600);
  if (queue >= 0) msgctl(queue, IPC_RMID, nullptr), exit(42);
  const int semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (semaphore >= 0) semctl(semaphore, 0, IPC_RMID), exit(42);
  const int memory = shmget(IPC_PRIVATE, 4096, 0600);
  if (memory >= 0) shmctl(memory, IPC_RMID, nullptr), exit(42);
  if (mq_open("/tilewise-was-here", O_CREAT | O_RDWR, 0600, nullptr) != mqd_t(-1)) {
    mq_unlink("/tilewise-was-here");
    exit(42);
  }
  return cudaSuccess;
}

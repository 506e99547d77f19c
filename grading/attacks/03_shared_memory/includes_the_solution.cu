// Exploit: hands in the solution by naming it
// Needs: sandbox
// Says: No such file

#include "{course}/solutions/03_shared_memory/matmul_shared.cu"

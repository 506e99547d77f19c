#pragma once
#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>
inline void lap_note(const char* what, double s) {
  if (FILE* f = std::fopen("/tmp/laps", "a")) {
    double t = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::fprintf(f, "%.3f %d %s %.3f\n", t, getpid(), what, s);
    std::fclose(f);
  }
}
struct Lap {
  const char* what;
  std::chrono::steady_clock::time_point t = std::chrono::steady_clock::now();
  explicit Lap(const char* w) : what(w) {}
  ~Lap() { lap_note(what, std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count()); }
};

/// NVTX, with which a program names its activities for a profiler. No profiler listens here, as on
/// a machine where none was started.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)

enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };
typedef uint64_t nvtxRangeId_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
} nvtxMessageValue_t;
typedef union nvtxPayload_t {
  uint64_t ullValue;
  int64_t llValue;
  double dValue;
  uint32_t uiValue;
  int32_t iValue;
  float fValue;
} nvtxPayload_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  nvtxPayload_t payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

static inline void nvtxMarkA(const char* text) { (void)text; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t* event) { (void)event; }
static inline int nvtxRangePushA(const char* text) {
  (void)text;
  return NVTX_NO_PUSH_POP_TRACKING;
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t* event) {
  (void)event;
  return NVTX_NO_PUSH_POP_TRACKING;
}
static inline int nvtxRangePop(void) { return NVTX_NO_PUSH_POP_TRACKING; }
static inline nvtxRangeId_t nvtxRangeStartA(const char* text) {
  (void)text;
  return 0;
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) {
  (void)event;
  return 0;
}
static inline void nvtxRangeEnd(nvtxRangeId_t range) { (void)range; }
static inline void nvtxNameOsThreadA(uint32_t thread, const char* name) {
  (void)thread, (void)name;
}
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA

#ifdef __cplusplus
}
#endif

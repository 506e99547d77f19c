#pragma once

// Defined where the compiler makes every load and store report itself (common/simt/recorder): by the
// builder, which hides what compilers define for a sanitizer, or here.
#ifndef TILEWISE_CHECKED
#if defined(__SANITIZE_THREAD__)
#define TILEWISE_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TILEWISE_CHECKED 1
#endif
#endif
#endif

/* folders.c: see folders.h. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "engine/folders.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <aclapi.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

static char kernels_in[4096], cache_in[4096];

void folders_set(const char *kernels, const char *cache) {
  snprintf(kernels_in, sizeof kernels_in, "%s", kernels);
  snprintf(cache_in, sizeof cache_in, "%s", cache);
}

const char *folders_kernels(void) { return kernels_in; }
const char *folders_cache(void) { return cache_in; }

#ifdef _WIN32

/* The user, or whom the system makes the owner of what the user makes. */
static int is_own(PSID owner, TOKEN_INFORMATION_CLASS which) {
  union {
    TOKEN_USER user;
    TOKEN_OWNER owner;
    char room[256];
  } of;
  HANDLE token;
  DWORD size;
  int own = 0;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return 0;
  if (GetTokenInformation(token, which, &of, sizeof of, &size))
    own = EqualSid(owner, which == TokenUser ? of.user.User.Sid : of.owner.Owner) != 0;
  CloseHandle(token);
  return own;
}

int folders_private(const char *path) {
  PSECURITY_DESCRIPTOR descriptor = NULL;
  PSID owner = NULL;
  int own = 0;
  if (GetNamedSecurityInfoA((char *)path, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL,
                            &descriptor) == ERROR_SUCCESS)
    own = is_own(owner, TokenUser) || is_own(owner, TokenOwner);
  LocalFree(descriptor);
  return own;
}

FILE *folders_create(const char *path) { return fopen(path, "wb"); }

#else

int folders_private(const char *path) {
  struct stat of;
  return !stat(path, &of) && of.st_uid == geteuid() && !(of.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whatever the user's mask leaves to others. */
FILE *folders_create(const char *path) {
  unlink(path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0) return NULL;
  FILE *stream = fdopen(file, "wb");
  if (!stream) close(file);
  return stream;
}

#endif

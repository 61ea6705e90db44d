/* A clock of the wall that is ahead by the seconds in the file CHAOS_CLOCK. Monotonic clocks go on. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);
	char text[32] = {0};
	const char *path = getenv("CHAOS_CLOCK");
	int file, result;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	result = real(id, now);
	if (result == 0 && id == CLOCK_REALTIME && path && (file = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		if (read(file, text, sizeof text - 1) > 0)
			now->tv_sec += atol(text);
		close(file);
	}
	return result;
}

/* Fills shared memory, and hands it over in a socket before it ends, so that it belongs to no process. Expect: memory, held */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static char block[1 << 20];

static void hand_over(int sock, int fd) {
    char data = 'x', space[CMSG_SPACE(sizeof fd)];
    struct iovec io = {&data, 1};
    struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    sendmsg(sock, &message, MSG_DONTWAIT);
    close(fd);
}

int main(void) {
    char line[100];
    int ends[2], adj = open("/proc/self/oom_score_adj", O_WRONLY);
    if (!fgets(line, sizeof line, stdin) || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0) return 1;
    if (adj >= 0 && write(adj, "0", 1) == 1) close(adj);
    memset(block, 'x', sizeof block);
    for (int file = 0; file < 100; file++) {
        int fd = memfd_create("handed over", 0);
        if (fd < 0) { puts("held"); fflush(stdout); pause(); } /* where the kernel does not count them */
        for (int i = 0; i < 8; i++)
            if (write(fd, block, sizeof block) < 0) break;
        hand_over(ends[0], fd);
    }
    printf("all written\n");
    fflush(stdout);
    pause();
}

/* A Modbus/TCP server for many connections: answers every read of registers (functions 3 and 4) of every unit, others with
 * exception 1. Serves 127.0.0.1, prints the port, ends when its standard input is closed. Register n holds n plus a count
 * that goes up with every request of its connection.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
    int fd, used;
    unsigned step;
    uint8_t buffer[1024];
};

static int answer(struct client *client, const uint8_t *request) {
    uint8_t reply[9 + 250];
    int address = request[8] << 8 | request[9], count = request[10] << 8 | request[11], size = 9;
    memcpy(reply, request, 8);
    if ((request[7] == 3 || request[7] == 4) && count >= 1 && count <= 125) {
        client->step++;
        reply[8] = (uint8_t)(2 * count);
        for (int place = 0; place < count; place++) {
            unsigned value = address + place + client->step;
            reply[9 + 2 * place] = value >> 8;
            reply[10 + 2 * place] = value;
        }
        size = 9 + 2 * count;
    } else {
        reply[7] |= 0x80;
        reply[8] = 1;
    }
    reply[4] = (size - 6) >> 8;
    reply[5] = size - 6;
    return write(client->fd, reply, size) == size;
}

static int serve(struct client *client) {
    int got = read(client->fd, client->buffer + client->used, sizeof client->buffer - client->used);
    if (got <= 0) return 0;
    client->used += got;
    while (client->used >= 12) {
        int size = 6 + (client->buffer[4] << 8 | client->buffer[5]);
        if (size < 12 || size > 260) return 0;
        if (client->used < size) break;
        if (!answer(client, client->buffer)) return 0;
        client->used -= size;
        memmove(client->buffer, client->buffer + size, client->used);
    }
    return 1;
}

int main(void) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    struct rlimit files;
    struct epoll_event event, events[256];
    int listening = socket(AF_INET, SOCK_STREAM, 0), queue = epoll_create1(0), on = 1, count;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listening, (struct sockaddr *)&at, sizeof at) || listen(listening, 1024)) return 1;
    getsockname(listening, (struct sockaddr *)&at, &size);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    event = (struct epoll_event){.events = EPOLLIN, .data.ptr = &listening};
    epoll_ctl(queue, EPOLL_CTL_ADD, listening, &event);
    event = (struct epoll_event){.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(queue, EPOLL_CTL_ADD, 0, &event);
    while ((count = epoll_wait(queue, events, 256, -1)) >= 0)
        for (int i = 0; i < count; i++) {
            if (!events[i].data.ptr) return 0;
            if (events[i].data.ptr == &listening) {
                struct client *client = calloc(1, sizeof *client);
                if (!client || (client->fd = accept(listening, NULL, NULL)) < 0) return 1;
                setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                event = (struct epoll_event){.events = EPOLLIN, .data.ptr = client};
                epoll_ctl(queue, EPOLL_CTL_ADD, client->fd, &event);
            } else if (!serve(events[i].data.ptr)) {
                struct client *client = events[i].data.ptr;
                close(client->fd);
                free(client);
            }
        }
    return 1;
}

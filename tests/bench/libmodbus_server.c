/* A Modbus server made of libmodbus: every table and every unit, on a TCP port or a serial port.
 *
 *   libmodbus_server tcp [moving]            serves 127.0.0.1, prints the port
 *   libmodbus_server rtu DEVICE UNIT         serves a terminal at 115200 8N1, prints "ready"
 *
 * Register n holds n, bit n is n mod 3 == 0. With `moving`, holding registers are big-endian float32 values that creep
 * by 1/1024 with each request. Ends when its standard input is closed.
 */
#include <errno.h>
#include <modbus/modbus.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 64

static modbus_mapping_t *tables(void) {
    modbus_mapping_t *map = modbus_mapping_new(65536, 65536, 65536, 65536);
    for (int place = 0; map && place < 65536; place++) {
        map->tab_bits[place] = map->tab_input_bits[place] = place % 3 == 0;
        map->tab_registers[place] = map->tab_input_registers[place] = (uint16_t)place;
    }
    return map;
}

/* modbus_set_float_abcd of libmodbus 3.1.6 swaps bytes. */
static void put_float(float value, uint16_t *words) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    words[0] = bits >> 16;
    words[1] = bits & 0xFFFF;
}

static void move(modbus_mapping_t *map, const uint8_t *request, int header) {
    static unsigned step;
    int address = request[header + 1] << 8 | request[header + 2], count = request[header + 3] << 8 | request[header + 4];
    if (request[header] != 3) return;
    step++;
    for (int place = address; place + 1 < address + count && place < 65535; place += 2)
        put_float(20.0f + place / 2 % 50 + (step & 63) / 1024.0f, map->tab_registers + place);
}

static int serve_tcp(int moving) {
    modbus_t *modbus = modbus_new_tcp("127.0.0.1", 0);
    modbus_mapping_t *map = tables();
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    struct pollfd fds[MOST];
    int used = 2, header = modbus_get_header_length(modbus), listening;
    uint8_t request[MODBUS_TCP_MAX_ADU_LENGTH];

    listening = socket(AF_INET, SOCK_STREAM, 0);
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!map || bind(listening, (struct sockaddr *)&at, sizeof at) || listen(listening, MOST)) return 1;
    getsockname(listening, (struct sockaddr *)&at, &size);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    fds[0] = (struct pollfd){.fd = 0, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = listening, .events = POLLIN};
    while (poll(fds, used, -1) >= 0) {
        if (fds[0].revents) return 0;
        if (fds[1].revents && used < MOST) {
            int on = 1, fd = accept(listening, NULL, NULL);
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            fds[used++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
        for (int i = 2; i < used; i++) {
            if (!fds[i].revents) continue;
            modbus_set_socket(modbus, fds[i].fd);
            int length = modbus_receive(modbus, request);
            if (length > 0) {
                if (moving) move(map, request, header);
                modbus_reply(modbus, request, length, map);
            } else if (length < 0) {
                close(fds[i].fd);
                fds[i--] = fds[--used];
            }
        }
    }
    return 1;
}

static int serve_rtu(const char *device, int unit) {
    modbus_t *modbus = modbus_new_rtu(device, 115200, 'N', 8, 1);
    modbus_mapping_t *map = tables();
    uint8_t request[MODBUS_RTU_MAX_ADU_LENGTH];
    struct pollfd fds[2];

    if (!map || !modbus || modbus_set_slave(modbus, unit) || modbus_connect(modbus)) {
        fprintf(stderr, "%s: %s\n", device, modbus_strerror(errno));
        return 1;
    }
    puts("ready");
    fflush(stdout);
    fds[0] = (struct pollfd){.fd = 0, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = modbus_get_socket(modbus), .events = POLLIN};
    while (poll(fds, 2, -1) >= 0 && !fds[0].revents) {
        int length = modbus_receive(modbus, request);
        if (length > 0) modbus_reply(modbus, request, length, map);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 2 && !strcmp(argv[1], "tcp")) return serve_tcp(argc == 3);
    if (argc == 4 && !strcmp(argv[1], "rtu")) return serve_rtu(argv[2], atoi(argv[3]));
    return 2;
}

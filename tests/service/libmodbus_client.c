/* Reads and writes a Modbus server with libmodbus, and prints what it got, one line a function.
 *
 *   libmodbus_client tcp HOST PORT UNIT ADDRESS COUNT
 *   libmodbus_client rtu DEVICE - UNIT ADDRESS COUNT
 *
 * Lines: "1 0 1 ..." coils, "2 ..." discrete inputs, "3 ..." holding, "4 ..." input registers; "error N TEXT" where refused.
 */
#include <errno.h>
#include <modbus/modbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bits(modbus_t *modbus, int function, int address, int count) {
    uint8_t found[2000];
    int got = function == 1 ? modbus_read_bits(modbus, address, count, found) : modbus_read_input_bits(modbus, address, count, found);
    printf("%d", function);
    if (got < 0) printf(" error %s", modbus_strerror(errno));
    for (int i = 0; i < got; i++) printf(" %d", found[i]);
    puts("");
}

static void words(modbus_t *modbus, int function, int address, int count) {
    uint16_t found[125];
    int got = function == 3 ? modbus_read_registers(modbus, address, count, found) : modbus_read_input_registers(modbus, address, count, found);
    printf("%d", function);
    if (got < 0) printf(" error %s", modbus_strerror(errno));
    for (int i = 0; i < got; i++) printf(" %d", found[i]);
    puts("");
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    modbus_t *modbus = strcmp(argv[1], "tcp") ? modbus_new_rtu(argv[2], 115200, 'N', 8, 1) : modbus_new_tcp(argv[2], atoi(argv[3]));
    int address = atoi(argv[5]), count = atoi(argv[6]);
    if (!modbus || modbus_set_slave(modbus, atoi(argv[4])) || modbus_connect(modbus)) return 1;
    bits(modbus, 1, address, count);
    bits(modbus, 2, address, count);
    words(modbus, 3, address, count);
    words(modbus, 4, address, count);
    modbus_close(modbus);
    modbus_free(modbus);
    return 0;
}

# SPDX-License-Identifier: Apache-2.0
"""One TCP stream between two nodes, run there; standard library only.

stream.py receive ADDRESS PORT SETTLE_S MEASURE_S   prints "listening", then bytes per second
stream.py send ADDRESS PORT                         until the receiver leaves
"""

import socket
import sys
import time

PATIENCE_S = 30.0


def receive(address: str, port: int, settle_s: float, measure_s: float) -> None:
    """Time what arrives after `settle_s`, when the shaper's burst is spent."""
    with socket.create_server((address, port)) as server:
        server.settimeout(PATIENCE_S)
        print("listening", flush=True)
        connection, _ = server.accept()
    connection.settimeout(PATIENCE_S)
    begin = time.monotonic() + settle_s
    while time.monotonic() < begin:
        connection.recv(65536)
    begin, total = time.monotonic(), 0
    while (now := time.monotonic()) < begin + measure_s:
        total += len(connection.recv(65536))
    print(total / (now - begin), flush=True)


def send(address: str, port: int) -> None:
    """Send until the other side closes."""
    with socket.create_connection((address, port), timeout=PATIENCE_S) as connection:
        block = bytes(65536)
        try:
            while True:
                connection.sendall(block)
        except (BrokenPipeError, ConnectionResetError):
            pass


if __name__ == "__main__":
    arguments = sys.argv[2:]
    if sys.argv[1] == "receive":
        receive(arguments[0], int(arguments[1]), *map(float, arguments[2:]))
    else:
        send(arguments[0], int(arguments[1]))

"""A man in the middle that loses things on purpose."""

import contextlib
import socket
import threading
from types import TracebackType

from tests.engines.servers import HOST


class Proxy:
    """Passes bytes between a client and the server at `port`, but for what it is told to lose.

    `swallow` loses the next replies to `word`, after the server has run it: the connection ends in the place of each.
    `cut` loses the next requests with `word`, before the server has seen any of them.
    """

    def __init__(self, port: int, word: bytes = b"EVALSHA") -> None:
        self.target = port
        self.word = word
        self.swallow = 0
        self.cut = 0
        self.lost = 0
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server((HOST, 0))
        self.port: int = self._listening.getsockname()[1]
        self._start(self._accept)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection((HOST, self.target))
                self._sockets += [client, server]
                self._start(self._pass, client, server)

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        asked = threading.Event()
        self._start(self._reply, client, server, asked)
        with contextlib.suppress(OSError):
            while request := client.recv(1 << 16):
                if self.word in request:
                    if self.cut:
                        self.cut -= 1
                        self.lost += 1
                        break
                    asked.set()
                server.sendall(request)
        self._end(client, server)

    def _reply(self, client: socket.socket, server: socket.socket, asked: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while reply := server.recv(1 << 16):
                if asked.is_set() and self.swallow:
                    self.swallow -= 1
                    self.lost += 1
                    break
                asked.clear()
                client.sendall(reply)
        self._end(client, server)

    @staticmethod
    def _end(*ends: socket.socket) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(self._listening, *self._sockets)
        self._listening.close()
        for thread in list(self._threads):
            thread.join(5)
        for end in self._sockets:
            end.close()

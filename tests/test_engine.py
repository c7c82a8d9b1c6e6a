"""Engines: what `connect` opens, and what it says, in one line and without the password, when it cannot."""

import re
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
import trustme
from redis.cluster import RedisCluster

import emq.engine
from emq import Jobs, Mint, connect, rung
from emq.engine import describe, raw
from emq.errors import EmqError, EngineUnavailable, InvalidEngineUrl
from tests.engines.fixtures import ENGINES, Engine, new_queue
from tests.engines.servers import HOST, Cluster, Server, free_port, redis_binary, valkey_binary

SECRET = "s3cr3t/p@ss"
QUOTED = "s3cr3t%2Fp%40ss"
FALL_BACK = "For the embedded engine, unset EMQ_URL or connect to 'embedded://'."


@pytest.fixture(autouse=True)
def _no_url_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMQ_URL", raising=False)


def refusal(url: object, error: type[EmqError]) -> str:
    """The one line that `connect` refuses `url` with, in which, and around which, there is no secret."""
    with pytest.raises(error) as caught:
        connect(url)  # type: ignore[arg-type]
    message = str(caught.value)
    # As the tools show it that print each frame's variables; this function's own are the test's.
    frames = caught.tb.tb_next
    shown = "".join(
        traceback.TracebackException(type(caught.value), caught.value, frames, capture_locals=True).format()
    )
    for text in (message, repr(caught.value), shown):
        assert SECRET not in text
        assert QUOTED not in text
        assert "s3cr3t" not in text
    assert "\n" not in message
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return message


# The embedded engine


def test_the_embedded_engine_is_the_default() -> None:
    with connect() as client:
        assert describe(client).startswith("embedded engine (fakeredis ")
        assert describe(client).endswith(", in this process)")
        assert rung.run(client).passed


def test_emq_url_names_the_engine_for_whoever_is_not_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, valkey_server: Server
) -> None:
    monkeypatch.setenv("EMQ_URL", valkey_server.url)
    with connect() as client:
        assert describe(client).endswith(f"at {HOST}:{valkey_server.port}")
    with connect("embedded://") as client:
        assert describe(client).startswith("embedded")
    monkeypatch.setenv("EMQ_URL", "")
    with connect() as client:
        assert describe(client).startswith("embedded")


def test_it_never_falls_back_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMQ_URL", f"redis://{HOST}:{free_port()}")
    with pytest.raises(EngineUnavailable):
        connect()


def test_two_embedded_engines_share_nothing() -> None:
    with connect() as one, connect() as other:
        one.set("x", 1)
        assert other.get("x") is None


# Real engines


def test_describe_says_what_and_where(engine: Engine, client: Any) -> None:
    line = describe(client)
    assert "\n" not in line
    expected = {
        "embedded": r"embedded engine \(fakeredis [\d.]+, in this process\)",
        "redis": rf"redis 7\.[\d.]+ at {HOST}:\d+",
        "valkey": rf"valkey 9\.[\d.]+ at {HOST}:\d+",
        "cluster": rf"valkey 9\.[\d.]+, a cluster of 3 primaries, by way of {HOST}:\d+",
    }[engine.name]
    assert re.fullmatch(expected, line), line


@pytest.mark.parametrize("protocol", [2, 3])
def test_describe_leaves_the_client_as_it_was(engine: Engine, queue: str, protocol: int) -> None:
    with engine.client(protocol=protocol) as client:
        client.hset(f"{queue}:h", "a", 1)
        describe(client)
        assert client.hgetall(f"{queue}:h") == {b"a": b"1"}
        assert raw(client, "HGETALL", f"{queue}:h") == {b"a": b"1"}


@pytest.mark.parametrize("decode", [False, True])
@pytest.mark.parametrize("protocol", [2, 3])
def test_raw_replies_are_bytes_under_any_client(engine: Engine, queue: str, decode: bool, protocol: int) -> None:
    with engine.client(decode_responses=decode, protocol=protocol) as client:
        client.set(f"{queue}:b", b"\xff\0")
        assert raw(client, "GET", f"{queue}:b") == b"\xff\0"


@pytest.mark.parametrize("engine", ENGINES[1:], indirect=True)
@pytest.mark.parametrize("scheme", ["redis", "valkey"])
def test_a_real_engine_by_url(engine: Engine, scheme: str) -> None:
    assert engine.url
    with connect(engine.url.replace("redis:", f"{scheme}:")) as client:
        assert isinstance(client, RedisCluster if engine.name == "cluster" else redis.Redis)
        assert rung.run(client).passed
        jobs = Jobs(client, new_queue())
        job_id = Mint("JOB")()
        jobs.enqueue(job_id, "x")
        assert jobs.browse() == [job_id]


def test_a_cluster_is_recognised_at_any_of_its_nodes(cluster: Cluster) -> None:
    for node in cluster.nodes:
        with connect(node.url) as client:
            assert isinstance(client, RedisCluster)
            assert "a cluster of 3 primaries" in describe(client)


def test_a_socket_file(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(valkey_binary(), unixsocket=path), connect(f"unix://{path}") as client:
        assert describe(client).endswith(f" at {path}")
        assert rung.run(client).passed


def test_a_password_with_marks_in_it_and_a_database() -> None:
    with Server(valkey_binary(), password=SECRET) as server:
        with connect(f"valkey://:{QUOTED}@{HOST}:{server.port}/3") as client:
            assert raw(client, "CLIENT", "INFO").find(b" db=3 ") > 0
            assert rung.run(client).passed
            for shown in (repr(client), str(client), describe(client), repr(client.connection_pool)):
                assert "s3cr3t" not in shown
        for url in (
            f"redis://{HOST}:{server.port}",
            f"redis://:wrong-{QUOTED}@{HOST}:{server.port}",
            f"redis://s3cr3t-user:{QUOTED}@{HOST}:{server.port}",
            f"redis://{HOST}:{server.port}?password={QUOTED}x",
        ):
            assert refusal(url, EngineUnavailable) == (
                f"no engine at {HOST}:{server.port}: it refused the user name or password. {FALL_BACK}"
            )


# Away, or unwilling


def test_a_dead_engine() -> None:
    port = free_port()
    for url in (f"redis://{HOST}:{port}", f"valkey://u:{QUOTED}@{HOST}:{port}/2", f"rediss://:{QUOTED}@{HOST}:{port}"):
        assert refusal(url, EngineUnavailable) == f"no engine at {HOST}:{port}: connection refused. {FALL_BACK}"


def test_a_host_that_is_not_there() -> None:
    message = refusal(f"redis://:{QUOTED}@nowhere.invalid:7", EngineUnavailable)
    assert message.startswith("no engine at nowhere.invalid:7: ")
    assert message.endswith(FALL_BACK)


def test_the_port_is_said_when_the_url_does_not() -> None:
    assert " nowhere.invalid:6379: " in refusal("redis://nowhere.invalid", EngineUnavailable)


def test_an_ipv6_host_is_said_in_brackets() -> None:
    port = free_port()
    assert f" [::1]:{port}: " in refusal(f"redis://[::1]:{port}", EngineUnavailable)


def test_a_socket_file_that_is_not_there(tmp_path: Path) -> None:
    message = refusal(f"unix://:{QUOTED}@{tmp_path}/none", EngineUnavailable)
    assert message == f"no engine at {tmp_path}/none: no such file or directory. {FALL_BACK}"


def test_a_slow_engine() -> None:
    with Server(valkey_binary()) as server, server.frozen():
        message = refusal(f"{server.url}?socket_timeout=0.2", EngineUnavailable)
    assert message == f"no engine at {HOST}:{server.port}: it did not answer in time. {FALL_BACK}"


def test_a_database_that_is_not_there(valkey_server: Server) -> None:
    message = refusal(f"{valkey_server.url}/99", EngineUnavailable)
    assert message.startswith(f"no engine at {HOST}:{valkey_server.port}: it refused database 99 (")


def test_a_cluster_has_one_database(cluster: Cluster) -> None:
    port = cluster.nodes[0].port
    assert f"no engine at {HOST}:{port}: it refused database 3" in refusal(f"{cluster.url}/3", EngineUnavailable)
    # Newer ones can be given more; a queue's keys would then not be where the cluster's clients look.
    with Server(valkey_binary(), cluster_enabled="yes", cluster_databases=4) as server:
        assert refusal(f"{server.url}/3", InvalidEngineUrl) == (
            f"expected database 0, the only one of a cluster; got 3 for {HOST}:{server.port}"
        )


def test_a_cluster_that_is_down() -> None:
    with Server(valkey_binary(), cluster_enabled="yes") as server:
        message = refusal(server.url, EngineUnavailable)
    assert message.startswith(
        f"no engine at {HOST}:{server.port}: its cluster is not whole, some slots are served by no "
    )


@contextmanager
def talker(words: bytes) -> Iterator[int]:
    """A server that says `words` to everybody who says something, and closes."""
    with socket.create_server((HOST, 0)) as listening:
        closing = threading.Event()

        def serve() -> None:
            while not closing.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(words)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        closing.set()
        with socket.create_connection((HOST, listening.getsockname()[1])) as last:
            last.send(b"bye")
        thread.join()


@pytest.mark.parametrize(
    "words",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"-ERR your password s3cr3t/p@ss is wrong\r\n",
        b"-WRONGPASS s3cr3t/p@ss\r\n",
        b"-DENIED s3cr3t\r\n",
        b"-LOADING s3cr3t/p@ss\r\n",
        b"s3cr3t/p@ss is no reply\r\n",
        b"\xff\xff\xff\n",
        b"+OK\r\n" * 9,
        b"*1\r\n$3\r\nabc\r\n" * 9,
        b"$5\r\nab",
        b"",
    ],
)
def test_somebody_else_at_the_port_and_nothing_of_what_they_say(words: bytes) -> None:
    with talker(words) as port:
        message = refusal(f"redis://:{QUOTED}@{HOST}:{port}?socket_timeout=1", EngineUnavailable)
    assert message.startswith(f"no engine at {HOST}:{port}: ")
    assert message.endswith(FALL_BACK)


@pytest.mark.parametrize(
    "reply",
    [
        b"OK",
        "OK",
        None,
        7,
        [],
        [b"server"],
        [[b"server"], b"x"],
        [b"\xff", b"x"],
        {},
        {b"server": b"x", b"version": b"1"},
    ],
    ids=repr,
)
def test_an_answer_that_is_no_hello(monkeypatch: pytest.MonkeyPatch, valkey_server: Server, reply: object) -> None:
    monkeypatch.setattr(emq.engine, "raw", lambda client, *command: reply)
    assert refusal(valkey_server.url, EngineUnavailable) == (
        f"no engine at {HOST}:{valkey_server.port}: what answers there is neither Redis nor Valkey. {FALL_BACK}"
    )


# URLs that are none

BAD_URLS: list[tuple[object, str]] = [
    ("", "expected the engine's URL to start with one of embedded://, redis://, rediss://, valkey://, "),
    ("localhost:6379", "expected the engine's URL to start with one of"),
    (f"http://:{QUOTED}@localhost", "expected the engine's URL to start with one of"),
    (f"redis:localhost:{QUOTED}", "expected the engine's URL to start with one of"),
    ("embedded://x", "expected the engine's URL to start with one of"),
    ("EMBEDDED", "expected the engine's URL to start with one of"),
    (f"redis://:{QUOTED}@", "expected host:port behind redis://"),
    ("redis://", "expected host:port behind redis://"),
    ("redis:///3", "expected host:port behind redis://"),
    ("unix://", "expected the path of a socket file, of 107 characters at most, behind unix://"),
    (f"unix://:{QUOTED}@/{'x' * 107}", "expected the path of a socket file, of 107 characters at most"),
    (f"redis://:{QUOTED}@localhost:x", "expected host:port in the engine's URL, the port a number up to 65535"),
    ("redis://localhost:65536", "expected host:port in the engine's URL, the port a number up to 65535"),
    ("redis://localhost:-1", "expected host:port in the engine's URL, the port a number up to 65535"),
    ("redis://localhost:0", "expected host:port behind redis://"),
    (f"redis://:{SECRET}@localhost", "a password's own @ : / ? # must be percent-encoded"),
    ("redis://:s3cr3t#x@localhost", "expected"),
    ("redis://:s3cr3t?x@localhost", "expected"),
    ("redis://[::1", "expected host:port in the engine's URL"),
    (f"redis://:{QUOTED}@localhost/one", "expected the number of a database behind localhost:6379/"),
    ("redis://localhost/-1", "expected the number of a database"),
    ("redis://localhost/1/2", "expected the number of a database"),
    (f"redis://:{QUOTED}@localhost#x", "expected no # in the engine's URL; in a password it is written %23"),
    (
        f"redis://:{QUOTED}@{HOST}:1?frob=s3cr3t",
        f"expected options that redis-py knows behind the ? of the URL for {HOST}:1",
    ),
    (
        f"redis://{HOST}:1?socket_timeout=s3cr3t",
        f"expected options that redis-py knows behind the ? of the URL for {HOST}:1",
    ),
    (
        f"redis://:{QUOTED}@a..b:1",
        "expected a host that can be looked up, and a password in UTF-8; got a..b:1. For the embedded engine",
    ),
    (7, "expected the engine's URL, a str; got int"),
    (f"redis://:{QUOTED}@localhost".encode(), "expected the engine's URL, a str; got bytes"),
]


@pytest.mark.parametrize(("url", "message"), BAD_URLS)
def test_what_is_no_url_is_refused_and_not_repeated(url: object, message: str) -> None:
    assert message in refusal(url, InvalidEngineUrl)


# TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@contextmanager
def tls_server(authority: trustme.CA, folder: Path, *names: str) -> Iterator[tuple[Server, int]]:
    """Debian's Redis behind a certificate for `names` that this test's own authority signed."""
    certificate = authority.issue_cert(*names)
    authority.cert_pem.write_to_path(folder / "ca")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "cert")
    port = free_port()
    options = {
        "tls_port": port,
        "tls_cert_file": folder / "cert",
        "tls_key_file": folder / "cert",
        "tls_ca_cert_file": folder / "ca",
        "tls_auth_clients": "no",
    }
    with Server(redis_binary(), password=SECRET, **options) as server:
        yield server, port


@pytest.mark.redis_server
@pytest.mark.parametrize("scheme", ["rediss", "valkeys"])
def test_tls_is_verified_by_default(authority: trustme.CA, tmp_path: Path, scheme: str) -> None:
    with tls_server(authority, tmp_path, HOST) as (server, port):
        url = f"{scheme}://:{QUOTED}@{HOST}:{port}"
        message = refusal(url, EngineUnavailable)
        assert message.startswith(f"no engine at {HOST}:{port}: its certificate does not verify (")
        with connect(f"{url}?ssl_ca_certs={tmp_path / 'ca'}") as client:
            assert describe(client).endswith(f" at {HOST}:{port}")
            assert rung.run(client).passed
        # Not with the port's other half: plain words to TLS, and TLS to plain words.
        assert f"{HOST}:{port}: " in refusal(f"redis://:{QUOTED}@{HOST}:{port}?socket_timeout=1", EngineUnavailable)
        plain = refusal(f"{scheme}://:{QUOTED}@{HOST}:{server.port}?socket_timeout=1", EngineUnavailable)
        assert plain.startswith(f"no engine at {HOST}:{server.port}: ")


@pytest.mark.redis_server
def test_a_certificate_for_somebody_else_is_refused(authority: trustme.CA, tmp_path: Path) -> None:
    with tls_server(authority, tmp_path, "elsewhere.example") as (_, port):
        message = refusal(f"rediss://:{QUOTED}@{HOST}:{port}?ssl_ca_certs={tmp_path / 'ca'}", EngineUnavailable)
    assert "its certificate does not verify (IP address mismatch" in message


def test_the_default_is_redis_pys_own_context() -> None:
    # Should redis-py ever verify less by default, this says so before a server has to.
    pool = redis.Redis.from_url("rediss://localhost").connection_pool
    connection = pool.connection_class(**pool.connection_kwargs)
    assert connection.cert_reqs == ssl.CERT_REQUIRED
    assert connection.check_hostname is True


# import emq


def test_importing_emq_imports_neither_widgets_nor_the_embedded_engine() -> None:
    heavy = ("ipywidgets", "anywidget", "IPython", "fakeredis", "lupa")
    code = f"import sys; import emq; from emq import *; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# What a URL can hide


@pytest.mark.parametrize(
    "url",
    [
        "redis://bob:12345/s3cr3t@host:6379",
        "redis://bob:12345?s3cr3t@host:6379",
        "redis://bob:12345/6?s3cr3t@host:6379",
        "rediss://bob:12345/s3cr3t@host",
    ],
)
def test_digits_before_a_mark_in_a_password_are_no_port(url: str) -> None:
    message = refusal(url, InvalidEngineUrl)
    assert "12345" not in message
    assert "a password's own @ : / ? # must be percent-encoded" in message


@pytest.mark.parametrize("before", [" ", "\n", "\t", "\x00"])
@pytest.mark.parametrize("scheme", ["redis", "rediss", "unix"])
def test_a_url_behind_a_blank_is_refused_not_read_as_another(before: str, scheme: str) -> None:
    message = refusal(f"{before}{scheme}://:{QUOTED}@127.0.0.1:1/tmp/x", InvalidEngineUrl)
    assert message.startswith("expected an engine's URL without blanks and control characters")


@pytest.mark.parametrize("inside", ["re\ndis://127.0.0.1:1", "redis://ho\x1b[31mst:1", "redis://h\x00st:1"])
def test_a_control_character_stays_out_of_the_line(inside: str) -> None:
    assert refusal(inside, InvalidEngineUrl).isprintable()


@pytest.mark.parametrize("database", ["٣", "9" * 5000])
def test_what_is_no_database_is_not_taken_for_another(database: str) -> None:
    message = refusal(f"redis://:{QUOTED}@127.0.0.1:1/{database}", InvalidEngineUrl)
    assert message.startswith("expected the number of a database behind 127.0.0.1:1/.")


@pytest.mark.parametrize("option", ["retry", "maint_notifications_config", "event_dispatcher"])
def test_an_option_that_cannot_be_told_in_a_url(option: str) -> None:
    with Server(valkey_binary()) as server:
        message = refusal(f"redis://:{QUOTED}@{HOST}:{server.port}?{option}=s3cr3t", InvalidEngineUrl)
    assert message.startswith("expected options that redis-py knows")


@contextmanager
def answering(reply: bytes) -> Iterator[int]:
    """A port at which something that is no engine lets anybody in, and answers `reply` to HELLO."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while sent := self.request.recv(4096):
                self.request.sendall(b"+OK\r\n" * (sent.count(b"AUTH") + sent.count(b"SETINFO")) or reply)

    with socketserver.ThreadingTCPServer((HOST, 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize(
    "reply",
    [b"+OK\r\n", b":1\r\n", b"$-1\r\n", b"*0\r\n", b"*1\r\n+a\r\n", b"%1\r\n+a\r\n+b\r\n", b"*2\r\n+mode\r\n+\xff\r\n"],
)
def test_what_does_not_say_what_it_is_is_no_engine(reply: bytes) -> None:
    with answering(reply) as port:
        message = refusal(f"redis://:{QUOTED}@{HOST}:{port}?socket_timeout=1&protocol=2", EngineUnavailable)
    assert message == f"no engine at {HOST}:{port}: what answers there is neither Redis nor Valkey. {FALL_BACK}"

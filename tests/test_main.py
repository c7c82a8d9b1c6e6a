"""`python -m emq`: seven lines and 0; a failed gate and 1; no engine, one line on stderr, and 2."""

import os
import subprocess
import sys

import pytest
import redis
from redis.crc import key_slot

import emq.__main__
from emq import rung
from tests.engines.fixtures import Engine
from tests.engines.servers import HOST, Cluster, Server, free_port, valkey_binary

SECRET = "s3cr3t"


def command(*arguments: str, url: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "EMQ_URL"}
    if url is not None:
        environment["EMQ_URL"] = url
    done = subprocess.run(
        [sys.executable, "-m", "emq", *arguments], capture_output=True, text=True, env=environment, timeout=120
    )
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_the_record_by_the_command_on_every_engine(engine: Engine) -> None:
    done = command(*(["--url", engine.url] if engine.url else []))
    assert (done.stdout.splitlines(), done.stderr, done.returncode) == (list(rung.RECORD), "", 0)


def test_emq_url_names_the_engine_and_the_argument_wins(valkey_server: Server) -> None:
    port = free_port()
    away = command(url=f"redis://:{SECRET}@{HOST}:{port}")
    assert (away.stdout, away.returncode) == ("", 2)
    assert away.stderr == (
        f"emq: no engine at {HOST}:{port}: connection refused. "
        "For the embedded engine, unset EMQ_URL or connect to 'embedded://'.\n"
    )
    assert command("--url", valkey_server.url, url=f"redis://:{SECRET}@{HOST}:{port}").returncode == 0


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (f"http://:{SECRET}@x", "emq: expected the engine's URL to start with one of embedded://"),
        (f"redis://:{SECRET}@x:y", "emq: expected host:port in the engine's URL"),
        ("", "emq: expected the engine's URL to start with one of"),
    ],
)
def test_a_bad_url_is_one_line(url: str, line: str) -> None:
    done = command("--url", url)
    assert (done.stdout, done.returncode, done.stderr.count("\n")) == ("", 2, 1)
    assert done.stderr.startswith(line)


def test_a_wrong_password_is_one_line() -> None:
    with Server(valkey_binary(), password="another") as server:
        done = command("--url", f"redis://:{SECRET}@{HOST}:{server.port}")
    assert (done.stdout, done.returncode, done.stderr.count("\n")) == ("", 2, 1)
    assert done.stderr.startswith(f"emq: no engine at {HOST}:{server.port}: it refused the user name or password.")


def test_a_gate_that_fails_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], valkey_server: Server
) -> None:
    monkeypatch.setattr(rung, "PENDING", 300)
    monkeypatch.setattr(rung, "ORDER", rung.BrandedId("JOB0Nt6z93U3dY"))
    assert emq.__main__.main(["--url", valkey_server.url]) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:3] == list(rung.RECORD[:3])
    assert lines[3].startswith("J3 FAILED -- the wire's answer to an ORD id: expected ")
    assert lines[-1].startswith("PASS ")
    assert lines[-1] != "PASS 5/5"
    assert err == ""


@pytest.mark.parametrize(
    "error",
    [
        redis.ConnectionError(f"Error while reading from :{SECRET}@x"),
        redis.TimeoutError("Timeout"),
        redis.AuthenticationError(SECRET),
        redis.exceptions.RedisClusterException(SECRET),
        redis.exceptions.ClusterDownError("down"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_engine_that_dies_meanwhile_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def dying(client: object) -> None:
        raise error

    monkeypatch.setattr(rung, "run", dying)
    assert emq.__main__.main(["--url", "embedded://"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"emq: the engine failed during the run: {type(error).__name__}\n"


def test_a_server_that_is_killed_meanwhile_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(valkey_binary()) as server:
        gates = list(rung.GATES)
        gates.insert(3, lambda bench: server.kill())
        monkeypatch.setattr(rung, "GATES", tuple(gates))
        assert emq.__main__.main(["--url", f"{server.url}?socket_timeout=1"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "emq: the engine failed during the run: ConnectionError\n"


def test_a_cluster_without_the_node_that_is_wanted_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = next(token for token in map(str, range(100)) if key_slot(f"rung-{token}".encode()) > 11_000)
    monkeypatch.setattr(rung.secrets, "token_hex", lambda size: token)
    with Cluster() as cluster:
        cluster.nodes[2].kill()  # whose slots are the last third
        assert emq.__main__.main(["--url", cluster.url]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("emq: the engine failed during the run: ")
    assert err.count("\n") == 1


def test_a_read_only_engine_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Server(valkey_binary()) as primary, Server(valkey_binary(), replicaof=f"{HOST} {primary.port}") as replica:
        assert emq.__main__.main(["--url", replica.url]) == 1
    out, err = capsys.readouterr()
    assert "J2 FAILED -- expected no error, saw ReadOnlyError" in out
    assert err == ""


def test_help_names_the_option() -> None:
    done = command("--help")
    assert "--url URL" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    "arguments", [(f"redis://:{SECRET}@x",), ("-u", f"redis://:{SECRET}@x"), (f"--uri=redis://:{SECRET}@x",)]
)
def test_a_url_in_the_wrong_place_is_not_repeated(arguments: tuple[str, ...]) -> None:
    done = command(*arguments)
    assert (done.stdout, done.returncode) == ("", 2)
    assert "expected --url URL and nothing else" in done.stderr


@pytest.mark.parametrize("refused", ["scan", "del"])
def test_an_engine_that_would_not_let_it_clean_up_is_left_as_it_was(
    capsys: pytest.CaptureFixture[str], refused: str
) -> None:
    with Server(valkey_binary()) as server, redis.Redis(port=server.port) as all_of_it:
        all_of_it.execute_command("ACL", "SETUSER", "few", "on", f">{SECRET}", "~*", "+@all", f"-{refused}")
        assert emq.__main__.main(["--url", f"redis://few:{SECRET}@{HOST}:{server.port}"]) == 2
        assert all_of_it.dbsize() == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "emq: the engine failed during the run: NoPermissionError\n")

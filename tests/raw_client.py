"""A visitor without a browser: the app's WebSocket protocol and its uploads, as Streamlit's own
page speaks them.

It takes a hundredth of a browser's memory, so that a test or a benchmark can have many of them, or
send what no browser would.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from tests.browser import COOKIE

WAIT_SECONDS = 120
Header = tuple[str, str]


class Visitor:
    """One session of the app, as its page at `path` shows it.

    elements : what is on the page, by its place. query : of its address. A widget keeps what `put`
    it to, and says so in every later run, as in a browser.
    """

    def __init__(self, url: str, path: str = "", query: str = "") -> None:
        self.host = urlsplit(url).netloc
        self.path = path
        self.query = query
        self.elements: dict[tuple[int, ...], tuple[Message, str]] = {}
        self.session = self.page = ""
        self.asked = 0  # number of the last question on the line
        self._states: dict[str, WidgetState] = {}
        self._cookie = self._token()
        self._connection = connect(
            f"ws://{self.host}/_stcore/stream",
            additional_headers={"Cookie": f"_streamlit_xsrf={self._cookie}; {COOKIE}=seen"},
            origin=f"http://{self.host}",  # type: ignore[arg-type]
            subprotocols=["streamlit", self._cookie],  # type: ignore[list-item]
            max_size=None,
            max_queue=None,  # or a close would wait for what nobody reads
        )
        self._socket = self._connection.__enter__()

    def __enter__(self) -> Visitor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.__exit__(kind, error, trace)

    # ---- the page ----

    def run(self, fragment: str = "") -> None:
        """Run the page, or a part of it, and read what it draws."""
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string = self.query
        asked.page_name = self.path
        asked.page_script_hash = self.page
        asked.fragment_id = fragment
        asked.widget_states.widgets.extend(self._states.values())
        self._socket.send(message.SerializeToString())
        self._states = {
            name: each
            for name, each in self._states.items()
            if "trigger" not in (each.WhichOneof("value") or "")
        }
        self.read(fragment)

    def read(self, fragment: str = "") -> None:
        """Read what the server draws in one run of the page, or of a part of it."""
        fresh = dict[tuple[int, ...], tuple[Message, str]]()
        while True:
            answer = self._receive()
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id
            elif kind == "page_info_changed":
                self.query = answer.page_info_changed.query_string
            elif kind == "navigation":
                self.page = answer.navigation.page_script_hash
            elif kind == "delta" and (drawn := answer.delta.WhichOneof("type")) in (
                "new_element",
                "add_block",
            ):
                element = getattr(answer.delta, drawn)
                if (name := element.WhichOneof("type")) is not None:
                    fresh[tuple(answer.metadata.delta_path)] = (
                        getattr(element, name),
                        answer.delta.fragment_id,
                    )
            elif (
                kind == "script_finished"
                and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                self.elements = {**self.elements, **fresh} if fragment else fresh
                return

    def widget(self, key: str) -> Any:
        """The widget of this key on the page."""
        return self._placed(key)[0]

    def texts(self, kind: str) -> list[str]:
        """What the elements of this kind say: "Alert", "Markdown", "Exception"."""
        return [
            getattr(each, "body", "") or getattr(each, "message", "")
            for each, _ in self.elements.values()
            if type(each).__name__ == kind
        ]

    def put(self, key: str, run: bool = True, **value: Any) -> None:
        """Set the widget of this key, `value` by its name in `WidgetState`, and run what it belongs
        to.
        """
        widget, fragment = self._placed(key)
        state = WidgetState(id=widget.id)
        for name, each in value.items():
            if isinstance(each, Message):
                getattr(state, name).CopyFrom(each)
            elif isinstance(each, list):
                getattr(state, name).data.extend(each)
            else:
                setattr(state, name, each)
        self._states[widget.id] = state
        if run:
            self.run(fragment)

    def press(self, key: str) -> None:
        self.put(key, trigger_value=True)

    def ask(self, values: Mapping[str, Any], **rest: Any) -> tuple[int, list[dict[str, Any]]]:
        """Ask on the line, as Explore's figure does once these sliders have moved: the status and
        the messages.
        """
        with contextlib.closing(self.begin(values, **rest)) as answer:
            lines = answer.read().splitlines()
        return answer.status, (
            [json.loads(line) for line in lines] if answer.status == http.client.OK else []
        )

    def begin(self, values: Mapping[str, Any], **rest: Any) -> http.client.HTTPResponse:
        """The same; the answer has begun, and is to be read and closed."""
        content = json.loads(self.widget("explore").bytes)
        self.asked = max(self.asked, content["asked"]) + 1
        question = {"q": self.asked, "of": content["of"], "values": values, "have": [], **rest}
        headers = {"X-Prviz-Token": content["token"], "Origin": f"http://{self.host}"}
        connection = http.client.HTTPConnection(self.host, timeout=WAIT_SECONDS)
        connection.request(
            "POST", "/live/ask", json.dumps(question), {**headers, "Connection": "close"}
        )
        return connection.getresponse()

    def _placed(self, key: str) -> tuple[Any, str]:
        found = [
            placed
            for placed in self.elements.values()
            if str(getattr(placed[0], "id", "")).endswith(f"-{key}")
        ]
        assert found, f"no widget {key} on the page"
        return found[-1]

    def _receive(self) -> ForwardMsg:
        answer = ForwardMsg()
        answer.ParseFromString(self._socket.recv(timeout=WAIT_SECONDS))  # type: ignore[arg-type]
        return answer

    # ---- uploads ----

    def upload(self, key: str, files: Mapping[str, bytes], run: bool = True) -> list[int]:
        """Choose these files in the field of this key; the HTTP status of each. Those that arrived
        are in the field.
        """
        message = BackMsg()
        asked = message.file_urls_request
        asked.request_id = uuid.uuid4().hex
        asked.session_id = self.session
        asked.file_names.extend(files)
        self._socket.send(message.SerializeToString())
        while (answer := self._receive()).file_urls_response.response_id != asked.request_id:
            # the answers that waited are dropped where a run begins
            if answer.WhichOneof("type") == "new_session":
                self._socket.send(message.SerializeToString())
        state = FileUploaderState()
        statuses = []
        for urls, (name, data) in zip(
            answer.file_urls_response.file_urls, files.items(), strict=True
        ):
            statuses.append(self.send("PUT", urls.upload_url, name, data))
            if statuses[-1] == 204:
                info = state.uploaded_file_info.add(name=name, size=len(data), file_id=urls.file_id)
                info.file_urls.CopyFrom(urls)
        self.put(key, run=run, file_uploader_state_value=state)
        return statuses

    def send(
        self, method: str, path: str, name: str = "", data: bytes = b"", *, chunked: bool = False
    ) -> int:
        """A file to an address, or its deletion; the HTTP status."""
        border = uuid.uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        headers = {
            "Cookie": f"_streamlit_xsrf={self._cookie}",
            "X-Xsrftoken": self._cookie,
            "Content-Type": f"multipart/form-data; boundary={border}",
        }
        connection = http.client.HTTPConnection(self.host, timeout=WAIT_SECONDS)
        body = (
            None if method == "DELETE" else head.encode() + data + f"\r\n--{border}--\r\n".encode()
        )
        connection.request(
            method, path, iter([body]) if chunked else body, headers, encode_chunked=chunked
        )
        status = connection.getresponse().status
        connection.close()
        return status

    def _token(self) -> str:
        cookies = asked(f"http://{self.host}", "/_stcore/health", ("Host", self.host))[1][
            "set-cookie"
        ]
        (cookie,) = (
            part.split("=", 1)[1]
            for part in cookies.split(";")
            if part.strip().startswith("_streamlit_xsrf=")
        )
        return cookie


def asked(
    url: str, path: str, *headers: Header, at: str = "127.0.0.1"
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of the answer to a request with exactly these headers."""
    connection = http.client.HTTPConnection(at, urlsplit(url).port, timeout=WAIT_SECONDS)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    text = "" if answer.status == 101 else answer.read().decode(errors="replace")
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text


def handshake(url: str, host: str, *headers: Header) -> int:
    """Status of the answer to a WebSocket's handshake; 101 is a connection."""
    fixed = [
        ("Host", host),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
    ]
    return asked(
        url, "/_stcore/stream", *fixed, ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="), *headers
    )[0]


def held_bytes(url: str) -> dict[str, int]:
    """Bytes that Streamlit holds by its own account, by what holds them."""
    lines = asked(url, "/_stcore/metrics?families=cache_memory_bytes", ("Host", "localhost"))[
        2
    ].splitlines()
    found = (re.match(r'cache_memory_bytes{cache_type="([^"]*)".*} (\d+)', line) for line in lines)
    return {each[1]: int(each[2]) for each in found if each is not None}

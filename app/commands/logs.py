"""Where logs go: a JSON line each on stderr while serving, and sentences about what takes long everywhere."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from app.commands import console

LONG_WORK = "pipelines.embedding"
"""Tells at info level that a model is converted or downloaded."""
ACCESS = "app.access"
"""Its messages are JSON already."""


class Lines(logging.Formatter):
    """One JSON object a record; a stack is one of its strings."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": moment, "level": record.levelname.lower(), "logger": record.name}
        message = record.getMessage()
        if record.name == ACCESS and message.startswith("{"):
            return json.dumps(line | json.loads(message), ensure_ascii=False)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line | {"message": message}, ensure_ascii=False)


class _Sentences(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        console.tell(record.getMessage())


def tell_long_work() -> None:
    logger = logging.getLogger(LONG_WORK)
    logger.handlers = [_Sentences()]
    logger.setLevel(logging.INFO)
    logger.propagate = False


def serve_lines() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for ours in ("app", "pipelines"):
        logging.getLogger(ours).setLevel(logging.INFO)

"""What the command line refuses is a sentence on stderr and exit code 1, never a stack."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from app.commands import console

INTERRUPTED = 130


class Refusal(Exception):
    """Its message is a sentence for the person at the terminal."""


class RefusingGroup(TyperGroup):
    """A group whose commands' refusals are told instead of raised."""

    def invoke(self, context: Any) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            console.tell("Interrupted.")
            raise SystemExit(INTERRUPTED) from None
        except Exception as error:
            sentence = sentence_for(error)
            if sentence is None:
                raise
            console.tell(sentence)
            raise SystemExit(1) from None


def sentence_for(error: Exception) -> str | None:
    """What a person can do something about; None for what is a defect of this program."""
    if isinstance(error, Refusal) or _is_own(error):
        return str(error)
    if _is_from(error, "sqlalchemy") or _is_from(error, "asyncpg"):
        return f"The database cannot be used: {_first_line(error)}"
    if isinstance(error, OSError):
        return f"{error.strerror or 'It failed'}: {error.filename}" if error.filename else _first_line(error)
    return _settings_sentence(error)


def _is_own(error: Exception) -> bool:
    """Exceptions of the library and the service that are sentences by their nature."""
    from pipelines.errors import KnowledgeBaseError

    names = {"ModelNotUsable", "OrganizationNotFound"}
    return isinstance(error, KnowledgeBaseError) or type(error).__name__ in names


def _is_from(error: Exception, package: str) -> bool:
    return type(error).__module__.partition(".")[0] == package


def _settings_sentence(error: Exception) -> str | None:
    """A setting that cannot be, from pydantic's report of it."""
    if type(error).__name__ != "ValidationError" or not hasattr(error, "errors") or not hasattr(error, "title"):
        return None
    return "These settings cannot be: " + "; ".join(map(_setting, error.errors()))


def _setting(wrong: Any) -> str:
    name = "".join(f"KB_{part.upper()}: " for part in wrong["loc"])
    return f"{name}{wrong['msg'].removeprefix('Value error, ')}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

"""HTML and SVG by construction: what is not an element made here is text, and is escaped."""

from __future__ import annotations

from html import escape
from typing import NewType

Safe = NewType("Safe", str)
"""Markup. Only this module makes it."""

VOID = frozenset({"meta", "br"})


class Element:
    """Markup that may stand in other markup."""

    __slots__ = ("markup",)

    def __init__(self, markup: Safe) -> None:
        self.markup = markup


Child = Element | str | float


def element(tag: str, *children: Child, **attributes: str | float) -> Element:
    """`class_` is the attribute class; an underscore in a name stands for a hyphen."""
    named = "".join(f' {_name(name)}="{escape(_text(value), quote=True)}"' for name, value in attributes.items())
    if tag in VOID:
        return Element(Safe(f"<{tag}{named}>"))
    return Element(Safe(f"<{tag}{named}>{''.join(map(_markup, children))}</{tag}>"))


def page(title: str, style: str, *body: Child) -> str:
    """A whole document that loads nothing and runs nothing. `style` is ours: it is not escaped."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        Element(Safe(f"<style>{style}</style>")),
    )
    return f"<!doctype html>\n{element('html', head, element('body', *body), lang='en').markup}\n"


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _text(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _markup(child: Child) -> str:
    return child.markup if isinstance(child, Element) else escape(_text(child))

"""The pages of a file as blocks of headings, text and tables: what the parser says and the splitter reads."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Block(BaseModel):
    """One block of a page. A table has `rows`, and `has_head` if its first row names the columns."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["heading", "text", "table"]
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    has_head: bool = True


class Page(BaseModel):
    """One page; `number` counts the pages of the file from 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    blocks: tuple[Block, ...]


class ParsedFile(BaseModel):
    """What the parser found in a file; `problem` is empty, or says why there is nothing to read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pages: tuple[Page, ...] = ()
    title: str = ""
    keywords: str = ""
    problem: str = ""

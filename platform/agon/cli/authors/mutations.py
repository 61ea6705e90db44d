"""Systematic mutants of a game's rules: one small change each, which the author's checks should notice.

Why no library: mutmut and cosmic-ray change Python in general, and bring a runner and a database of their own
each. The mistakes that matter in a referee are others: a secret in a view, the wrong seat, a draw more or
less, a move that is not checked. So the operators are here, on the standard library's `ast`. They say which
span of the text becomes what, so a mutant is shown as a diff of the author's own lines.

An author states that a line has no mutant worth catching, with a reason, by a comment on it:

    if len(self.deck) < 1:  # mutants: the deck is never empty
"""

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

CHECK, STATEMENT = "a check dropped", "a statement dropped"
OFF_BY_ONE, TURNED = "a comparison off by one", "a condition turned"
BOUNDARY, ARITHMETIC = "a number changed", "plus and minus swapped"
SEATS, DRAW, LEAK = "seats swapped", "a draw more", "a secret shown"
LEAKING = "leaking"  # what shows it: see agon.cli.authors.judging

_OFF = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_TURN = {ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}
_NAMES = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", **{
    ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"
}}  # fmt: skip
_SEATS = re.compile(r"(my_|other_|their_)?(seat|player|mover|opponent|other|owner|loser|winner)")
_STATED = re.compile(r"#\s*mutants:(.*)")


class BadMark(Exception):
    """A comment `# mutants:` without a reason; str(e) says where."""


@dataclass(frozen=True)
class Mutation:
    """One change of a file: the span of its text from `start` to `end`, in characters, becomes `new`."""

    path: Path
    line: int
    kind: str
    start: int
    end: int
    new: str

    def text(self) -> str:
        """The mutant's text."""
        text = self.path.read_text(encoding="utf-8")
        return text[: self.start] + self.new + text[self.end :]

    def diff(self) -> str:
        """The lines that it changes, as - and +."""
        before = self.path.read_text(encoding="utf-8").splitlines()
        lines = difflib.unified_diff(before, self.text().splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


@dataclass(frozen=True)
class Mutations:
    """All mutants of a game's rules. stated: how many more there are on lines with a reason against it."""

    mutants: tuple[Mutation, ...]
    stated: int


def rule_files(folder: Path) -> list[Path]:
    """The referee and the modules that it imports from the game's folder or from beside it, recursively."""
    files: list[Path] = []
    queue = [folder / "referee.py"]
    while queue:
        path = queue.pop(0)
        if path not in files and path.is_file():
            files.append(path)
            queue += _imported(path, folder)
    return files


def mutations(paths: Sequence[Path], referee: str, hidden: Sequence[str]) -> Mutations:
    """The mutants of these files. referee: its class. hidden: its attributes that some seat must not know.

    Raises BadMark.
    """
    kept: list[Mutation] = []
    stated = 0
    used = _used(paths)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        lines = _stated_lines(path, text)
        for mutation in _Finder(path, text, referee, hidden).found(used):
            if mutation.line in lines:
                stated += 1
            else:
                kept.append(mutation)
    return Mutations(tuple(kept), stated)


def _used(paths: Sequence[Path]) -> Set[tuple[Path, int]]:
    """All top statements of the first file, and those of the others whose names these use, recursively."""
    queue = [(path, node) for path in paths for node in ast.parse(path.read_text(encoding="utf-8")).body]
    used = {(path, node.lineno) for path, node in queue if path == paths[0]}
    names = {name for path, node in queue if path == paths[0] for name in _names(node)}
    while new := [
        (path, node)
        for path, node in queue
        if (path, node.lineno) not in used and not names.isdisjoint(_defined(node))
    ]:
        used |= {(path, node.lineno) for path, node in new}
        names |= {name for _, node in new for name in _names(node)}
    return used


def _names(node: ast.stmt) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def _imported(path: Path, folder: Path) -> Iterator[Path]:
    """The files of the game's folder, and beside it, that this one imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            start = f"games.{folder.name}" if node.level else ""
            names = [".".join(part for part in (start, node.module) if part)]
            names += [f"{names[0]}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "games" and parts[1:2] == [folder.name]:
                yield folder.joinpath(*parts[2:]).with_suffix(".py") if parts[2:] else folder / "__init__.py"
            elif parts[0] == "games" and len(parts) == 2:
                yield folder.parent / f"{parts[1]}.py"


def _stated_lines(path: Path, text: str) -> set[int]:
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (mark := _STATED.match(token.string)):
            if not mark[1].strip():
                raise BadMark(
                    f"{path.name}, line {token.start[0]}: expected a reason after `# mutants:`, got none"
                )
            lines.add(token.start[0])
    return lines


class _Finder:
    """Finds the mutations of one file."""

    def __init__(self, path: Path, text: str, referee: str, hidden: Sequence[str]) -> None:
        self.path, self.text, self.referee, self.hidden = path, text, referee, hidden
        self._offsets = [0]
        for line in text.splitlines(keepends=True):
            self._offsets.append(self._offsets[-1] + len(line))
        self._lines = text.splitlines(keepends=True)

    def found(self, used: Set[tuple[Path, int]]) -> Iterator[Mutation]:
        """used: the file and line of each statement that the referee uses."""
        for statement in ast.parse(self.text).body:
            if (self.path, statement.lineno) in used:
                yield from self._in(statement)

    def _in(self, node: ast.AST, function: str = "", owner: str = "") -> Iterator[Mutation]:
        """The mutations of a node and of those below it. function, owner: where it is."""
        if isinstance(node, ast.ClassDef):
            owner = node.name
        if isinstance(node, ast.FunctionDef):
            function = node.name
        if isinstance(node, ast.FormattedValue) and not self._is_placed(node.value):
            return
        yield from self._at(node, function == "view" and owner == self.referee)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._in(child, function, owner)

    def _is_placed(self, node: ast.expr) -> bool:
        """Whether an expression in an f-string is where `ast` says: Python 3.11 may err."""
        try:
            return ast.dump(ast.parse(self._text(node), mode="eval").body) == ast.dump(node)
        except (SyntaxError, ValueError):
            return False

    def _at(self, node: ast.AST, in_view: bool) -> Iterator[Mutation]:
        for kind, find in _OPERATORS:
            if isinstance(node, kind):
                yield from find(self, node)
        if in_view and isinstance(node, ast.Return) and node.value is not None:
            for name in self.hidden:
                yield self._change(node.value, LEAK, f"{LEAKING}({self._text(node.value)}, self.{name})")

    def checks(self, node: ast.If) -> Iterator[Mutation]:
        if len(node.body) == 1 and isinstance(node.body[0], ast.Raise):
            yield self._change(node.test, CHECK, "False")

    def comparisons(self, node: ast.Compare) -> Iterator[Mutation]:
        operands = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            kind = OFF_BY_ONE if type(operator) in _OFF else TURNED
            names = [_NAMES[type(op)] for op in node.ops]
            names[place] = (_OFF | _TURN)[type(operator)]
            new = self._text(operands[0])
            for name, operand in zip(names, operands[1:], strict=True):
                new += f" {name} {self._text(operand)}"
            yield self._change(node, kind, new)

    def junctions(self, node: ast.BoolOp) -> Iterator[Mutation]:
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield self._change(node, TURNED, f"({word.join(map(self._text, node.values))})")

    def negations(self, node: ast.UnaryOp) -> Iterator[Mutation]:
        if isinstance(node.op, ast.Not):
            yield self._change(node, TURNED, f"bool({self._text(node.operand)})")

    def sums(self, node: ast.BinOp) -> Iterator[Mutation]:
        left, right = self._text(node.left), self._text(node.right)
        if isinstance(node.op, ast.Sub) and left == "1" and _is_seat(node.right):
            yield self._change(node, SEATS, right)
        elif isinstance(node.op, ast.Add | ast.Sub) and not _is_text(node.left) | _is_text(node.right):
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            yield self._change(node, ARITHMETIC, f"{left} {sign} {right}")

    def steps(self, node: ast.AugAssign) -> Iterator[Mutation]:
        if isinstance(node.op, ast.Add | ast.Sub) and not _is_text(node.value):
            sign = "-=" if isinstance(node.op, ast.Add) else "+="
            yield self._change(node, ARITHMETIC, f"{self._text(node.target)} {sign} {self._text(node.value)}")

    def numbers(self, node: ast.Constant) -> Iterator[Mutation]:
        if type(node.value) is int:
            yield self._change(node, BOUNDARY, str(node.value + 1))

    def seats(self, node: ast.Subscript) -> Iterator[Mutation]:
        if _is_seat(node.slice):
            yield self._change(node.slice, SEATS, f"{self._text(node.slice)} - 1")

    def draws(self, node: ast.Call) -> Iterator[Mutation]:
        if isinstance(node.func, ast.Attribute) and re.search(
            r"\brng$", generator := self._text(node.func.value)
        ):
            yield self._change(node, DRAW, f"({generator}.random(), {self._text(node)})[1]")

    def statements(self, node: ast.Expr) -> Iterator[Mutation]:
        if isinstance(node.value, ast.Call) and not self._text(node).startswith("super("):
            yield self._change(node, STATEMENT, "pass")

    def _change(self, node: ast.expr | ast.stmt, kind: str, new: str) -> Mutation:
        start, end = self._span(node)
        return Mutation(self.path, node.lineno, kind, start, end, new)

    def _text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self.text[start:end]

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """In characters; `ast` counts the bytes of a line in UTF-8."""
        before = self._lines[line - 1].encode()[:column].decode()
        return self._offsets[line - 1] + len(before)


def _is_seat(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and _SEATS.fullmatch(node.id) is not None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


_OPERATORS: tuple[tuple[type, Callable[..., Iterator[Mutation]]], ...] = (
    (ast.If, _Finder.checks),
    (ast.Compare, _Finder.comparisons),
    (ast.BoolOp, _Finder.junctions),
    (ast.UnaryOp, _Finder.negations),
    (ast.BinOp, _Finder.sums),
    (ast.AugAssign, _Finder.steps),
    (ast.Constant, _Finder.numbers),
    (ast.Subscript, _Finder.seats),
    (ast.Call, _Finder.draws),
    (ast.Expr, _Finder.statements),
)

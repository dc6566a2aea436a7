"""Tables as LaTeX in the paper's style: booktabs, best bold, second best underlined."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.report.formats import lines, stub_of
from bideta.report.formats.markdown import legend
from bideta.report.tables import Entry, Table

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "–": "--",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "−": "$-$",
    "†": r"$^{\dagger}$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}
PACKAGES = "booktabs, adjustbox"


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; a sign that no font would know becomes a question mark."""
    flat = " ".join(text.split())
    return "".join(SPECIAL.get(sign, sign if sign.isascii() or sign.isalpha() else "?") for sign in flat)


def table_latex(table: Table) -> str:
    """A table environment with caption and label."""
    width = len(table.stub) + len(table.columns)
    body: list[str] = []
    for kind, text in lines(table):
        if kind == "group":
            body += [r"\midrule"] * bool(body) + [
                rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escape(text)}}}}} \\"
            ]
        else:
            cells = [entry_latex(table.entry(text, column)) for column in table.columns]
            body.append(" & ".join([*map(escape, stub_of(table, text)), *cells]) + r" \\")
    said = " ".join([table.caption, *table.notes, *legend(table, "second best underlined")])
    return "\n".join(
        [
            rf"% {' '.join(table.heading.split())}; needs the packages {PACKAGES}",
            r"\begin{table}[!htbp]",
            r"\centering",
            rf"\caption{{\textbf{{{escape(table.heading)}.}} {escape(said)}}}",
            rf"\label{{{_label(table.name)}}}",
            r"\small",
            r"\setlength{\tabcolsep}{3pt}",
            r"\begin{adjustbox}{max width=\linewidth}",
            rf"\begin{{tabular}}{{{'l' * len(table.stub)}{'c' * len(table.columns)}}}",
            r"\toprule",
            " & ".join(map(escape, [*table.stub, *table.columns])) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{adjustbox}",
            r"\end{table}",
            "",
        ]
    )


def entry_latex(entry: Entry) -> str:
    """One cell with its mark and note."""
    if entry.words or entry.mean is None:
        text = escape(entry.text)
    else:
        inside = entry.text.replace(",", "{,}").replace("±", r"\pm")
        wrap = {"best": r"\mathbf{%s}", "second": r"\underline{%s}", "selected": r"%s^{\dagger}"}
        text = f"${wrap.get(entry.mark, '%s') % inside}$"
    return rf"{text} {{\scriptsize ({escape(entry.note)})}}" if entry.note else text


def document(tables: Sequence[Table], provenance: Sequence[str]) -> str:
    """All tables in one file to \\input, with where they come from in comments on top."""
    simulated = any(table.simulated for table in tables)
    head = [f"% {' '.join(line.split())}" for line in provenance]
    head += ["% SIMULATED: the numbers below come from rendered sensors"] * simulated
    return "\n".join([*head, "", *map(table_latex, tables)])


def _label(name: str) -> str:
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in ":-_.") else "-" for sign in name)

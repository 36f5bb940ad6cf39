"""The tables."""

TITLES = {
    "read": "One secret read",
    "list": "All names listed",
    "add": "One secret added, as durable as the tool makes it",
    "change": "The master password changed",
}
OURS = "taskvault"


def time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.{2 if seconds * scale < 100 else 0}f} {unit}"
    return "0"


def memory(kibibytes):
    return "–" if not kibibytes else f"{kibibytes / 1024:.1f} MiB"


def cell(found, ours):
    """A median, and how many times ours it is."""
    if found is None:
        return "–"
    if "stopped" in found:
        return "gave up" if found.get("by itself") else "stopped"
    if "failed" in found:
        return "FAILED"
    if "not run" in found:
        return "not run"
    ratio = f" {found['median'] / ours['median']:7.2f}" if ours and "median" in ours else " " * 8
    return time(found["median"]) + ratio


def table(heads, rows):
    rows = [list(map(str, row)) for row in rows]
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]

    def line(row):
        return "  ".join(text.ljust(width) if column == 0 else text.rjust(width) for column, (text, width) in enumerate(zip(row, widths))).rstrip()

    return "\n".join([line(heads), line(["-" * width for width in widths]), *map(line, rows)])


def by_size(title, found):
    """A line for each way, a column for each size."""
    sizes = sorted(found, key=int)
    labels = list(dict.fromkeys(label for size in sizes for label in found[size]))
    heads = [title] + [f"{int(size):,}  ratio" for size in sizes]
    return table(heads, [[label] + [cell(found[size].get(label), found[size].get(OURS)) for size in sizes] for label in labels])


def text(results):
    parts = []
    about = results["about"]
    parts.append("\n".join(f"{name}: {value}" for name, value in about.items()))
    parts.append(table(["compared", "version"], results["versions"].items()))
    for operation, title in TITLES.items():
        if results["operations"].get(operation):
            parts.append(by_size(title, results["operations"][operation]))
    for count, found in results["importing"].items():
        parts.append(by_size("All of them imported", {count: found}))
    parts.append(table(["Bare limit", "median"], [[name, time(seconds)] for name, seconds in results["limits"].items()]))
    sizes = sorted(results["disk"], key=int)
    tools = list(dict.fromkeys(tool for size in sizes for tool in results["disk"][size]))
    rows = []
    for tool in tools:
        row = [tool]
        for size in sizes:
            found = results["disk"][size].get(tool)
            row.append(f"{found['bytes'] / int(size):,.0f} ({found['allocated'] / int(size):,.0f})" if found else "–")
        rows.append(row)
    parts.append(table(["Bytes an item (on the disk's blocks)"] + [f"{int(size):,}" for size in sizes], rows))
    sizes = sorted(results["memory"], key=int)
    labels = list(dict.fromkeys(label for size in sizes for label in results["memory"][size]))
    rows = []
    for label in labels:
        row = [label]
        for size in sizes:
            found = results["memory"][size].get(label)
            row.append(f"{memory(found['session'])} / {memory(found['command'])}" if found else "–")
        rows.append(row)
    parts.append(table(["Memory: session process / peak of a read"] + [f"{int(size):,}" for size in sizes], rows))
    if results.get("notices"):
        rows = [[tool, found["names"], found["older copy"]] for tool, found in results["notices"].items()]
        parts.append(table(["Attacker with the files", "names", "older copy restored"], rows))
    if results["not run"]:
        parts.append("\n".join(f"not run: {name}: {why}" for name, why in results["not run"].items()))
    if results["failures"]:
        parts.append("\n".join(f"FAILED: {failure}" for failure in results["failures"]))
    return "\n\n".join(parts)

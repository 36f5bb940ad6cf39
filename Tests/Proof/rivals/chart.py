"""The chart of growth: an SVG by hand, readable on light and on dark, both axes logarithmic, a line for each way."""

import math

PANELS = (("add", "to add one"), ("list", "to list all names"), ("change", "to change the master password"))
# One colour a tool, in the middle between light and dark; the tool's second way is dashed.
COLOURS = {
    "taskvault": ("#d6336c", ""),
    "secret-tool": ("#1c8fd6", ""),
    "pass": ("#2f9e44", ""),
    "pass init": ("#2f9e44", "5 3"),
    "keepassxc-cli": ("#d9730d", ""),
    "keepassxc-cli open": ("#d9730d", "5 3"),
    "sqlcipher, passphrase": ("#8a63d2", ""),
    "sqlcipher, raw key": ("#8a63d2", "5 3"),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 300, 70, 190, 40, 45
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #6e7781 }
.title { font-weight: 600; font-size: 14px }
.grid { stroke: #8c959f; stroke-opacity: .3; stroke-width: 1 }
.line { fill: none; stroke-width: 2 }
.ours { stroke-width: 3.5 }
@media (prefers-color-scheme: light) { text { fill: #24292f } }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
"""


def unit(seconds):
    return f"{seconds * 1e6:g} µs" if seconds < 1e-3 else f"{seconds * 1e3:g} ms" if seconds < 1 else f"{seconds:g} s"


def apart(wanted, distance):
    """Places near the wanted ones, in their order, at least so far apart."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    found = dict.fromkeys(order, 0)
    last = -math.inf
    for index in order:
        last = found[index] = max(wanted[index], last + distance)
    return found


class Panel:
    def __init__(self, results, operation, title, top):
        self.found = results["operations"].get(operation, {})
        self.sizes = sorted(map(int, self.found))
        self.title, self.top = title, top
        self.lines, self.ends = {}, {}
        for label in COLOURS:
            points = [(size, self.found[str(size)].get(label)) for size in self.sizes]
            self.lines[label] = [(size, found["median"]) for size, found in points if found and "median" in found]
            stops = [(size, found["stopped"]) for size, found in points if found and "stopped" in found]
            self.ends[label] = stops[0] if stops else None
        times = [seconds for line in self.lines.values() for _, seconds in line]
        times += [end[1] for end in self.ends.values() if end]
        self.low = math.floor(math.log10(min(times, default=1e-3)))
        self.high = max(math.ceil(math.log10(max(times, default=1))), self.low + 1)

    def why(self, label):
        if not self.ends[label]:
            return ""
        return ", gave up" if self.found[str(self.ends[label][0])][label].get("by itself") else ", stopped"

    def x(self, size):
        low, high = math.log10(self.sizes[0]), math.log10(self.sizes[-1])
        return LEFT + (math.log10(size) - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, seconds):
        share = (math.log10(seconds) - self.low) / (self.high - self.low)
        return self.top + HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def draw(self):
        parts = [f'<text class="title" x="{LEFT}" y="{self.top + 22}">Time {self.title}</text>']
        for power in range(self.low, self.high + 1):
            y = self.y(10**power)
            parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{unit(10**power)}</text>')
        bottom = self.top + HEIGHT - BOTTOM
        for size in self.sizes:
            x = self.x(size)
            parts.append(f'<line class="grid" x1="{x:.1f}" y1="{self.top + TOP}" x2="{x:.1f}" y2="{bottom}"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{size:,}</text>')
        parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{bottom + 34}" text-anchor="middle">items</text>')
        labels = []
        # Ours last, to lie on top.
        for label, (colour, dashes) in reversed(COLOURS.items()):
            line = [(self.x(size), self.y(seconds)) for size, seconds in self.lines[label]]
            end = self.ends[label] and (self.x(self.ends[label][0]), self.y(self.ends[label][1]))
            if not line and not end:
                continue
            if line:
                kind = "line ours" if label == "taskvault" else "line"
                dash = f' stroke-dasharray="{dashes}"' if dashes else ""
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
                parts.append(f'<polyline class="{kind}" stroke="{colour}"{dash} points="{path}"/>')
                parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in line]
            if end:
                x, y = end
                if line:
                    parts.append(f'<line stroke="{colour}" stroke-dasharray="1 4" stroke-width="2" x1="{line[-1][0]:.1f}" y1="{line[-1][1]:.1f}" x2="{x:.1f}" y2="{y:.1f}"/>')
                parts.append(f'<path d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10" stroke="{colour}" stroke-width="2.5"/>')
            labels.append((label + self.why(label), colour, end or line[-1]))
        places = apart([place[1] for _, _, place in labels], 15)
        for index, (text, colour, (x, y)) in enumerate(labels):
            start = WIDTH - RIGHT + 14
            parts.append(f'<line stroke="{colour}" stroke-opacity=".5" x1="{x + 6:.1f}" y1="{y:.1f}" x2="{start - 2}" y2="{places[index]:.1f}"/>')
            parts.append(f'<text x="{start}" y="{places[index] + 4:.1f}" style="fill:{colour}">{text}</text>')
        return "\n".join(parts)


def svg(results):
    panels = [(operation, title) for operation, title in PANELS if results["operations"].get(operation)]
    height = HEIGHT * len(panels)
    body = "\n".join(Panel(results, operation, title, HEIGHT * index).draw() for index, (operation, title) in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">\n'
        f"<title>Growth: time against the number of items</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )

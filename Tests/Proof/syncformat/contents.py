"""What a person sees of the merged records: entries of the vault and tasks of the list, in words of `--json`."""

from vaultformat.encoding import Cursor
from vaultformat.files import SERVICE

from . import merging
from .merging import ITEM, TASK

PRIORITIES = ["none", "low", "medium", "high"]
UNTIL_DAY_ENDS = 172_800_000


def text(data):
    return (data or b"").decode()


def item_name(content):
    cursor = Cursor(content)
    name = tuple(cursor.sized().decode() for _ in range(3))
    cursor.end()
    return name


def secrets(objects):
    """(label, class, value, tags of the entry and attributes, mark) by service, account and field."""
    return {name: item for name, item in items(objects).items() if name[0] != SERVICE}


def files(objects, folder):
    """(class, content) by name; `folder` has the parts."""
    return {item["label"]: {"class": item["class"], "content": folder.content_of_file(item["value"])}
            for name, item in items(objects).items() if name[0] == SERVICE}


def items(objects):
    found = {}
    for each in objects:
        if each.kind == ITEM and not each.is_removed and (name := each.current(merging.ITEM_NAME)):
            attributes = {text(key): value[1:].decode() for key in each.details(merging.ATTRIBUTE)
                          if (value := each.current(merging.ATTRIBUTE, key))[:1] == b"\1"}
            found[item_name(name)] = {
                "label": text(each.current(merging.LABEL)), "class": "after-verification" if each.is_protected else "while-unlocked",
                "value": each.current(merging.VALUE), "attributes": attributes, "concurrent": each.is_concurrent or each.has_returned}
    return found


def due(date):
    """Half milliseconds, as of Storage.md; None if it has none."""
    cursor = Cursor(date)
    return cursor.i64() if date and cursor.u8() else None


def tasks(objects):
    found = {}
    for each in objects:
        if each.kind != TASK or each.is_removed or each.current(44) == b"\1":
            continue
        best = each.due
        # A series that was done goes on with its next occurrence, unless there is none.
        found[text(each.current(merging.CHARACTERS))] = {
            "name": text(each.current(merging.NAME)), "notes": text(each.current(merging.NOTES)), "protected": each.is_protected,
            "done": each.current(merging.DONE) == b"\1", "list": text(each.current(merging.LIST)) or None, "tags": each.tags,
            "priority": PRIORITIES[(each.current(merging.PRIORITY) or b"\0")[0]], "due": due(best[2]) if best else None,
            "subtasks": [(text(each.current(merging.SUBTASK_NAME, id)), each.current(merging.SUBTASK_DONE, id) == b"\1") for id in each.subtasks],
            "concurrent": each.is_concurrent or each.has_returned}
    return found

#!/usr/bin/python3
"""Writes the vectors of the text of protected tasks, from Docs/Format.md, section 11, and of the records of lists, from Docs/Storage.md, alone.

    tasks.py            rewrites all files in the folder Tasks beside this one, and in Heads in it
    tasks.py --check    exits with 1 if the files on disk differ from what would be written
"""

import hashlib
import pathlib
import struct
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Tasks"
VECTORS = {}


def u32(value): return struct.pack("<I", value)


def encoded(value):
    return value.encode() if isinstance(value, str) else value


def text(value):
    return u32(len(encoded(value))) + encoded(value)


def shown(value):
    """Bytes as the vector files show them."""
    return encoded(value).hex() or "-"


def subtask(id_="000001", name="a subtask"):
    return text(id_) + text(name)


def task_text(name="a task", notes="", subtasks=(), version=2, count=None, further=""):
    return (u32(version) + text(name) + text(notes) + u32(len(subtasks) if count is None else count)
            + b"".join(subtask(*one) for one in subtasks) + text(further))


def add(file, comment, value, lines):
    assert file not in VECTORS, file
    VECTORS[file] = "\n".join(["comment: " + comment, *lines, "value: " + shown(value)]) + "\n"


def valid(file, comment, name="a task", notes="", subtasks=(), further=""):
    lines = ["expect: valid", "name: " + shown(name), "notes: " + shown(notes), "further: " + shown(further)]
    lines += [f"subtask: {id_} {shown(subtask_name)}" for id_, subtask_name in subtasks]
    add(file, comment, task_text(name, notes, subtasks, further=further), lines)


def refused(file, comment, value):
    add(file, comment, value, ["expect: refused"])


# --- What is right -------------------------------------------------------------------------------------------------

SUBTASKS = (("00000z", "find the shop"), ("000001", "go in"))

valid("name_only", "A name, no notes, no subtasks.")
valid("everything", "A name, notes of two lines, two subtasks in another order than that of their ids.",
      "ask Dr. Ada for the results", "room 7\nbring the letter", SUBTASKS)
valid("letters_of_many_kinds", "Emoji of several scalars, text from right to left, a composed and a decomposed letter.",
      "\U0001F469\u200d\U0001F52C \U0001F1EE\U0001F1F8 שלום \u00e9 e\u0301", "\ufeff\u200f")
valid("control_characters", "All control characters but U+0000: they are stored as they are.",
      "\x1b[2Jgone\x07", "".join(chr(number) for number in (*range(1, 32), *range(127, 160))))
valid("name_is_a_line_end_and_a_letter", "A name that begins with white space.", "\n x")
valid("name_4096_bytes", "The longest name, of letters of two bytes.", "é" * 2048)
valid("subtask_name_4096_bytes", "The longest name of a subtask.", subtasks=(("zzzzzz", "s" * 4096),))
valid("further_attributes", "What another program knew.", further='{"uuid":"b9f2"}')
valid("further_no_json", "A reader keeps any text, also what is no JSON.", further='{"uuid":\x1b "\u00e9')
valid("further_262144_bytes", "The most of it.", further="f" * 262144)
valid("subtasks_500", "The most subtasks.", subtasks=[(f"000{n:03d}", str(n)) for n in range(500)])
valid("name_of_non_characters", "U+FFFF and U+10FFFF are characters like others.", "\uffff\U0010ffff")

# --- What is not ---------------------------------------------------------------------------------------------------

WHOLE = task_text("ask Dr. Ada", "room 7", SUBTASKS)

refused("empty", "No bytes.", b"")
for size in range(1, len(WHOLE)):
    # Each place between two fields, and some inside of them.
    if size in (3, 4, 8, 20, 24, 30, 33, 34, 38, 44, 48, 61, len(WHOLE) - 4, len(WHOLE) - 1):
        refused(f"cut_after_{size}", f"The first {size} bytes of a text.", WHOLE[:size])
refused("trailing_byte", "A byte after the end.", WHOLE + b"\0")
refused("trailing_subtask", "A subtask more than is said.", task_text(subtasks=SUBTASKS, count=1))
refused("count_one_more", "A subtask less than is said.", task_text(subtasks=SUBTASKS, count=3))
refused("count_most", "2^32 - 1 subtasks, of which there are two.", task_text(subtasks=SUBTASKS, count=2**32 - 1))
for version in (0, 1, 3, 2**24, 2**32 - 1):
    refused(f"version_{version}", f"The version {version}.", task_text(version=version))
refused("version_big_endian", "The version as a big-endian number.", b"\0\0\0\2" + task_text()[4:])
refused("name_length_most", "A length of 2^32 - 1.", u32(2) + u32(2**32 - 1) + task_text()[8:])
refused("name_length_sign", "A length of 2^31.", u32(2) + u32(2**31) + task_text()[8:])
for file, id_ in (("empty", ""), ("5_characters", "00000"), ("7_characters", "0000000"), ("upper_case", "K7M2QX"),
                  ("letter_o", "00000o"), ("letter_i", "00000i"), ("letter_l", "00000l"), ("letter_u", "00000u"),
                  ("blank", "00000 "), ("full_width", "０００００１"), ("not_utf8", b"00000\xff")):
    refused("subtask_id_" + file, "An id that no subtask can have.", task_text(subtasks=((id_, "s"),)))
refused("subtask_id_twice", "Two subtasks of one id.", task_text(subtasks=(("000001", "s"), ("000001", "t"))))
refused("subtasks_501", "A subtask more than there may be.", task_text(subtasks=[(f"000{n:03d}", "s") for n in range(501)]))
for file, value in (("empty", ""), ("blanks", " \t\n"), ("no_break_spaces", "\u00a0\u2003\u3000\u0085"), ("nul", "a\0b"),
                    ("4097_bytes", "n" * 4097), ("not_utf8", b"\xc3("), ("overlong", b"a\xc0\xaf"),
                    ("surrogate", b"a\xed\xa0\x80"), ("too_high", b"a\xf4\x90\x80\x80")):
    refused("name_" + file, "A name that no task can have.", task_text(name=value))
    refused("subtask_name_" + file, "A name that no subtask can have.", task_text(subtasks=(("000001", value),)))
for file, value in (("nul", "\0"), ("not_utf8", b"\x80"), ("cut_letter", "é".encode()[:1])):
    refused("notes_" + file, "Notes that no task can have.", task_text(notes=value))
for file, value in (("nul", "\0"), ("not_utf8", b"\x80"), ("262145_bytes", "f" * 262145)):
    refused("further_" + file, "Attributes that no task can have.", task_text(further=value))


# --- The record of a list's head -----------------------------------------------------------------------------------

def record(number=5, mark=77, magic=b"TVTR", format_=1, wrong_sum=False):
    content = magic + u32(format_) + struct.pack("<qq", number, mark)
    return content + (bytes(16) if wrong_sum else hashlib.blake2b(content, digest_size=16).digest())


def head(file, comment, value, number=None, mark=None):
    lines = ["expect: refused"] if number is None else ["expect: valid", f"number: {number}", f"mark: {mark}"]
    add("Heads/" + file, comment, value, lines)


head("ordinary", "A change.", record(), 5, 77)
head("no_change", "A list without changes.", record(0, 0), 0, 0)
head("most", "The highest number and mark.", record(2**63 - 1, 2**63 - 1), 2**63 - 1, 2**63 - 1)
head("negative_number", "A number below 0.", record(-1))
head("magic_of_rollback_record", "The magic of a vault's record.", record(magic=b"TVMK"))
head("format_0", "The format 0.", record(format_=0))
head("format_2", "The format 2.", record(format_=2))
head("checksum", "A checksum of zeros.", record(wrong_sum=True))
head("cut", "A byte less.", record()[:-1])
head("longer", "A byte more.", record() + b"\0")
head("zeros", "40 zeros.", bytes(40))
for bit in (0, 70, 100, 190, 319):
    changed = bytearray(record())
    changed[bit // 8] ^= 1 << bit % 8
    head(f"bit_{bit}", f"The bit {bit} is the other one.", bytes(changed))


if __name__ == "__main__":
    sys.exit(vector_files.main(FOLDER, VECTORS, __doc__, ("Heads",)))

"""Words that are nowhere by chance, and where they turn up: in bytes, files, arguments and environments."""

import base64
import os
import re
import threading

from support.product import random_text


def encodings(word):
    """The word as it is, in UTF-16, in hexadecimal digits and in Base64, whatever stands before it."""
    plain = word.encode()
    forms = {"plain": [plain], "UTF-16": [word.encode("utf-16-le"), word.encode("utf-16-be")],
             "hex": [plain.hex().encode(), plain.hex().upper().encode()], "Base64": []}
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + plain)[: (len(plain) + shift) // 3 * 4]
        forms["Base64"].append(whole[(0, 2, 3)[shift]:])
    forms["Base64"] += [form.translate(bytes.maketrans(b"+/", b"-_")) for form in forms["Base64"]]
    return forms


class Canaries:
    """Each has a name, and is looked for in every encoding."""

    def __init__(self):
        self.words = {}
        # What is looked for, and the pattern of all of it: exchanged as one, because a watch looks in threads of its own.
        self.search = {}, None

    def new(self, name):
        """A random word."""
        return self.add(name, "K" + random_text(19))

    def add(self, name, word):
        self.words[word] = name
        known = self.forms()
        self.search = known, re.compile(b"|".join(re.escape(form) for form in known))
        return word

    def forms(self):
        return {form: (name, encoding) for word, name in self.words.items()
                for encoding, forms in encodings(word).items() for form in forms}

    def find(self, content):
        """Which canaries are in some bytes, and how they are written there."""
        known, pattern = self.search
        return {known[found] for found in pattern.findall(content)} if pattern else set()

    def below(self, folder):
        """The findings in all files below a folder and their names."""
        found = {}
        for path, folders, files in os.walk(folder):
            for name in folders + files:
                here = self.find(name.encode(errors="surrogateescape"))
                if name in files and os.path.isfile(os.path.join(path, name)):
                    try:
                        with open(os.path.join(path, name), "rb") as file:
                            here |= self.find(file.read())
                    except OSError:
                        continue
                if here:
                    found[os.path.join(path, name)] = here
        return found


class Watch:
    """Looks at the arguments and the environments of all processes, and at some folders, again and again."""

    def __init__(self, canaries, folders):
        self.canaries, self.folders = canaries, folders
        self.found, self.looks, self.young = {}, 0, {}
        self.stopped, self.error = threading.Event(), None
        self.threads = [threading.Thread(target=self.repeat, args=work, daemon=True)
                        for work in ((self.look_at_processes, 0), (self.look_at_files, 0.5))]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        if self.error:
            raise self.error

    def repeat(self, look, pause):
        try:
            while not self.stopped.is_set():
                look()
                self.stopped.wait(pause)
        except Exception as error:
            self.error = error

    def look_at_processes(self):
        present = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
        # One that has begun may become another program; after a while only now and then.
        for process in present:
            age = self.young.get(process, 0)
            if age < 10 or (age + int(process)) % 50 == 0:
                for name in ("cmdline", "environ"):
                    try:
                        with open(f"/proc/{process}/{name}", "rb") as file:
                            self.note(f"{name} of {process}", self.canaries.find(file.read()))
                    except OSError:
                        continue
            self.young[process] = age + 1
        self.looks += 1

    def look_at_files(self):
        for folder in self.folders:
            for path, found in self.canaries.below(folder).items():
                self.note(path, found)

    def note(self, place, found):
        if found:
            self.found.setdefault(place, set()).update(found)

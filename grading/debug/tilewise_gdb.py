"""Teaches gdb what `lab debug` needs: it stops in the wanted thread of the wanted block, on the
first line of the kernel, and it knows the commands tw-where, tw-tile, tw-break and tw-launch
(docs/debugging.md).

The threads of a block take turns on one thread of the operating system, each with its own stack.
gdb tells frames apart by their stacks, so `next`, `until` and `finish` stay in the CUDA thread in
which they were given.
"""

import gdb
import math
import os

STOP = "tilewise_kernel_starts"


def index_of(name):
    """Returns a variable such as threadIdx as (x, y, z)."""
    value = gdb.parse_and_eval(name)
    return tuple(int(value[part]) for part in "xyz")


def in_kernel_file(frame):
    place = frame.find_sal()
    return place.symtab is not None and place.symtab.filename.endswith(".cu")


def is_kernel(frame):
    """Tells whether a frame is in a function of the student's, not in the launch that calls it."""
    function = frame.function()
    return in_kernel_file(frame) and function is not None and "operator()" not in function.name


class Quietly:
    """Hides the places where gdb stops in between."""

    def __enter__(self):
        gdb.execute("set suppress-cli-notifications on")

    def __exit__(self, *unused):
        gdb.execute("set suppress-cli-notifications off")


def step_into_kernel():
    """Goes from the place where the run-time calls the kernel to the first line of its body."""
    with Quietly():
        gdb.execute("skip disable", to_string=True)
        gdb.execute("finish", to_string=True)
        for _ in range(200):
            gdb.execute("step", to_string=True)
            if is_kernel(gdb.newest_frame()):
                break
        gdb.execute("skip enable", to_string=True)
    return is_kernel(gdb.newest_frame())


def where():
    block, thread = index_of("blockIdx"), index_of("threadIdx")
    frame = gdb.newest_frame()
    while frame is not None and not in_kernel_file(frame):
        frame = frame.older()
    line = "" if frame is None else "%s:%d, " % (
        os.path.basename(frame.find_sal().symtab.filename), frame.find_sal().line)
    return "%sblock (%d, %d, %d), thread (%d, %d, %d)" % ((line,) + block + thread)


def stopped_at_start():
    """Tells whether the inferior stands where a wanted thread starts."""
    if not gdb.selected_inferior().threads():
        return False
    try:
        return gdb.newest_frame().name() == STOP
    except gdb.error:
        return False


def run_to_kernel(command):
    breakpoint = gdb.Breakpoint(STOP, internal=True)
    breakpoint.silent = True
    try:
        gdb.execute(command, to_string=False)
    except gdb.error as error:
        raise gdb.GdbError(str(error))
    finally:
        breakpoint.delete()
    return stopped_at_start() and step_into_kernel()


class Where(gdb.Command):
    """tw-where: the source line, block and thread that gdb has stopped in."""

    def __init__(self):
        super().__init__("tw-where", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(where())


class Break(gdb.Command):
    """tw-break LOCATION: a breakpoint for this thread of this block alone."""

    def __init__(self):
        super().__init__("tw-break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("tw-break takes a line or a function: tw-break 42")
        here = ["%s.%s == %d" % (name, part, value)
                for name in ("threadIdx", "blockIdx")
                for part, value in zip("xyz", index_of(name))]
        gdb.execute("break %s if %s" % (argument, " && ".join(here)))


class Launch(gdb.Command):
    """tw-launch: on to the same thread of the same block in the next launch, if there is one."""

    def __init__(self):
        super().__init__("tw-launch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if run_to_kernel("continue"):
            show_stop()


class Tile(gdb.Command):
    """tw-tile ARRAY [ROWS COLS [STRIDE]]: an array as a matrix; of a pointer, its first ROWS rows
    and COLS columns, rows STRIDE elements apart (default: COLS). Elements that nothing has written
    are shown as dots."""

    def __init__(self):
        super().__init__("tw-tile", gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (1, 3, 4):
            raise gdb.GdbError("tw-tile takes ARRAY, or POINTER ROWS COLS [STRIDE]: tw-tile As")
        try:
            array = gdb.parse_and_eval(words[0])
        except gdb.error as error:
            raise gdb.GdbError(str(error))
        if array.type.code == gdb.TYPE_CODE_REF:
            array = array.referenced_value()
        sizes = [int(gdb.parse_and_eval(word)) for word in words[1:]]
        try:
            for row in self.rows(array, sizes):
                print(" ".join("%9s" % self.text(element) for element in row))
        except gdb.MemoryError:
            raise gdb.GdbError("%s is not there yet: go past its declaration first" % words[0])

    def rows(self, array, sizes):
        if array.type.code == gdb.TYPE_CODE_ARRAY:
            first, last = array.type.range()
            if array.type.target().strip_typedefs().code != gdb.TYPE_CODE_ARRAY:
                yield [array[i] for i in range(first, last + 1)]
                return
            for i in range(first, last + 1):
                low, high = array[i].type.range()
                yield [array[i][j] for j in range(low, high + 1)]
        elif array.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and sizes:
            rows, cols = sizes[:2]
            stride = sizes[2] if len(sizes) > 2 else cols
            for i in range(rows):
                yield [(array + i * stride + j).dereference() for j in range(cols)]
        else:
            raise gdb.GdbError("that is no array; of a pointer say how much: tw-tile A 4 4 n")

    @staticmethod
    def text(element):
        if element.type.strip_typedefs().code != gdb.TYPE_CODE_FLT:
            return str(element)
        number = float(element)
        return "." if math.isnan(number) else "%.5g" % number


def show_stop():
    gdb.execute("frame")
    print(where())


def prepare():
    for setting in (
        "confirm off",
        "pagination off",
        "breakpoint pending on",
        "disable-randomization off",  # containers forbid what it needs
        "startup-with-shell off",
        "debuginfod enabled off",  # it would ask; older versions do not know it
        "print thread-events off",
    ):
        try:
            gdb.execute("set " + setting, to_string=True)
        except gdb.error:
            pass
    for skip in ("-gfi */tilewise/*.hpp", "-gfi /usr/include/*", "-rfu ^std::"):
        gdb.execute("skip " + skip, to_string=True)


def start():
    Where(), Break(), Launch(), Tile()
    prepare()
    if run_to_kernel("run"):
        show_stop()
    elif gdb.selected_inferior().threads():
        print("The program stopped here by itself:")
        show_stop()
    else:
        print("No launch of the call has that block and thread. Name others: --block, --thread.")


start()

"""What the compiler's index says, which it writes with a debug build."""
import ctypes
import pathlib
import shutil

DEFINITION, REFERENCE = 2, 4  # of indexstore_symbol_role_t
RECORD = 2  # of indexstore_unit_dependency_kind_t
POINTER, NAME = ctypes.c_void_p, ctypes.c_char_p
EACH = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER)


class Text(ctypes.Structure):
    _fields_ = [("data", POINTER), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.data else ""


EACH_TEXT = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, Text)


class Index:
    """The index of what was built to a folder. `named` gives a file its name by its path, and leaves it out if it gives none."""

    def __init__(self, products, named):
        toolchain = pathlib.Path(shutil.which("swiftc")).resolve().parent.parent
        self.library = ctypes.CDLL(str(next(toolchain.glob("lib/libIndexStore.*"))))
        self.store = self.function("store_create", POINTER, NAME, POINTER)(str(products / "index" / "store").encode(), None)
        if not self.store:
            raise SystemExit(f"there is no index in {products}")
        open_unit = self.function("unit_reader_create", POINTER, POINTER, NAME, POINTER)
        main_file = self.function("unit_reader_get_main_file", Text, POINTER)
        dependencies = self.function("unit_reader_dependencies_apply_f", ctypes.c_bool, POINTER, POINTER, EACH)
        kind = self.function("unit_dependency_get_kind", ctypes.c_int, POINTER)
        record_name = self.function("unit_dependency_get_name", Text, POINTER)
        record_file = self.function("unit_dependency_get_filepath", Text, POINTER)
        units, self.records = [], {}
        self.function("store_units_apply_f", ctypes.c_bool, POINTER, ctypes.c_uint, POINTER, EACH_TEXT)(
            self.store, 0, None, EACH_TEXT(lambda _, unit: units.append(str(unit)) or True))
        for unit in units:
            reader = open_unit(self.store, unit.encode(), None)
            path = str(main_file(reader))
            file = named(path)
            if file:
                dependencies(reader, None, EACH(lambda _, one: (
                    kind(one) == RECORD and str(record_file(one)) == path and
                    self.records.update({str(record_name(one)): file})) or True))
        self.identifier = self.function("symbol_get_usr", Text, POINTER)

    def function(self, name, result, *arguments):
        function = getattr(self.library, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
        return function

    def readers(self):
        """Each file with the reader of its record."""
        open_record = self.function("record_reader_create", POINTER, POINTER, NAME, POINTER)
        for record, file in self.records.items():
            reader = open_record(self.store, record.encode(), None)
            if reader:
                yield file, reader

    def identifiers(self):
        """The symbols of all files, by their identifiers: those that occur, and those to which these are related."""
        apply = self.function("record_reader_symbols_apply_f", ctypes.c_bool, POINTER, ctypes.c_bool, POINTER, EACH)
        found = set()
        for _, reader in self.readers():
            apply(reader, False, None, EACH(lambda _, symbol: found.add(str(self.identifier(symbol))) or True))
        return found

    def occurrences(self):
        """The file, the symbol's identifier and name, and the roles of each occurrence."""
        apply = self.function("record_reader_occurrences_apply_f", ctypes.c_bool, POINTER, POINTER, EACH)
        symbol = self.function("occurrence_get_symbol", POINTER, POINTER)
        roles = self.function("occurrence_get_roles", ctypes.c_uint64, POINTER)
        name = self.function("symbol_get_name", Text, POINTER)
        found = []
        for file, reader in self.readers():
            apply(reader, None, EACH(lambda _, one: found.append(
                (file, str(self.identifier(symbol(one))), str(name(symbol(one))), roles(one))) or True))
        return found

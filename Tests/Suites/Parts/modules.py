"""The modules of the products: which there are, what a compiler needs to import them, and what they declare."""
import json
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
MODULES = [path.name for path in sorted((ROOT / "Sources").iterdir()) if path.name.startswith(("UV", "StallWatch"))]


def import_flags(products, maps=()):
    """What the compiler needs to import the modules that were built to a folder, as `swift build` names it without links."""
    maps = [*ROOT.glob("CModules/**/module.modulemap"), *products.glob("*.build/module.modulemap"),
            *(products.parent.parent / "checkouts").glob("*/Sources/*/include/module.modulemap"), *maps]
    return ["-I", str(products / "Modules"), *(flag for path in maps for flag in ("-Xcc", f"-fmodule-map-file={path}"))]


def symbol_graphs(module, products, folder):
    """The compiler's graphs of a module, its extensions of other modules' types included."""
    command = ["swift-symbolgraph-extract", "-module-name", module, *import_flags(products),
               "-target", f"{platform.machine()}-unknown-linux-gnu", "-minimum-access-level", "public",
               "-skip-synthesized-members", "-output-dir", folder]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit("\n".join([f"the declarations of {module} could not be read; build the package first: "
                            "swift build --traits Everything", *found.stderr.splitlines()[:5]]))
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob(f"{module}*.symbols.json"))]

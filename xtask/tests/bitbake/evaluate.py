"""Evaluate recipes with BitBake's own parser.

usage: evaluate.py STUBS LAYER < request.json > answer.json

The request is a list of {"recipe": PATH, "features": TEXT, "collections": [NAME], "variables": {NAME: VALUE}}. Each is parsed
with the appends of LAYER that match it, as BitBake does (BBFILES_DYNAMIC only for the collections named), on the small
configuration in STUBS. The answer has, for each, every variable's expanded value, the flags of SRC_URI, or the error.
"""
import glob
import json
import os
import sys
import types

# The PyPI package has no hash server; the parser imports it and uses nothing of it.
for name in ("hashserv", "hashserv.client"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["hashserv"].client = sys.modules["hashserv.client"]

import bb.data
import bb.data_smart
import bb.parse
import bb.utils

stubs, layer = map(os.path.abspath, sys.argv[1:3])


def configuration(variables):
    d = bb.data_smart.DataSmart()
    d.setVar("BBPATH", stubs)
    bb.parse.init_parser(d)
    d.setVar("LAYERDIR", layer)
    d = bb.parse.handle(os.path.join(layer, "conf/layer.conf"), d, True)
    d.expandVarref("LAYERDIR")
    d.delVar("LAYERDIR")
    d = bb.parse.handle(os.path.join(stubs, "conf/bitbake.conf"), d, True)
    d.setVar("__bbclasstype", "global")
    bb.parse.BBHandler.inherit("base", "configuration", 0, d)
    d.setVar("__bbclasstype", "recipe")
    for name, value in variables.items():
        d.setVar(name, value)
    return d


def appends(d, recipe, collections):
    patterns = (d.getVar("BBFILES") or "").split()
    for entry in (d.getVar("BBFILES_DYNAMIC") or "").split():
        collection, pattern = entry.split(":", 1)
        if collection in collections:
            patterns.append(pattern)
    name = os.path.basename(recipe)[: -len(".bb")]
    found = []
    for path in sorted(path for pattern in patterns for path in glob.glob(pattern) if path.endswith(".bbappend")):
        stem = os.path.basename(path)[: -len(".bbappend")]
        if stem == name or ("%" in stem and name.startswith(stem[: stem.index("%")])):
            found.append(path)
    return found


def evaluate(request):
    d = configuration(request.get("variables", {}))
    d.setVar("DISTRO_FEATURES", request.get("features", ""))
    recipe = os.path.abspath(request["recipe"])
    found = appends(d, recipe, request.get("collections", []))
    d.setVar("__BBAPPEND", " ".join(found))
    try:
        variants = bb.parse.handle(recipe, d)
        d = variants[""]
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "appends": found}
    skipped = d.getVar("__SKIPPED", False)
    if skipped:
        return {"error": f"SkipRecipe: {skipped}", "appends": found}
    values = {}
    for name in d.keys():
        if not name.startswith("__") and not d.getVarFlag(name, "python", False):
            try:
                values[name] = d.getVar(name)
            except Exception as error:  # a function body that only a build can expand
                values[name] = f"<{error}>"
    return {
        "appends": found,
        "values": {name: value for name, value in values.items() if isinstance(value, str)},
        "checksums": {k[: -len(".sha256sum")]: v for k, v in (d.getVarFlags("SRC_URI") or {}).items() if k.endswith(".sha256sum")},
        "postfuncs": d.getVarFlag("do_patch", "postfuncs") or "",
    }


json.dump([evaluate(request) for request in json.load(sys.stdin)], sys.stdout)

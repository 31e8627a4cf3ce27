"""Runs a Pulumi program with the SDK of its environment, or lists the plugins that it needs.

Started by python-host.ts with one argument, JSON: {"do": "run", ...} or {"do": "packages"}.
"""

import asyncio
import json
import logging
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

# Ends a program whose error was told already.
TOLD = 32


def say_missing():
    """The SDK is no part of this project: the program's own environment brings it."""
    print(traceback.format_exc(), file=sys.stderr)
    print("The package `pulumi` is not installed for " + sys.executable, file=sys.stderr)
    print("What to do: install the program's requirements there.", file=sys.stderr)
    return 1


def trace_of(program):
    """The trace from the program's own first line on: what called it is not its author's affair."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    folder = os.path.abspath(program)
    for at, frame in enumerate(frames):
        if frame.filename.startswith("<"):
            continue
        place = os.path.abspath(frame.filename)
        if place == folder or os.path.dirname(place) == folder:
            return traceback.format_exc(limit=at - len(frames))
    return traceback.format_exc()


def settings_of(pulumi, asked):
    """Older SDKs know fewer settings."""
    given = {
        "monitor": asked["monitor"],
        "engine": asked["engine"],
        "project": asked["project"],
        "stack": asked["stack"],
        "parallel": asked["parallel"],
        "dry_run": asked["dryRun"],
        "organization": asked["organization"],
        "root_directory": asked["root"],
    }
    known = pulumi.runtime.Settings.__init__.__code__.co_varnames
    return pulumi.runtime.Settings(**{key: given[key] for key in given if key in known})


def run(asked):
    """Runs the program; answers the exit code."""
    try:
        import pulumi
        import pulumi.runtime
    except ImportError:
        return say_missing()
    program = asked["entryPoint"]
    secret = json.loads(os.environ["PULUMI_CONFIG_SECRET_KEYS"])
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), secret)
    pulumi.runtime.configure(settings_of(pulumi, asked))
    sys.argv = [program]
    # Modules of the program are found as when it is run by itself; ours is none of them.
    sys.path[0] = asked["directory"]
    os.chdir(asked["directory"])
    if os.path.isdir(program) and not os.path.exists(os.path.join(program, "__main__.py")):
        folder = os.path.abspath(program)
        pulumi.log.error("there is no program `__main__.py` in " + folder)
        return TOLD
    # Half-finished futures of a program that failed are no news.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # Every waiting call holds a thread.
    workers = ThreadPoolExecutor(max_workers=max(asked["parallel"], 1) * 4)
    loop.set_default_executor(workers)
    try:
        go = lambda: (runpy.run_path(program, run_name="__main__"), None)[1]
        loop.run_until_complete(pulumi.runtime.run_in_stack(go))
        return 0
    except pulumi.RunError as failure:
        pulumi.log.error(str(failure))
        return 1
    except Exception:
        pulumi.log.error("Program failed with an unhandled exception:\n" + trace_of(program))
        return TOLD
    finally:
        workers.shutdown(wait=True)
        loop.close()


def packages():
    """Prints what each installed package says of its plugin, as a JSON list."""
    from importlib import metadata

    found = []
    for dist in metadata.distributions():
        name = dist.metadata["Name"] or ""
        plugin = None
        for file in dist.files or []:
            if file.name == "pulumi-plugin.json":
                with open(file.locate(), encoding="utf-8") as text:
                    plugin = json.load(text)
        if plugin is not None or name.lower().replace("_", "-").startswith("pulumi-"):
            found.append({"name": name, "version": dist.version, "plugin": plugin})
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    what = json.loads(sys.argv[1])
    code = packages() if what["do"] == "packages" else run(what)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)

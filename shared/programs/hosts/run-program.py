"""Runs a Pulumi program with the SDK of its Python environment, or lists the plugins that it needs.

python-host.ts starts this file with one argument in JSON: {"do": "run", ...} or {"do": "packages"}.
"""

import asyncio
import json
import logging
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

# The exit code of a program that already reported its error.
BAIL_EXIT_CODE = 32


def report_missing_sdk():
    """Reports that the Python environment lacks the SDK. Returns the exit code."""
    print(traceback.format_exc(), file=sys.stderr)
    print("The package `pulumi` is not installed for " + sys.executable, file=sys.stderr)
    print("What to do: install the program's requirements there.", file=sys.stderr)
    return 1


def format_program_trace(program):
    """Formats the stack trace from the first frame of the program on, without its callers."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    program_path = os.path.abspath(program)
    for index, frame in enumerate(frames):
        if frame.filename.startswith("<"):
            continue
        file = os.path.abspath(frame.filename)
        if file == program_path or os.path.dirname(file) == program_path:
            return traceback.format_exc(limit=index - len(frames))
    return traceback.format_exc()


def create_settings(pulumi, request):
    """Creates the settings of the SDK. Older SDKs have fewer of them."""
    settings = {
        "monitor": request["monitor"],
        "engine": request["engine"],
        "project": request["project"],
        "stack": request["stack"],
        "parallel": request["parallel"],
        "dry_run": request["dryRun"],
        "organization": request["organization"],
        "root_directory": request["root"],
    }
    parameters = pulumi.runtime.Settings.__init__.__code__.co_varnames
    return pulumi.runtime.Settings(**{key: settings[key] for key in settings if key in parameters})


def run_program(request):
    """Runs the program. Returns the exit code."""
    try:
        import pulumi
        import pulumi.runtime
    except ImportError:
        return report_missing_sdk()
    program = request["entryPoint"]
    secret_keys = json.loads(os.environ["PULUMI_CONFIG_SECRET_KEYS"])
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), secret_keys)
    pulumi.runtime.configure(create_settings(pulumi, request))
    if not request["debug"]:
        # The SDK sends several debug messages for each registration, and waits for each of them.
        # The engine drops them.
        pulumi.debug = pulumi.log.debug = lambda *args, **kwargs: None
    sys.argv = [program]
    # The program's folder replaces the folder of this file, as if Python ran the program directly.
    sys.path[0] = request["directory"]
    os.chdir(request["directory"])
    if os.path.isdir(program) and not os.path.exists(os.path.join(program, "__main__.py")):
        folder = os.path.abspath(program)
        pulumi.log.error("there is no program `__main__.py` in " + folder)
        return BAIL_EXIT_CODE
    # At its default level, asyncio reports each pending future of a failed program.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # Every waiting call occupies a thread.
    executor = ThreadPoolExecutor(max_workers=max(request["parallel"], 1) * 4)
    loop.set_default_executor(executor)
    try:
        run_main = lambda: (runpy.run_path(program, run_name="__main__"), None)[1]
        loop.run_until_complete(pulumi.runtime.run_in_stack(run_main))
        return 0
    except pulumi.RunError as failure:
        pulumi.log.error(str(failure))
        return 1
    except Exception:
        trace = format_program_trace(program)
        pulumi.log.error("Program failed with an unhandled exception:\n" + trace)
        return BAIL_EXIT_CODE
    finally:
        executor.shutdown(wait=True)
        loop.close()


def list_packages():
    """Prints the installed packages with their plugin descriptions as a JSON list."""
    from importlib import metadata

    packages = []
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"] or ""
        plugin = None
        for file in distribution.files or []:
            if file.name == "pulumi-plugin.json":
                with open(file.locate(), encoding="utf-8") as text:
                    plugin = json.load(text)
        if plugin is not None or name.lower().replace("_", "-").startswith("pulumi-"):
            packages.append({"name": name, "version": distribution.version, "plugin": plugin})
    json.dump(packages, sys.stdout)
    return 0


if __name__ == "__main__":
    request = json.loads(sys.argv[1])
    exit_code = list_packages() if request["do"] == "packages" else run_program(request)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(exit_code)

"""Runs a Pulumi program with the SDK of its Python environment, or lists the plugins that it needs.

python-host.ts starts this file with one argument in JSON: {"do": "run", ...} or {"do": "packages"}.
"""

import asyncio
import functools
import gc
import json
import logging
import os
import runpy
import sys
import traceback
import types
from concurrent.futures import ThreadPoolExecutor

# The exit code of a program that already reported its error.
BAIL_EXIT_CODE = 32

# While more outputs than this are pending, a program waits in batches.
UNBATCHED_OUTPUTS_MAX = 100
# A pause lasts one second for this many pending outputs, so a wait takes about a tenth of it.
OUTPUTS_PER_SECOND_OF_PAUSE = 40_000
PAUSE_SECONDS_MAX = 0.5
# New objects before a collection of garbage. Python's default of 700 (2,000 since 3.12) is for
# programs with few objects.
NEW_OBJECTS_MAX = 50_000


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


def copy_module_with(module, **members):
    """Copies a module, with other members. The module itself stays as it is for the program."""
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(module.__dict__)
    copy.__dict__.update(members)
    return copy


async def wait_in_batches(tasks, *, timeout=None, return_when=asyncio.ALL_COMPLETED):
    """Does what `asyncio.wait` does. The first of many tasks is reported after a pause."""
    if return_when == asyncio.FIRST_COMPLETED and timeout is None:
        if len(tasks) > UNBATCHED_OUTPUTS_MAX:
            await asyncio.sleep(min(len(tasks) / OUTPUTS_PER_SECOND_OF_PAUSE, PAUSE_SECONDS_MAX))
            done = {task for task in tasks if task.done()}
            if done:
                return done, {task for task in tasks if task not in done}
    return await asyncio.wait(tasks, timeout=timeout, return_when=return_when)


def extract_stack_without_lines(frame=None, limit=None):
    """Does what `traceback.extract_stack` does, but reads a line of source only when it is used."""
    walk = traceback.walk_stack(sys._getframe().f_back if frame is None else frame)
    stack = traceback.StackSummary.extract(walk, limit=limit, lookup_lines=False)
    stack.reverse()
    return stack


def reduce_sdk_work():
    """Reduces the work of the SDK for programs with many resources. Their results stay the same.

    The SDK waits for all pending outputs again after each one that completes, and computes the URI
    of each frame for each registration. Its many tasks and futures are never garbage in cycles.
    An SDK without one of these functions keeps its own way.
    """
    stack = sys.modules.get("pulumi.runtime.stack")
    if getattr(stack, "asyncio", None) is asyncio:
        stack.asyncio = copy_module_with(asyncio, wait=wait_in_batches)
    resource = sys.modules.get("pulumi.runtime.resource")
    if getattr(resource, "traceback", None) is traceback:
        resource.traceback = copy_module_with(traceback, extract_stack=extract_stack_without_lines)
    read_position = getattr(resource, "_get_source_position_for_frame", None)
    if callable(read_position):

        @functools.lru_cache(maxsize=10_000)
        def read_position_at(filename, lineno):
            return read_position(traceback.FrameSummary(filename, lineno, "", lookup_line=False))

        resource._get_source_position_for_frame = lambda frame: read_position_at(
            frame.filename, frame.lineno
        )
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS_MAX, *gc.get_threshold()[1:])


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
    if os.environ.get("ANTICHAIN_REDUCE_SDK_WORK", "").lower() not in ("0", "false"):
        reduce_sdk_work()
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

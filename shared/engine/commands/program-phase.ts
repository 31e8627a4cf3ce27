import { shouldDebugProgram, type DebuggerEndpoint } from '../../programs/hosts/debugging.ts'
import { emitDebuggerWaiting } from '../events/emit-debugger-waiting.ts'
import { stackType } from '../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { createPackages } from '../monitor/packages.ts'
import type { CommandRun } from './command-run.ts'
import { type ProgramPart, runProgram } from './run-program.ts'
import { messageOf } from '../../errors/error.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { chooseDefaultPackages } from '../generator/providers/default-packages.ts'
import { applyOutputs, createGenerator, type Generator } from '../generator/generator.ts'

/** The program's part of a command, run; `undefined` when the program could not be started. */
export interface ProgramPhase {
  readonly part: ProgramPart
  readonly generator: Generator
}

/** Runs the program against a base, up to the point where it registers nothing more. */
export async function runProgramPhase(
  run: CommandRun,
  ctx: GeneratorContext,
): Promise<ProgramPhase | undefined> {
  const { request, monitor } = run
  const { source, options } = request
  const config = new Map([...request.config].map(([key, { text }]) => [key, text]))
  const configSecretKeys = [...request.config]
    .filter(([, value]) => value.secret)
    .map(([key]) => key)
  const info = {
    project: ctx.project,
    stack: ctx.stack,
    organization: 'organization',
    config,
    configSecretKeys,
    dryRun: request.dryRun,
    parallel: options.parallel,
  }
  const programRun = {
    ...info,
    runtime: source.runtime,
    root: source.root,
    directory: source.directory,
    entryPoint: source.entryPoint,
    runtimeOptions: source.runtimeOptions,
    plugins: source.plugins,
    monitorAddress: monitor.address,
    engineAddress: monitor.address,
    ...(shouldDebugProgram(request.debugged ?? [])
      ? {
          onDebuggerReady: (waiting: DebuggerEndpoint) => emitDebuggerWaiting(run.emitter, waiting),
        }
      : {}),
  }
  try {
    const generator = createGenerator({
      ctx,
      config: request.config,
      required: chooseDefaultPackages(await run.requiredPackages(), ctx.base.snapshot.resources),
      runInfo: { ...info, monitorAddress: monitor.address },
      openAddress: monitor.methods.open,
    })
    const packages = createPackages(run.uuid)
    const { withoutFeatures = [] } = run.request.options
    const monitorOptions = { info, withoutFeatures, root: source.root, hashAssets: run.hashAssets }
    monitor.open({ generator, packages, ...monitorOptions })
    const { aborted, isAborted } = run
    const part = await runProgram({
      host: run.programs,
      run: programRun,
      monitor,
      generator,
      emitter: run.emitter,
      aborted,
      isAborted,
      pause: run.pause,
    })
    return { part, generator }
  } catch (thrown) {
    // What keeps a program from starting has a code of its own, which the caller must see.
    run.abort(thrown)
    run.emitter.report('error', messageOf(thrown))
    return undefined
  }
}

/**
 * Puts the program's outputs into the stack's state, at the very end: exactly those when all went
 * well, over the old ones when not. Source: docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyStackOutputs(
  ctx: GeneratorContext,
  outputs: PropertyMap | undefined,
  isWhole: boolean,
): Promise<void> {
  const stack = [...ctx.sets.current.values()].find(
    ({ state }) => state.type === stackType && state.parent === '',
  )
  if (stack === undefined || outputs === undefined) return
  const before = isWhole ? emptyMap : stack.state.outputs
  await applyOutputs(ctx, stack, new Map([...before, ...outputs]))
}

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
import { createGenerator, type Generator } from '../generator/generator.ts'
import { applyOutputs } from '../generator/steps/apply-outputs.ts'

/** The program and generator of a command. A program that cannot be started has no phase. */
export interface ProgramPhase {
  readonly part: ProgramPart
  readonly generator: Generator
}

/**
 * Runs the program against a base until it registers nothing more. Returns undefined when the
 * program could not be started.
 */
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
    project: ctx.input.project,
    stack: ctx.input.stack,
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
      required: chooseDefaultPackages(
        await run.requiredPackages(),
        ctx.input.base.snapshot.resources,
      ),
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
    // An error that prevents the start of a program has a code of its own, which the caller must
    // see.
    run.abort(thrown)
    run.emitter.report('error', messageOf(thrown))
    return undefined
  }
}

/**
 * Sets the stack's outputs at the very end. They replace the old outputs when everything succeeded,
 * otherwise they are merged into them. Source: docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyStackOutputs(
  ctx: GeneratorContext,
  outputs: PropertyMap | undefined,
  isWhole: boolean,
): Promise<void> {
  const stack = [...ctx.input.sets.current.values()].find(
    ({ state }) => state.type === stackType && state.parent === '',
  )
  if (stack === undefined || outputs === undefined) return
  const before = isWhole ? emptyMap : stack.state.outputs
  await applyOutputs(ctx, stack, new Map([...before, ...outputs]))
}

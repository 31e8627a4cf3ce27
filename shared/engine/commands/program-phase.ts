import { debugsProgram, type Waiting } from '../../programs/debugging.ts'
import { tellWaiting } from '../events/tell-waiting.ts'
import { stackType } from '../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { createPackages } from '../monitor/packages.ts'
import type { Life } from './life.ts'
import { type ProgramPart, runProgram } from './run-program.ts'
import { messageOf } from '../../errors/error.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { defaultPackages } from '../generator/default-packages.ts'
import { applyOutputs, createGenerator, type Generator } from '../generator/generator.ts'

/** The program's part of a command, run; `undefined` when the program could not be started. */
export interface ProgramPhase {
  readonly part: ProgramPart
  readonly generator: Generator
}

/** Runs the program against a base, up to the point where it registers nothing more. */
export async function runProgramPhase(
  life: Life,
  ctx: GeneratorContext,
): Promise<ProgramPhase | undefined> {
  const { request, monitor } = life
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
  const run = {
    ...info,
    runtime: source.runtime,
    root: source.root,
    directory: source.directory,
    entryPoint: source.entryPoint,
    runtimeOptions: source.runtimeOptions,
    plugins: source.plugins,
    monitorAddress: monitor.address,
    engineAddress: monitor.address,
    ...(debugsProgram(request.debugged ?? [])
      ? { debugged: (waiting: Waiting) => tellWaiting(life.emitter, waiting) }
      : {}),
  }
  try {
    const generator = createGenerator({
      ctx,
      config: request.config,
      required: defaultPackages(await life.requiredPackages(), ctx.base.snapshot.resources),
      surroundings: { ...info, monitorAddress: monitor.address },
      lendAddress: monitor.methods.lend,
    })
    const packages = createPackages(life.uuid)
    const { withoutFeatures = [] } = life.request.options
    const about = { info, withoutFeatures, root: source.root, hashAssets: life.hashAssets }
    monitor.open({ generator, packages, ...about })
    const { aborted, isAborted } = life
    const part = await runProgram({
      host: life.programs,
      run,
      monitor,
      generator,
      emitter: life.emitter,
      aborted,
      isAborted,
      pause: life.pause,
    })
    return { part, generator }
  } catch (thrown) {
    // What keeps a program from starting has a code of its own, which the caller must see.
    life.abort(thrown)
    life.emitter.diagnostic('error', messageOf(thrown))
    return undefined
  }
}

/**
 * Puts the program's outputs into the stack's state, at the very end: exactly those when all went
 * well, over the old ones when not. Source: docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyStackOutputs(
  ctx: GeneratorContext,
  given: PropertyMap | undefined,
  isWhole: boolean,
): Promise<void> {
  const stack = [...ctx.sets.current.values()].find(
    ({ state }) => state.type === stackType && state.parent === '',
  )
  if (stack === undefined || given === undefined) return
  const before = isWhole ? emptyMap : stack.state.outputs
  await applyOutputs(ctx, stack, new Map([...before, ...given]))
}

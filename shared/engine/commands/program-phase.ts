import { shouldDebugProgram } from '../../programs/hosts/debug-targets.ts'
import { emitDebuggerWaiting } from '../events/emit-debugger-waiting.ts'
import { stackType } from '../../names/urn.ts'
import type { ProgramInput } from '../../programs/program.ts'
import type { DeploymentContext } from '../../providers/component-construction.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { createPackages } from '../monitor/packages.ts'
import type { CommandRun } from './command-run.ts'
import { type ProgramResult, runProgram } from './run-program.ts'
import { messageOf } from '../../errors/error.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { chooseDefaultPackages } from '../generator/providers/default-packages.ts'
import { createGenerator, type Generator } from '../generator/generator.ts'
import { recordRegisteredOutputs } from '../generator/steps/record-registered-outputs.ts'

/** The result of the program of a command, and the generator that serves the program. */
export interface ProgramPhase {
  readonly programResult: ProgramResult
  readonly generator: Generator
}

/**
 * Runs the program against a base until the program registers nothing more. Returns undefined when
 * the program could not be started. In this case, the run is aborted with the error.
 */
export async function runProgramPhase(
  run: CommandRun,
  ctx: GeneratorContext,
): Promise<ProgramPhase | undefined> {
  const { request, monitor } = run
  const { source, options } = request
  const config = new Map([...request.config].map(([key, { text }]) => [key, text]))
  const configSecretKeys = [...request.config]
    .filter(([, value]) => value.isSecret)
    .map(([key]) => key)
  const deploymentContext = {
    project: ctx.input.project,
    stack: ctx.input.stack,
    // Pulumi's backends without organizations use this name.
    organization: 'organization',
    config,
    configSecretKeys,
    dryRun: request.dryRun,
    parallel: options.parallel,
  }
  const programInput = createProgramInput(run, deploymentContext)
  try {
    const generator = createGenerator({
      ctx,
      config: request.config,
      defaultPackages: chooseDefaultPackages(
        await run.requiredPackages(),
        ctx.input.base.snapshot.resources,
      ),
      deploymentContext: { ...deploymentContext, monitorAddress: monitor.address },
      openAddress: monitor.callAddresses.open,
    })
    const packages = createPackages(run.uuid)
    const { withoutFeatures = [] } = run.request.options
    const monitorOptions = {
      deploymentInfo: deploymentContext,
      withoutFeatures,
      root: source.projectFolder,
      hashAssets: run.hashAssets,
    }
    monitor.provideDeps({ generator, packages, ...monitorOptions })
    const { whenAborted, isAborted } = run
    const programResult = await runProgram({
      host: run.programs,
      programInput,
      monitor,
      generator,
      emitter: run.emitter,
      whenAborted,
      isAborted,
      pause: run.pause,
    })
    return { programResult, generator }
  } catch (thrown) {
    // The caller must see the code of an error that prevents the start of the program.
    run.abort(thrown)
    run.emitter.report('error', messageOf(thrown))
    return undefined
  }
}

function createProgramInput(
  { request, monitor, emitter }: CommandRun,
  deploymentContext: Omit<DeploymentContext, 'monitorAddress'> & Pick<ProgramInput, 'dryRun'>,
): ProgramInput {
  const { runtime, projectFolder, programFolder, entryPoint, runtimeOptions, plugins } =
    request.source
  return {
    ...deploymentContext,
    runtime,
    projectFolder,
    programFolder,
    entryPoint,
    runtimeOptions,
    plugins,
    monitorAddress: monitor.address,
    engineAddress: monitor.address,
    ...(request.debug === true ? { debug: true } : {}),
    ...(shouldDebugProgram(request.debuggedProcesses ?? [])
      ? { onDebuggerReady: endpoint => emitDebuggerWaiting(emitter, endpoint) }
      : {}),
  }
}

/**
 * Sets the stack's outputs at the end of a command. If everything succeeded, the new outputs
 * replace the old ones. Otherwise the new outputs are merged into the old ones. Does nothing if the
 * program registered no stack or no outputs. Source:
 * docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyStackOutputs(
  ctx: GeneratorContext,
  outputs: PropertyMap | undefined,
  hasSucceeded: boolean,
): Promise<void> {
  const stackState = [...ctx.input.sets.currentStates.values()].find(
    ({ state }) => state.type === stackType && state.parent === '',
  )
  if (stackState === undefined || outputs === undefined) return
  const oldOutputs = hasSucceeded ? emptyMap : stackState.state.outputs
  await recordRegisteredOutputs(ctx, stackState, new Map([...oldOutputs, ...outputs]))
}

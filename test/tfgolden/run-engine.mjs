/** Runs of the engine under test, whose command line is Pulumi's. */
import { copyFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createCaseFolder, endingOf, parseLines, printStep, writeGolden } from './case-folder.mjs'
import { addressOfResource, tokenOf } from './pulumi-values.mjs'
import { quoteArgument, runCommand } from './run-command.mjs'
import { formatStateFile, sources } from './tofu-state.mjs'

const stackArguments = ['--stack', 'dev']
const programModule = join(import.meta.dirname, 'provider', 'tfgold.js')

/** Creates a run of a case with the engine. */
export function createEngineRun(settings, name) {
  const folder = createCaseFolder(settings, name)
  copyFileSync(programModule, join(folder.program, 'tfgold.js'))
  symlinkSync(settings.nodeModules, join(folder.program, 'node_modules'))
  writeGolden(join(folder.program, 'package.json'), '{"name":"tfgolden-case","private":true}\n')
  writeGolden(join(folder.program, 'Pulumi.yaml'), 'name: tfgolden\nruntime: nodejs\n')
  const ownVariables = {
    ...(settings.pluginFolder === undefined
      ? {}
      : { PATH: `${settings.pluginFolder}:${process.env.PATH}` }),
    PULUMI_HOME: join(folder.home, 'home'),
    ANTICHAIN_HOME: join(folder.home, 'antichain'),
    PULUMI_CONFIG_PASSPHRASE: 'golden',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    GOLD_NODE_PATH: settings.nodeModules,
  }
  let isInitialized = false
  return {
    folder,
    /**
     * Adopts the resources that an `edit` step patches from a state file of OpenTofu, in the place of
     * those in the stack. `states` are the recorded ones. The calls count for the next step.
     */
    async adoptStates(step, number, states) {
      const env = folder.createVariables(step, number, ownVariables)
      const run = args =>
        runCommand([settings.cli, ...args.map(quoteArgument), ...stackArguments].join(' '), {
          folder: folder.program,
          env,
        })
      const file = join(folder.home, 'adopted.tfstate')
      const addresses = Object.keys(step.tofuEdit)
      writeGolden(file, formatStateFile(addresses.map(address => [address, states[address]])))
      for (const address of addresses)
        await run(['state', 'delete', formatUrn(`@${address}`), '-y'])
      const programs = { tfgold: env.TFGOLD_PROVIDER, tfgold5: env.TFGOLD_PROVIDER5 }
      const providers = new Set(addresses.map(address => address.split('_')[0]))
      const options = [...providers].flatMap(name => [
        '--provider',
        `${sources[name]}=${programs[name]}`,
      ])
      const result = await run(['import', '--from', 'terraform', file, '--yes', ...options])
      printStep(folder.name, number, result)
      return result.code === 0 ? [] : [`adoption: ${result.err}${result.out}`]
    },
    /** Runs a step. Returns what the comparison reads. */
    async runStep(step, number) {
      const program = folder.findFile(number, 'index', ['js']) ?? join(folder.source, 'index.js')
      copyFileSync(program, join(folder.program, 'index.js'))
      folder.changeCloud(step.before)
      const env = folder.createVariables(step, number, ownVariables)
      const run = (args, options = {}) =>
        runCommand([settings.cli, ...args.map(quoteArgument)].join(' '), {
          folder: folder.program,
          env,
          ...options,
        })
      if (!isInitialized) await run(['stack', 'init', 'dev'])
      isInitialized = true
      for (const [key, value] of Object.entries(step.config ?? {}))
        await run(['config', 'set', key, value, ...stackArguments])
      const isReached = () => folder.log.isApplyHanging()
      const result = await run(argumentsOf(step), { ending: endingOf(step), isReached })
      if (step.kill) await run(['cancel', '-y', ...stackArguments])
      printStep(name, number, result)
      const calls = folder.log.takeCalls()
      const { out } = await run(['stack', 'export', '--show-secrets', ...stackArguments])
      return {
        exit: result.code === 0 ? 0 : 1,
        isLate: result.isLate,
        message: messageIn(`${result.err}${result.out}`),
        actions: readActions(result.out),
        calls,
        cloud: folder.readCloud(),
        resources: resourcesIn(out),
      }
    },
  }
}

/** Returns the arguments of a step's command. Arguments such as `@tfgold_thing.a` become URNs. */
function argumentsOf(step) {
  const args = (step.args ?? step.pulumi ?? []).map(formatUrn)
  if (step.op === 'state') return ['state', ...args, '-y', ...stackArguments]
  if (step.op === 'plan') return ['preview', ...stackArguments, ...args, '--json']
  const command = { apply: 'up', refresh: 'refresh', destroy: 'destroy' }[step.op]
  const refresh = step.refresh && step.op !== 'refresh' ? ['--refresh'] : []
  const shared = [command, '-y', ...stackArguments, ...refresh, ...args]
  // With --json, an engine need not run a preview before it deploys.
  return step.preview ? shared : [...shared, '--skip-preview', '--json']
}

function formatUrn(argument) {
  const [, type, name] = /^@(\w+)\.([\w-]+)$/.exec(argument) ?? []
  return type === undefined ? argument : `urn:pulumi:dev::tfgolden::${tokenOf(type)}::${name}`
}

const messageIn = output =>
  /error: .*|"message":"error: [^"]*/.exec(output)?.[0].slice(0, 300) ?? ''

function resourcesIn(output) {
  try {
    return JSON.parse(output).deployment.resources ?? []
  } catch {
    // A command that printed no state left none.
    return []
  }
}

/** The actions of the operations in events. Steps that are not listed change nothing. */
const actionOfOperation = {
  create: 'create',
  update: 'update',
  replace: 'replace',
  'create-replacement': 'replace',
  'delete-replaced': 'delete',
  delete: 'delete',
  import: 'import',
  'import-replacement': 'replace',
}

/** Returns the action of each resource, or undefined if the output has no events of resources. */
function readActions(output) {
  const actions = {}
  let hasEvents = false
  for (const { resourcePreEvent } of parseLines(output)) {
    const { type, urn, op } = resourcePreEvent?.metadata ?? { type: '', urn: '' }
    if (!/^tfgold5?:/.test(type) || !/index\/\w+:\w+::[^:]+$/.test(urn)) continue
    hasEvents = true
    const address = addressOfResource({ type, urn })
    const action = actionOfOperation[op]
    if (action !== undefined && actions[address] !== 'replace') actions[address] = action
  }
  return hasEvents ? actions : undefined
}

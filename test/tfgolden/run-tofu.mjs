/** Runs of OpenTofu, from which expectations are recorded. */
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createCaseFolder,
  endingOf,
  parseLines,
  printStep,
  readGolden,
  writeGolden,
} from './case-folder.mjs'
import { formatPrivateBytes, omitNullMembers, sortKeys } from './lossless-values.mjs'
import { listOrderedApplies, mergeEqualCalls } from './provider-calls.mjs'
import { quoteArgument, runCommand } from './run-command.mjs'
import { sources } from './tofu-state.mjs'

/** Creates a run of a case with OpenTofu. */
export function createTofuRun(settings, name) {
  const folder = createCaseFolder(settings, name)
  const stateFile = join(folder.program, 'terraform.tfstate')
  const ownVariables = {
    TF_CLI_CONFIG_FILE: join(folder.home, 'tofurc'),
    TF_DATA_DIR: join(folder.home, 'data'),
    TF_IN_AUTOMATION: '1',
    CHECKPOINT_DISABLE: '1',
  }
  let lastStates = {}
  const readStates = () =>
    existsSync(stateFile) && statSync(stateFile).size > 0 ? statesIn(readGolden(stateFile)) : {}
  const runTofu = (args, step, number) =>
    runCommand([settings.tofu, ...args].map(quoteArgument).join(' '), {
      folder: folder.program,
      env: folder.createVariables(step, number, ownVariables),
      ending: endingOf(step),
      isReached: () => folder.log.isApplyHanging(),
    })
  const removePaths = text =>
    text.replaceAll(folder.home, '<tmp>').replaceAll(settings.providerFolder, '<bin>')
  return {
    folder,
    /** Writes the files of a step's configuration. */
    writeConfiguration(number) {
      writeGolden(ownVariables.TF_CLI_CONFIG_FILE, formatOverrides(settings.providerFolder))
      writeGolden(join(folder.program, 'terraform.tf'), formatRequirements())
      for (const file of ['main.tf', 'main.tf.json'])
        rmSync(join(folder.program, file), { force: true })
      const main = folder.findFile(number, 'main', ['tf', 'tf.json'])
      const target = main?.endsWith('json') ? 'main.tf.json' : 'main.tf'
      if (main !== undefined) copyFileSync(main, join(folder.program, target))
    },
    runTofu,
    /** Runs a step. Returns its expectation, and all its calls. */
    async runStep(step, number) {
      this.writeConfiguration(number)
      folder.changeCloud(step.before)
      if (step.op === 'edit') editStates(stateFile, step.tofuEdit)
      const result =
        step.op === 'edit'
          ? { code: 0, out: '', err: '', isLate: false }
          : await runTofu(argumentsOf(step), step, number)
      printStep(name, number, result)
      // A killed OpenTofu leaves its lock, which the next command would respect.
      if (step.kill) rmSync(join(folder.program, '.terraform.tfstate.lock.info'), { force: true })
      const events = readTofuEvents(result.out)
      const mustExplain = result.code !== 0 && events.errors === undefined && !step.kill
      const [summary] = result.err.trim().split('\n')
      const calls = folder.log.takeCalls()
      const states = readStates()
      const expectation = {
        exit: result.code === 0 ? 0 : 1,
        ...(result.isLate ? { timeout: true } : {}),
        ...events,
        ...(mustExplain ? { errors: [{ summary }] } : {}),
        calls: mergeEqualCalls(calls),
        cloud: folder.readCloud(),
        state: states,
        order: listOrderedApplies(calls, lastStates, states),
      }
      lastStates = states
      return { expectation: JSON.parse(removePaths(JSON.stringify(expectation))), calls }
    },
  }
}

const formatOverrides = providerFolder =>
  `provider_installation {\n  dev_overrides {\n${Object.values(sources)
    .map(source => `    "${source}" = "${providerFolder}"\n`)
    .join('')}  }\n}\n`

const formatRequirements = () =>
  `terraform {\n  required_providers {\n${Object.entries(sources)
    .map(([name, source]) => `    ${name} = { source = "${source}" }\n`)
    .join('')}  }\n}\n`

function argumentsOf(step) {
  const refresh = step.refresh ? [] : ['-refresh=false']
  const apply = ['apply', '-auto-approve', '-input=false', '-json']
  const commands = {
    apply: [...apply, ...refresh],
    plan: ['plan', '-input=false', '-json', ...refresh],
    refresh: [...apply, '-refresh-only'],
    destroy: [...apply, '-destroy', ...refresh],
    state: step.tofu,
  }
  return [...commands[step.op], ...(step.tofuArgs ?? [])]
}

/** Applies patches to instances in a state file: `drop` removes members, and `set` sets them. */
function editStates(stateFile, patches) {
  const state = JSON.parse(readFileSync(stateFile, 'utf8'))
  for (const [address, { drop = [], set }] of Object.entries(patches)) {
    const resource = state.resources.find(({ type, name }) => `${type}.${name}` === address)
    const [instance] = resource.instances
    for (const key of drop) delete instance[key]
    Object.assign(instance, set)
  }
  state.serial += 1
  writeFileSync(stateFile, JSON.stringify(state))
}

const optionalMembers = [
  ...['identity', 'identity_schema_version', 'create_before_destroy', 'attributes_flat'],
]

function statesIn({ resources }) {
  const entries = resources.flatMap(({ mode, type, name, instances }) =>
    instances.map(instance => {
      const prefix = mode === 'data' ? 'data.' : ''
      const suffix = instance.deposed ? ' deposed' : ''
      return [`${prefix}${type}.${name}${suffix}`, stateOf(instance)]
    }),
  )
  return sortKeys(Object.fromEntries(entries))
}

function stateOf(instance) {
  const { schema_version: version, attributes, private: bytes, status, dependencies } = instance
  const present = optionalMembers.filter(key => instance[key] !== undefined)
  const sensitive = (instance.sensitive_attributes ?? []).map(path =>
    path.map(step => step.value?.value ?? step.value).join('.'),
  )
  return {
    schema_version: version,
    attributes: omitNullMembers(attributes),
    ...(bytes ? { private: formatPrivateBytes(Buffer.from(bytes, 'base64')) } : {}),
    ...(status ? { [status]: true } : {}),
    ...Object.fromEntries(present.map(key => [key, instance[key]])),
    ...(dependencies ? { dependencies: dependencies.toSorted() } : {}),
    ...(sensitive.length > 0 ? { sensitive: sensitive.toSorted() } : {}),
  }
}

function readTofuEvents(output) {
  const actions = {}
  const drift = {}
  const diagnostics = { error: [], warning: [] }
  for (const { type, change, diagnostic } of parseLines(output))
    if (type === 'planned_change') {
      const isImport = change.importing && change.action !== 'import'
      const address = change.resource.addr + (change.deposed ? ' deposed' : '')
      actions[address] = change.action + (isImport ? ' (import)' : '')
    } else if (type === 'resource_drift') drift[change.resource.addr] = change.action
    else if (type === 'diagnostic') {
      const { severity, summary, address, detail } = diagnostic
      const shortDetail = detail.replaceAll(/\s+/g, ' ').slice(0, 300)
      const item = { summary, ...(address ? { address } : {}), detail: shortDetail }
      diagnostics[severity]?.push(item)
    }
  const warnings = diagnostics.warning.filter(
    ({ summary }) => !/development overrides/i.test(summary),
  )
  return {
    actions: sortKeys(actions),
    ...(Object.keys(drift).length > 0 ? { drift } : {}),
    ...(diagnostics.error.length > 0 ? { errors: diagnostics.error } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/**
 * `npm run cloud`: an installation on this machine. Installs and starts the emulators, makes the
 * services, bundles the functions and runs them until it is told to end. With `--deploy <folder>`
 * it deploys that program to the stack of `--stack` and ends, with `--destroy` after removing it
 * again.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFirstToken } from '../../functions/api/first-token.ts'
import { DeployError, error, messageOf } from '../../shared/errors/error.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { awsSettings, type AwsSettings } from '../../shared/platform/aws/clients.ts'
import { readProject } from '../../shared/programs/project-file.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { createAssets } from '../assets.ts'
import { install } from '../emulators/install.ts'
import { emulators } from '../emulators/servers.ts'
import { type Emulators, startEmulators } from '../emulators/start.ts'
import { functionsTable } from '../functions-table.ts'
import { readSettings } from '../settings.ts'
import { type LocalCloud, startCloud } from './cloud.ts'
import { openDesk } from './desk.ts'
import { keepKilling } from './kills.ts'
import { tellCalls } from './tell-calls.ts'
import { ownName, removeLeftovers } from '../leftovers.ts'
import { toldToEnd } from '../told-to-end.ts'
import { type CloudWords, cloudHelp, cloudWords } from './words.ts'

const say = (line: string): void => console.log(`· ${line}`)

/** Folders of runs are named after this and the process. */
const folderName = 'antichain-cloud-'

async function main(words: CloudWords): Promise<number> {
  const all = []
  for (const row of emulators) all.push(await install(row, process.env, say))
  for (const one of all)
    if (one.kind === 'missing')
      throw error('PLATFORM_EMULATOR_MISSING', `${one.row.name}: ${one.why}`)
  // From here on there is something to be removed: who ends it while it starts waits for that.
  const told = toldToEnd()
  try {
    removeLeftovers(folderName)
    const started = await startEmulators(all.filter(one => one.kind === 'installed'))
    return await withEmulators(words, started, told.heard)
  } finally {
    told.letGo()
  }
}

async function withEmulators(
  words: CloudWords,
  started: Emulators,
  told: Promise<undefined>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), ownName(folderName)))
  try {
    // Clients of this process find the emulators as those of functions do.
    Object.assign(process.env, started.variables)
    const aws = awsSettings(process.env)
    const cloud = await startFunctions(words, started, { aws, folder })
    const endKilling = startKilling(words, cloud)
    try {
      if (words.deploy !== undefined) {
        const deployed = deploy(words, { aws, cloud, folder: words.deploy })
        const end = await Promise.race([deployed, told, started.died])
        if (typeof end === 'number') return end
        if (end !== undefined) throw error('PLATFORM_FAILED', end)
        throw error('PLATFORM_FAILED', 'the deployment was given up with its cloud: you ended it')
      }
      await tellLogin(aws, cloud)
      say('Ctrl-C ends it')
      const why = await Promise.race([started.died, told])
      if (why !== undefined) throw error('PLATFORM_FAILED', why)
      return 0
    } finally {
      endKilling()
      await cloud.end()
    }
  } finally {
    await started.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bundles the functions that have an entry, and runs them. */
async function startFunctions(
  words: CloudWords,
  { variables }: Emulators,
  { aws, folder }: { readonly aws: AwsSettings; readonly folder: string },
): Promise<LocalCloud> {
  const settings = readSettings({
    'antichain:region': aws.region,
    'antichain:executorsMax': words.executors,
  })
  if ('problems' in settings) throw error('CLI_USAGE', settings.problems.join('; '))
  const beganMs = performance.now()
  const assets = createAssets('existing', join(folder, 'bundles'))
  const code = new Map(functionsTable.map(row => [row.name, assets.code(row)]))
  say(`functions are bundled after ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
  const { PATH = '', PULUMI_CONFIG_PASSPHRASE = demoPassphrase } = process.env
  if (process.env['PULUMI_CONFIG_PASSPHRASE'] === undefined)
    say(`PULUMI_CONFIG_PASSPHRASE is not set: functions take '${demoPassphrase}'`)
  const cloud = await startCloud({
    settings,
    aws,
    code: row => (assets.absent.has(row.entry) ? undefined : code.get(row.name)),
    folder: join(folder, 'functions'),
    variables: {
      ...variables,
      PATH: process.env['ANTICHAIN_USER_PATH'] ?? PATH,
      PULUMI_CONFIG_PASSPHRASE,
      ...outboundRules(),
    },
    webhookPort: words.webhookPort,
    apiPort: words.apiPort,
    tidyMs: words.tidySeconds * 1_000,
    told: tellCalls(say, words.verbose),
  })
  say(`installation '${settings.installation}' runs: ${cloud.names.join(', ')}`)
  say(`webhooks are taken at ${cloud.webhookUrl}<name>`)
  for (const entry of assets.absent) say(`not there: ${entry}`)
  for (const [name, value] of Object.entries(variables))
    if (name.endsWith('_ENDPOINT')) say(`${name}=${value}`)
  return cloud
}

/** Servers on this machine may be told, and asked for archives, where the environment lets them. */
function outboundRules(): Readonly<Record<string, string>> {
  const given = Object.values(outboundVariables).map(name => [name, process.env[name]] as const)
  return Object.fromEntries(
    given.filter((pair): pair is [(typeof pair)[0], string] => pair[1] !== undefined),
  )
}

/** Says how the API is used, with a token that is good as long as this cloud is there. */
async function tellLogin(aws: AwsSettings, cloud: LocalCloud): Promise<void> {
  const desk = openDesk(aws, cloud.services)
  try {
    const by = { who: 'npm run cloud', from: 'this machine' }
    const { token } = await createFirstToken(desk.platform, by, { name: 'admin' })
    say(`the API is at ${cloud.apiUrl}; to work on its stacks:`)
    console.log(`antichain login ${cloud.apiUrl} --token ${token}`)
  } finally {
    desk.close()
  }
}

/** With `--kills-per-minute`: environments die by chance, as they may on AWS. */
function startKilling({ killsPerMinute: perMinute }: CloudWords, cloud: LocalCloud): () => void {
  if (perMinute === 0) return () => undefined
  const { names } = cloud
  const killed = (name: string, pid: number): void => say(`${name} [${pid}] was killed`)
  return keepKilling(cloud, { names, perMinute, draw: Math.random, killed })
}

/** Nothing of a cloud that is gone in a minute is worth a secret. */
const demoPassphrase = 'antichain-cloud'

async function deploy(
  words: CloudWords,
  about: { readonly aws: AwsSettings; readonly cloud: LocalCloud; readonly folder: string },
): Promise<number> {
  const { aws, cloud, folder } = about
  const desk = openDesk(aws, cloud.services)
  try {
    const stack = stackIdOf(readProject(folder).name, words.stack)
    await desk.platform.catalog.createStack(stack, desk.platform.clock.now())
    const program = await desk.upload(folder)
    const commands: readonly Command[] = words.destroy ? ['up', 'destroy'] : ['up']
    for (const command of commands) {
      const key = await desk.ask({ stack, command, program })
      const end = await desk.over(stack, key, cloudLimits.deployMs)
      if (!('deployment' in end) || !('result' in end)) throw refused(end)
      const changes = Object.entries(end.changes ?? {}).map(([op, count]) => `${op} ${count}`)
      say(`${command} of ${stack}: ${end.result} (${changes.join(', ')})`)
      if (end.result !== 'succeeded') return 1
    }
    return 0
  } finally {
    desk.close()
  }
}

function refused(end: object): DeployError {
  const why = 'message' in end ? String(end.message) : JSON.stringify(end)
  return error('DEPLOYMENT_FAILED', `the request was refused: ${why}`, {
    hint: 'Mend what the message names, and run the command again.',
  })
}

try {
  const words = cloudWords(process.argv.slice(2))
  if (words.help) console.log(cloudHelp)
  else process.exitCode = await main(words)
} catch (thrown) {
  const known = thrown instanceof DeployError
  console.error(
    known
      ? `error[${thrown.code}]: ${thrown.message}\n  what to do: ${thrown.hint}`
      : `error: ${messageOf(thrown)}`,
  )
  process.exitCode = 1
}

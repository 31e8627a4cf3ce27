/** Runs commands of Pulumi's command line on a stack of a server and on one in a folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type Sandbox,
  waitUntil,
} from '../e2e/sandbox.ts'
import { buildPulumiCli, type cliVersions } from './build-cli.ts'
import { type ComparedCommand, comparedUrnOf } from './commands.ts'
import { findWarnings, openStockClient } from './stock-client.ts'
import { stockVariablesOf } from './stock-variables.ts'

const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const { STEP, DELAY } = process.env
const config = new pulumi.Config()
const a = new Thing('a', { value: config.get('v') })
const b = new Thing('b', { value: STEP }, { parent: a })
const c = new Thing('c', { value: STEP }, { dependsOn: [b] })
const d = new Thing('d', { value: 'd' })
new Thing('e', { value: 'e' }, { dependsOn: [d] })
if (DELAY) new Thing('slow', { value: 'x', delay: Number(DELAY) }, { dependsOn: [c] })
exports.plain = a.value
exports.list = [1, { deep: true }]
exports.hidden = config.requireSecret('s')
`

/** A command line with a stack: on a server, or in a folder. */
interface ComparedSide {
  readonly sandbox: Sandbox
  readonly start: (command: string, env?: ComparedCommand['env']) => ReturnType<Sandbox['start']>
}

/** Both sides of a comparison, with the deployed stack `dev`. */
export interface ComparedSides {
  readonly server: ComparedSide
  readonly folder: ComparedSide
  readonly remove: () => Promise<void>
}

/** Creates the stack `dev` on a server and in a folder, and deploys it to both. */
export async function openComparedSides(
  version: (typeof cliVersions)[number],
): Promise<ComparedSides> {
  const cli = buildPulumiCli(version)
  const files = { 'index.js': program }
  const client = await openStockClient(cli, 'small', { files })
  const sandbox = createSandbox('small', { files })
  const [state, home] = [join(sandbox.home, '../state'), join(sandbox.home, '../pulumi-home')]
  for (const path of [state, home]) mkdirSync(path)
  const folderEnv = {
    ...stockVariablesOf(sandbox),
    PULUMI_HOME: home,
    HOME: home,
    PULUMI_BACKEND_URL: `file://${state}`,
  }
  const server: ComparedSide = {
    sandbox: client.sandbox,
    start: (command, env = {}) => client.startPulumi(command.split(' '), env),
  }
  const folder: ComparedSide = {
    sandbox,
    start: (command, env = {}) =>
      sandbox.start(['--non-interactive', ...command.split(' ')], {
        command: cli,
        env: { ...folderEnv, ...env },
      }),
  }
  await onBothSides([server, folder], async ({ start }) => {
    for (const command of [
      'stack init dev',
      'config set v one',
      'config set --secret s hush',
      'up --yes --skip-preview',
    ])
      requireSuccess(await start(command).done)
  })
  const remove = async (): Promise<void> => {
    await client.remove()
    sandbox.remove()
  }
  return { server, folder, remove }
}

function onBothSides<T>(
  sides: readonly ComparedSide[],
  run: (side: ComparedSide) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(sides.map(run))
}

/** Returns the output without times and random ids. */
function maskOutput({ out }: CommandOutput): string {
  return out
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"ciphertext": "[^"]*"/g, '"ciphertext": "<sealed>"')
    .replaceAll(/organization\/small\//g, '')
}

interface ExportedResource {
  readonly urn: string
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>
}

interface ExportedDeployment {
  readonly resources?: readonly ExportedResource[]
  readonly pending_operations?: unknown
}

/**
 * Returns the resources and pending operations of the stack, ordered by name, because independent
 * resources are created in any order. The result has no times and no random ids. After a refresh, Pulumi's journal omits empty lists of dependencies by property, and its checkpoints do
 * not. So they are omitted here.
 */
async function readResources({ start }: ComparedSide): Promise<unknown> {
  const exported = requireSuccess(await start('stack export -s dev').done)
  const { deployment } = JSON.parse(maskOutput(exported)) as { deployment: ExportedDeployment }
  const resources = deployment.resources?.map(({ propertyDependencies = {}, ...fields }) => ({
    ...fields,
    propertyDependencies: Object.entries(propertyDependencies).filter(([, urns]) => urns.length),
  }))
  const sorted = resources?.toSorted((one, other) => (one.urn < other.urn ? -1 : 1))
  return [sorted, deployment.pending_operations]
}

/** Expects the same resources on both sides. */
export async function expectSameResources({ server, folder }: ComparedSides): Promise<void> {
  const [ours, theirs] = await onBothSides([server, folder], readResources)
  expect(ours).toEqual(theirs)
}

/**
 * Runs commands on both sides. `isNewest`: whether each command must also have its exit code, as
 * older versions lack some of the commands.
 */
export async function compareCommands(
  { server, folder }: ComparedSides,
  commands: readonly ComparedCommand[],
  isNewest: boolean,
): Promise<void> {
  for (const { command, same, env, exit = 0 } of commands) {
    const sides = same === undefined ? [server] : [server, folder]
    const results = await onBothSides(sides, ({ start }) => start(command, env).done)
    for (const result of results) {
      if (isNewest) expect([command, result.exit, result.err]).toEqual([command, exit, result.err])
      expect([command, findWarnings(result)]).toEqual([command, []])
    }
    const exits = results.map(result => result.exit)
    const texts = results.map(({ out, err }) => out + err).join('\n')
    expect([command, exits], texts).toEqual([command, exits.map(() => exits[0])])
    if (same !== 'both') continue
    const [ours, theirs] = results.map(maskOutput)
    expect([command, ours]).toEqual([command, theirs])
  }
}

/**
 * Kills an update during the create of an object on both sides. Then imports the object in a
 * refresh.
 */
export async function importPendingCreates({ server, folder }: ComparedSides): Promise<void> {
  const pending = comparedUrnOf('slow')
  await onBothSides([server, folder], async ({ sandbox, start }) => {
    const up = start('up --yes --skip-preview', { DELAY: '60000', GOLD_ASKED: '1', STEP: '4' })
    const isCreating = (): boolean => sandbox.listChanges().some(({ urn }) => urn === pending)
    await waitUntil(isCreating, { condition: 'a create', limitMs: 60_000 })
    up.kill('SIGKILL', 'group')
    await up.done
    requireSuccess(await start('cancel --yes').done)
    putObject(sandbox, 'slow-77', { value: 'x', delay: 60_000 })
  })
  const id = `--import-pending-creates ${pending} --import-pending-creates slow-77`
  await onBothSides([server, folder], async ({ start }) =>
    requireSuccess(await start(`refresh --yes --skip-preview ${id}`).done),
  )
}

/** Puts an object into the cloud of the provider that no state contains. */
export function putObject({ cloud }: Sandbox, id: string, props: object): void {
  const object = { type: 'gold:index:Thing', id, rev: 1, props }
  writeFileSync(join(cloud, 'objects', `${id}.json`), JSON.stringify(object))
}

/** Returns the sorted names in the graph that `stack graph` wrote on each side. */
export function readGraphNames(sides: ComparedSides): readonly (readonly string[])[] {
  return [sides.server, sides.folder].map(({ sandbox }) => {
    const graph = readFileSync(join(sandbox.program, 'graph.dot'), 'utf8')
    return [...graph.matchAll(/label="([^"]*)"/g)].map(([, name = '']) => name).toSorted()
  })
}

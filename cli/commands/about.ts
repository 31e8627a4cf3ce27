import { readFileSync } from 'node:fs'
import { arch, release, type } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { emulatedVersion } from '../../shared/config/emulated-version.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { launcherVariables } from '../../shared/runtime/environment/user-variables.ts'
import { organizationName } from '../../shared/triggers/notifications/pulumi-payload.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { formatTable } from '../display/table.ts'
import { findRuntimeVersion, type RuntimeVersion } from '../project/runtime-version.ts'
import { readRequiredPackages } from '../plugins/plugin-command-tools.ts'
import {
  type CurrentAccount,
  describeAccount,
  readCurrentAccount,
} from '../remote/current-account.ts'
import type { CliSession } from '../session/session.ts'

/** The facts that `about` shows. Except for `versions` and `variables`, they are as in Pulumi's JSON. */
interface Facts {
  readonly versions: { readonly version: string; readonly emulates: string; readonly node: string }
  readonly host: { readonly os: string; readonly version: string; readonly arch: string }
  readonly backend: Readonly<Record<string, unknown>> | null
  readonly runtime: RuntimeVersion | null
  readonly plugins: readonly { readonly name: string; readonly version: string }[] | null
  readonly dependencies: readonly { readonly name: string; readonly version: string }[] | null
  readonly currentStack: Readonly<Record<string, unknown>> | null
  /** The names of the variables that the user has set. Their values may be secrets. */
  readonly variables: readonly string[]
  readonly errors: readonly string[]
}

/** The field of Pulumi's JSON that contains the versions. */
const versionsField = 'cliAbout'

/**
 * `about`: shows versions, the place of the stacks, and the project of the folder. A fact that
 * cannot be read is a warning, or an entry of `errors` with --json.
 */
export const showSystemFacts: Handler = async (session, flags) => {
  const facts = await collectFacts(session)
  const { versions, ...otherFacts } = facts
  if (isJsonOutput(flags))
    session.print(JSON.stringify({ [versionsField]: versions, ...otherFacts }, null, 2))
  else printFacts(session, facts)
  return 0
}

async function collectFacts(session: CliSession): Promise<Facts> {
  const errors: string[] = []
  const attempt = async <T>(noun: string, read: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await read()
    } catch (thrown) {
      errors.push(`Failed to get information about ${noun}: ${messageOf(thrown)}`)
      return null
    }
  }
  const project = await attempt('the project', session.requireProject)
  const programFolder =
    project === null
      ? undefined
      : await attempt('the program', () => locateProgram(project).programFolder)
  const account = await attempt('the backend', () => readCurrentAccount(session))
  return {
    versions: { version: manifest.version, emulates: emulatedVersion, node: process.version },
    host: { os: type(), version: release(), arch: arch() },
    backend: account === null ? null : describeBackend(account),
    runtime:
      project === null || project.runtime === ''
        ? null
        : await attempt('the runtime of the project', () => findRuntimeVersion(session, project)),
    plugins:
      project === null
        ? null
        : await attempt('the plugins of the program', () => listPlugins(session)),
    dependencies:
      project?.runtime === 'nodejs' && typeof programFolder === 'string'
        ? await attempt('the dependencies of the program', () => listDependencies(programFolder))
        : null,
    currentStack:
      project === null ? null : await attempt('the current stack', () => describeStack(session)),
    variables: Object.keys(session.io.env)
      .filter(name => /^(PULUMI|ANTICHAIN)_/.test(name))
      .filter(name => !launcherVariables.has(name))
      .toSorted(),
    errors,
  }
}

function describeBackend(account: CurrentAccount): Readonly<Record<string, unknown>> {
  const url =
    account.kind === 'machine'
      ? account.store
      : account.kind === 'api'
        ? account.url
        : account.address
  return {
    name: describeAccount(account),
    url,
    user: account.user,
    organizations: [organizationName],
  }
}

async function listPlugins(session: CliSession): Promise<NonNullable<Facts['plugins']>> {
  const packages = await readRequiredPackages(session)
  return packages.map(({ pkg, version, parameters }) => ({
    name: parameters?.plugin ?? pkg,
    version,
  }))
}

/** Returns the dependencies in the package.json of a folder, each with its installed version. */
function listDependencies(folder: string): NonNullable<Facts['dependencies']> {
  const readJsonFile = (file: string): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  const { dependencies = {} } = readJsonFile(join(folder, 'package.json'))
  return Object.entries(dependencies as Readonly<Record<string, string>>).map(([name, range]) => {
    try {
      const { version } = readJsonFile(join(folder, 'node_modules', name, 'package.json'))
      return { name, version: String(version) }
    } catch {
      return { name, version: `${range} (not installed)` }
    }
  })
}

async function describeStack(session: CliSession): Promise<Facts['currentStack']> {
  const id = await session.requireStack()
  const state = await (await session.openEngine()).exportState(id)
  return {
    name: id.split('/').at(-1) ?? id,
    fullyQualifiedName: id,
    resources: (state?.resources ?? []).map(({ type: resourceType, urn }) => ({
      type: resourceType,
      urn,
    })),
    pendingOps: (state?.pending_operations ?? []).map(({ type: kind, resource }) => ({
      type: kind,
      urn: resource.urn,
    })),
  }
}

function printFacts(session: CliSession, facts: Facts): void {
  const { versions, host, backend, runtime, plugins, dependencies, currentStack } = facts
  const rows: (readonly [string, string])[] = [
    ['Antichain', versions.version],
    ['Behaves like Pulumi', versions.emulates],
    ['Node', versions.node],
    ['Host', `${host.os} ${host.version} ${host.arch}`],
    ['Stacks', backend === null ? 'unknown' : String(backend['name'])],
    ['User', backend === null ? 'unknown' : String(backend['user'])],
    ...(runtime === null
      ? []
      : [['Runtime', `${runtime.language} ${runtime.version} (${runtime.executable})`] as const]),
    ...(currentStack === null
      ? []
      : [['Current stack', String(currentStack['fullyQualifiedName'])] as const]),
    ['Variables', facts.variables.join(', ') || 'none'],
  ]
  for (const line of formatTable(['NAME', 'VALUE'], rows)) session.print(line)
  for (const [header, packages] of [
    ['PLUGIN', plugins],
    ['DEPENDENCY', dependencies],
  ] as const) {
    if (packages === null || packages.length === 0) continue
    session.print('')
    const cells = packages.map(({ name, version }) => [name, version])
    for (const line of formatTable([header, 'VERSION'], cells)) session.print(line)
  }
  for (const failure of facts.errors) session.printToStderr(`warning: ${failure}`)
}

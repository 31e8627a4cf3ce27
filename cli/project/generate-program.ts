import { homedir } from 'node:os'
import { DiagnosticSeverity, type Diagnostic } from '../../proto/gen/pulumi/codegen/hcl.ts'
import { GenerateProgramRequest, LanguageRuntimeService } from '../../proto/gen/pulumi/language.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import {
  type LanguageHost,
  type LanguageHostDeps,
  startHost,
} from '../../shared/programs/hosts/language-host.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { resolveProjectPlugins } from '../../shared/programs/project/project-plugins.ts'
import { findPlugin } from '../../shared/providers/plugins/find-plugin.ts'
import { withPluginHost } from '../packages/with-plugin-host.ts'
import { definedVariablesOf } from '../plugins/plugin-command-tools.ts'
import type { CliSession } from '../session/session.ts'

/** A file of a generated program. */
export interface GeneratedFile {
  readonly name: string
  readonly text: string
}

/**
 * Lets the language host of the project translate a program of Pulumi's configuration language.
 * `source` is the text of the program. Returns the files, sorted by name. The host reads schemas
 * from plugins, which may be installed for that. Throws RUNTIME_UNKNOWN without a host, and
 * CODE_GENERATION_FAILED with the diagnostics of the host.
 */
export async function generateProgram(
  session: CliSession,
  source: string,
): Promise<readonly GeneratedFile[]> {
  const project = session.requireProject()
  const programSource = {
    ...locateProgram(project),
    projectFolder: project.root,
    runtime: project.runtime,
    runtimeOptions: project.runtimeOptions,
    plugins: resolveProjectPlugins(project),
  }
  return withLanguageHosts(session, async deps => {
    const host = await startHost(deps, programSource, deps.onLine)
    try {
      return await requestProgram(host, source, deps.engineAddress())
    } finally {
      await host.close()
    }
  })
}

/** The dependencies of language hosts. The hosts also read schemas at `engineAddress`. */
export interface LanguageHostServices extends LanguageHostDeps {
  readonly onLine: (line: string) => void
}

/** Calls a function with the services that converters and hosts of languages need. */
export function withLanguageHosts<T>(
  session: CliSession,
  use: (deps: LanguageHostServices) => Promise<T>,
): Promise<T> {
  const env = definedVariablesOf(session)
  return withPluginHost(session, async (_plugins, address) => {
    const processes = createProcesses()
    try {
      return await use({
        processes,
        env,
        engineAddress: () => address,
        onLine: line => session.printToStderr(line),
        obtainHost: language => Promise.resolve(findInstalledHost(language, env)),
      })
    } finally {
      await processes.close()
    }
  })
}

async function requestProgram(
  host: LanguageHost,
  source: string,
  address: string,
): Promise<readonly GeneratedFile[]> {
  const request = GenerateProgramRequest.create({
    source: new Map([['program.pp', source]]),
    loaderTarget: address,
    mapperTarget: address,
  })
  const response = await host
    .call(LanguageRuntimeService.generateProgram, request)
    .catch((cause: unknown) => {
      throw createCodeGenerationError(messageOf(cause), { cause })
    })
  refuseErrorDiagnostics(response.diagnostics)
  return listFiles(response.source)
}

/**
 * Returns the file of an installed language host. The caller has already searched the PATH. Throws
 * RUNTIME_UNKNOWN.
 */
function findInstalledHost(language: string, env: Readonly<Record<string, string>>): string {
  const plugin = { kind: 'language', name: language, version: '', downloadUrl: '' }
  const lookup = findPlugin(plugin, { env, home: env['HOME'] ?? homedir(), path: '' })
  if ('path' in lookup) return lookup.path
  const name = `pulumi-language-${language}`
  throw createError(
    'RUNTIME_UNKNOWN',
    `no language host generates the code: ${name} is not installed`,
    {
      hint: `Put ${name} on your PATH. Pulumi's release contains the hosts of its languages.`,
    },
  )
}

/** Throws CODE_GENERATION_FAILED if diagnostics contain errors. `subject` wrote them. */
export function refuseErrorDiagnostics(
  diagnostics: readonly Diagnostic[],
  subject = 'the language host',
): void {
  const reasons = diagnostics
    .filter(({ severity }) => severity === DiagnosticSeverity.DIAG_ERROR)
    .map(({ summary, detail }) => (detail === '' ? summary : `${summary}: ${detail}`))
  if (reasons.length > 0) throw createCodeGenerationError(reasons.join('; '), { subject })
}

/** Returns the error CODE_GENERATION_FAILED with a reason. */
export function createCodeGenerationError(
  reason: string,
  { subject = 'the language host', cause }: { readonly subject?: string; readonly cause?: unknown },
): Error {
  return createError('CODE_GENERATION_FAILED', `${subject} generated no code: ${reason}`, { cause })
}

function listFiles(source: ReadonlyMap<string, Uint8Array>): readonly GeneratedFile[] {
  return [...source]
    .map(([name, bytes]) => ({ name, text: Buffer.from(bytes).toString('utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

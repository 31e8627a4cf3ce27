import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSealing } from '../../shared/engine/deployment/state/state-sealing.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { childUrnOf, urnPartsOf, type Urn } from '../../shared/names/urn.ts'
import type { ImportedResource } from '../../shared/records/imported-resource.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { ResourceState } from '../../shared/state/resource.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { type ImportFile, readImportFile } from '../import/import-file.ts'
import { createInlineFile } from '../import/inline-resource.ts'
import { resolveImports } from '../import/resolve-imports.ts'
import { renderTypescriptProgram } from '../import/typescript-program.ts'
import { renderYamlProgram } from '../import/yaml-program.ts'
import { runOperation } from '../operations/run-operation.ts'
import { buildRequest } from '../operations/operation-request.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `import`: imports existing resources into a stack and prints code for them. Throws CLI_USAGE,
 * FILE_UNREADABLE, FEATURE_MISSING and the errors of a deployment.
 */
export const importResources: Handler = async (session, flags, operands) => {
  if (flags.text('from') !== undefined)
    return (await import('./import-terraform.ts')).importTerraformState(session, flags, operands)
  if (flags.text('names') !== undefined) throw createError('CLI_USAGE', '--names requires --from')
  const file = readImport(session, flags, operands)
  const mustGenerateCode = flags.isSet('generateCode')
  const outPath = flags.text('out')
  if (!mustGenerateCode && outPath !== undefined)
    session.printToStderr('Output file will not be used as --generate-code is false.')
  // As in Pulumi, the file exists even without code. If it cannot be written, nothing is imported.
  if (mustGenerateCode && outPath !== undefined) writeOut(resolve(session.cwd, outPath), '')
  if (Object.keys(file.providerInputs).length > 0)
    session.printToStderr(
      "warning: the 'providerInputs' field is deprecated: declare the provider in 'resources' and " +
        "set its configuration via its 'inputs' instead",
    )
  const requestWithoutImports = await buildRequest(session, flags, 'import')
  const sealing = createSealing(requestWithoutImports.secrets)
  const { project, stack } = stackPartsOf(requestWithoutImports.stack)
  const { imports, names } = resolveImports(file, {
    stack,
    project,
    protect: flags.isSet('protect'),
    seal: inputs => sealing.sealMap(sealing.openMap(inputs)),
  })
  if (imports.length === 0) {
    session.printToStderr('The import file contains no resources: nothing to import.')
    return 0
  }
  const request = {
    ...requestWithoutImports,
    options: { ...requestWithoutImports.options, imports },
  }
  const writeCode = async (): Promise<void> => {
    if (mustGenerateCode) await writeProgram(session, flags, { request, imports, names })
  }
  const previewOnly = flags.isSet('previewOnly')
  let exitCode: number
  try {
    exitCode = await runOperation(session, flags, { command: 'import', previewOnly, request })
  } catch (thrown) {
    // Resources that were imported before the failure need code too.
    if (!previewOnly)
      await writeCode().catch((codeFailure: unknown) =>
        session.printToStderr(`warning: no code was generated: ${messageOf(codeFailure)}`),
      )
    throw thrown
  }
  await writeCode()
  return exitCode
}

/** Reads the import file of --file, or creates one for the resource that the operands name. */
function readImport(session: CliSession, flags: Flags, operands: readonly string[]): ImportFile {
  const path = flags.text('file')
  const properties = flags.list('properties').flatMap(text => text.split(','))
  const [parent, provider] = [flags.text('parent'), flags.list('provider').at(-1)]
  if (path === undefined) return createInlineFile({ operands, properties, parent, provider })
  if (operands.length > 0 || properties.length > 0 || (parent ?? provider) !== undefined)
    throw createError(
      'CLI_USAGE',
      'an inline resource may not be specified in conjunction with an import file',
    )
  return readImportFile(resolve(session.cwd, path))
}

/**
 * Prints code for the imported resources that are in the state, or writes the code to the file of
 * --out. With --json nothing is printed.
 */
async function writeProgram(
  session: CliSession,
  flags: Flags,
  resolvedImport: {
    readonly request: DeployInput
    readonly imports: readonly ImportedResource[]
    /** The name of each resource in the code. */
    readonly names: ReadonlyMap<Urn, string>
  },
): Promise<void> {
  const { request, imports, names } = resolvedImport
  const { runtime } = request.source
  if (runtime === '') return
  const states = await readImportedStates(session, request, imports)
  if (states.length === 0) return
  const text =
    runtime === 'nodejs'
      ? renderTypescriptProgram(states, names)
      : runtime === 'yaml'
        ? renderYamlProgram(states, names)
        : undefined
  if (text === undefined) {
    session.printToStderr(
      `No code was generated: the runtime '${runtime}' is not supported, only nodejs and yaml are.`,
    )
    return
  }
  const outPath = flags.text('out')
  if (outPath !== undefined) writeOut(resolve(session.cwd, outPath), text)
  else if (!isJsonOutput(flags)) session.io.stdout.write(`${formatIntroduction(flags)}${text}`)
}

/** Returns the states of the imports that are in the stack, with the requested protection. */
async function readImportedStates(
  session: CliSession,
  { stack: id, secrets }: DeployInput,
  imports: readonly ImportedResource[],
): Promise<readonly ResourceState[]> {
  const storedState = await (await session.openEngine()).exportState(id)
  if (storedState === undefined) return []
  const { decodeSnapshot } = await session.tools.loadState()
  const { resources } = await decodeSnapshot(storedState, secrets)
  const liveStates = new Map(
    resources.filter(resource => !resource.delete).map(resource => [resource.urn, resource]),
  )
  return imports.flatMap(importedResource => {
    const parentType =
      importedResource.parent === '' ? undefined : urnPartsOf(importedResource.parent).qualifiedType
    const state = liveStates.get(childUrnOf(stackPartsOf(id), parentType, importedResource))
    return state === undefined ? [] : [{ ...state, protect: importedResource.protect }]
  })
}

function writeOut(path: string, text: string): void {
  try {
    // The file may contain plaintext secrets, as in Pulumi.
    writeFileSync(path, text, { mode: 0o600 })
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `could not open output file: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function formatIntroduction(flags: Flags): string {
  const codeNotice =
    'Please copy the following code into your Pulumi application. Not doing so\n' +
    'will cause an update to happen on the next `antichain up`.\n\n'
  const protectNotice =
    'Please note that the imported resources are marked as protected. To destroy them\n' +
    'you will need to remove the `protect` option and run `antichain up` *before*\n' +
    'the destroy will take effect.\n\n'
  return flags.isSet('protect') ? `${codeNotice}${protectNotice}` : codeNotice
}
